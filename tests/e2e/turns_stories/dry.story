by 4 3
install r CHART --dry-run=server --set look=true
template r CHART --dry-run=server --set look=true
template r CHART --validate
install r CHART --dry-run=client
install r CHART --dry-run
install r CHART --dry-run=client --hide-secret
template r CHART --set look=false
install r CHART
install r CHART --dry-run=server
upgrade r CHART --dry-run=server --set look=true
upgrade r CHART --dry-run=client --set replicas=4
upgrade r CHART --dry-run=server --hide-secret
upgrade r CHART --dry-run=server -o json
upgrade new CHART --install --dry-run=server
rollback r --dry-run=server
rollback r 1 --dry-run=client
uninstall r --dry-run
template r CHART --dry-run=server
history r
uninstall r
