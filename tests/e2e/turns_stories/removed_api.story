by 4 3
alone
$ apply -f FILES/gadgets.yaml
$ wait --for=condition=Established crd/gadgets.turns.example.com
install r CHART --set gadget=true
$- delete crd gadgets.turns.example.com
upgrade r CHART
upgrade r CHART --set gadget=false
history r
status r
rollback r 1
get manifest r
uninstall r
list -a
