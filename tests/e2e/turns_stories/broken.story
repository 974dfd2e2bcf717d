by 4 3
install r CHART
upgrade r CHART --set greeting=2
upgrade r CHART --set greeting=3
$ patch secret sh.helm.release.v1.r.v3 -p {"data":{"release":"SDRzSUFBQUFBQUFB"}}
list
list -a
history r
status r
get values r
get values r --revision 2
upgrade r CHART
rollback r 2
uninstall r
list -a
$ delete secret sh.helm.release.v1.r.v3
install r CHART
upgrade r CHART --set greeting=2
$ label secret sh.helm.release.v1.r.v1 owner-
history r
rollback r 1
uninstall r
