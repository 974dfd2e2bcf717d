by 4 3
install r CREATED --wait --timeout 30s
status r
status r -o json
get all r
get metadata r -o yaml
upgrade r CREATED --set replicaCount=2 --wait --timeout 30s --labels a=b
list -l a=b
list -l a=c
list -o yaml
test r --timeout 5s --logs
status r
rollback r --wait --timeout 30s
get metadata r
uninstall r
