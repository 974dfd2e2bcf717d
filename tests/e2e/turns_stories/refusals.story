by 4 3
status none
get all none
get values none
get metadata none
history none
uninstall none
rollback none
rollback none 1
upgrade none CHART
test none
list --selector bad===
install r CHART
install r CHART
rollback r 7
get manifest r --revision 9
status r --revision 9
install other CHART --set bad=1 --name-template r
uninstall none --ignore-not-found
install Bad_Name CHART
install r2 CHART/nowhere
install a-name-that-is-far-too-long-for-a-release-of-helm-as-it-has-more-than-53-letters CHART
upgrade r CHART --set replicas=many
upgrade r CHART --version 99
history r
uninstall r
install bad CHART --set replicas=many
status bad
uninstall bad
