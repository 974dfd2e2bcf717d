by 4 3
install r HOOKS --timeout 20s
get hooks r
upgrade r HOOKS --timeout 20s --set policy=hook-succeeded
rollback r 1 --timeout 20s
test r --timeout 20s
test r --timeout 20s --filter name=none
status r
upgrade r HOOKS --no-hooks
uninstall r --timeout 20s
history r
install r HOOKS --set kind=ConfigMap --timeout 20s
upgrade r HOOKS --set kind=ConfigMap,policy=null --timeout 20s
uninstall r --no-hooks
uninstall r
