by 4 3
install r CHART
upgrade r CHART --set greeting=2
$ label secret sh.helm.release.v1.r.v2 status=pending-upgrade --overwrite
list
list --pending
status r
upgrade r CHART
rollback r 1
uninstall r
