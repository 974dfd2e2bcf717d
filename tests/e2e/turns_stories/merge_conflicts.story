by 4
install r CHART
$ apply --server-side --force-conflicts --field-manager other -f FILES/conflict.yaml
upgrade r CHART --set greeting=new
history r
upgrade r CHART --set greeting=new --force-conflicts
$ apply --server-side --force-conflicts --field-manager other -f FILES/conflict.yaml
rollback r 1
rollback r 1 --force-conflicts
upgrade r CHART --server-side=false --set greeting=again
uninstall r
