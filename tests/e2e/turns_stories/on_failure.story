by 4
install r CHART --set failing=post-install --rollback-on-failure --timeout 5s
list -a
install r CHART
upgrade r CHART --set failing=pre-upgrade --rollback-on-failure --timeout 5s
history r
upgrade r CHART --set node.nowhere=yes --rollback-on-failure --timeout 4s
history r
upgrade r CHART --set extra=false --timeout 20s
upgrade r CHART --set extra=true,failing=post-upgrade --cleanup-on-fail --timeout 5s
history r
rollback r 1 --cleanup-on-fail --force-conflicts
install s CHART --rollback-on-failure --set node.nowhere=yes --timeout 3s
list -a
uninstall r
