by 4 3
install r HOOKS --timeout 20s --set kind=Pod,policy=hook-succeeded
upgrade r HOOKS --timeout 5s --set kind=Pod,fails=pre-upgrade,policy=hook-failed
test r --timeout 20s
test r --timeout 20s --logs
uninstall r --timeout 20s
install r HOOKS --timeout 5s --set kind=Pod,fails=pre-install
uninstall r --timeout 20s
