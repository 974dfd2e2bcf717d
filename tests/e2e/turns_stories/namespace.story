by 4 3
install r CREATED --create-namespace -n NAMESPACE-new --wait
status r -n NAMESPACE-new -o yaml
install r CREATED -n NAMESPACE-nowhere
uninstall r -n NAMESPACE-new
