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
list
$ label secret sh.helm.release.v1.r.v2 status=strange --overwrite
list -a
status r
upgrade r CHART
$ label secret sh.helm.release.v1.r.v1 owner-
history r
uninstall r
