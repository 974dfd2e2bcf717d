by 3
install r CHART --set failing=post-install --atomic --timeout 5s
list -a
install r CHART
upgrade r CHART --set failing=pre-upgrade --atomic --timeout 5s
history r
upgrade r CHART --set node.nowhere=yes --atomic --timeout 4s
history r
upgrade r CHART --set extra=false --timeout 20s
upgrade r CHART --set extra=true,failing=post-upgrade --cleanup-on-fail --timeout 5s
history r
rollback r 1 --cleanup-on-fail --force
install s CHART --atomic --set node.nowhere=yes --timeout 3s
list -a
uninstall r
