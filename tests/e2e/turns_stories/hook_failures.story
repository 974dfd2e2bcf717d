by 4 3
install r HOOKS --timeout 5s --set fails=pre-install,policy=hook-failed
list -a
uninstall r
install r HOOKS --timeout 5s --set fails=post-install,policy=hook-succeeded
upgrade r HOOKS --timeout 5s --set fails=pre-upgrade,policy=hook-failed
upgrade r HOOKS --timeout 5s --set fails=post-upgrade --set-string "policy=before-hook-creation\,hook-succeeded\,hook-failed"
history r
upgrade r HOOKS --timeout 5s --set fails=pre-rollback
rollback r 5 --timeout 5s
upgrade r HOOKS --timeout 5s --set fails=post-rollback
upgrade r HOOKS --timeout 5s --set fails=test
test r --timeout 5s
status r
upgrade r HOOKS --timeout 5s --set fails=pre-delete
uninstall r --timeout 5s
status r
upgrade r HOOKS --timeout 5s --set fails=post-delete
uninstall r --timeout 5s
list -a
uninstall r --no-hooks
