by 4 3
quick 4 3
install r CHART --wait --timeout 30s
list
list -o json
status r
status r -o json
get all r
get values r
get values r -a -o json
get manifest r
get hooks r
get notes r
get metadata r
history r
upgrade r CHART --set replicas=2,greeting=bye,extra=false --wait --timeout 30s
status r -o yaml
upgrade r CHART --set node.nowhere=yes --wait --timeout 4s
list -a
history r -o yaml
rollback r 1 --wait --timeout 30s
history r
test r --timeout 20s
status r
upgrade r CHART --reuse-values --set replicas=3 --description again
get values r --revision 2
uninstall r --keep-history
list -a
status r
history r --max 2
rollback r 2 --wait --timeout 30s
uninstall r --wait --timeout 30s
list
status r
