by 4 3
alone
$- delete crd things.turns.example.com
install r FILES/crdchart --wait --timeout 20s
get manifest r
upgrade r FILES/crdchart --set size=2
uninstall r
install r FILES/crdchart --skip-crds
uninstall r
