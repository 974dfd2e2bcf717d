by 4 3
install r CHART --set failing=pre-install --timeout 5s
history r
upgrade --install r CHART --set failing=post-upgrade --timeout 5s
history r
status r
upgrade r CHART --set failing=pre-upgrade --timeout 5s
get hooks r
rollback r 1 --timeout 5s
uninstall r
history r
