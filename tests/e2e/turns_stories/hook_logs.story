by 4 3
install r HOOKS --timeout 20s --set kind=Pod,output=hook-succeeded
install s HOOKS --timeout 5s --set kind=Pod,output=hook-failed,fails=pre-install
install t HOOKS --timeout 20s --set kind=Job,output=hook-succeeded
upgrade t HOOKS --timeout 20s --set-string kind=Pod,output=hook-succeeded\,hook-failed
