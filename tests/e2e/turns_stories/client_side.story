by 4
install r CHART --server-side=false --wait --timeout 30s
upgrade r CHART --set replicas=2
upgrade r CHART --server-side=true --set replicas=3
upgrade r CHART --server-side=false --set replicas=1,greeting=back
rollback r 1
rollback r 3
rollback r 2 --server-side=false
upgrade r CHART --force-replace --server-side=false --set greeting=x
upgrade r CHART --force-replace --set greeting=y
upgrade r CHART --force-conflicts --server-side=false
upgrade r CHART --force-replace --force-conflicts
rollback r 1 --force-replace
rollback r 1 --server-side=true --force-conflicts
rollback r 1 --server-side=perhaps
get metadata r -o json
uninstall r
