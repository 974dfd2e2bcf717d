by 4 3
install r CHART --set a.b=1 --set greeting=one --description first --labels team=a,env=b -o json
get values r
get values r -o yaml
get metadata r
upgrade r CHART -o yaml
get values r
upgrade r CHART --set replicas=2 --reuse-values
get values r
upgrade r CHART --set image=nginx:2 --reset-values
get values r
upgrade r CHART --set replicas=3 --reset-then-reuse-values --description "some words" --labels team=null,x=y
get values r --all
get metadata r -o json
upgrade r CHART --set greeting=null
get values r
upgrade r CHART --reuse-values --set-json {"x":[1,2.5,null,{"y":true}],"big":12345678901234567890}
get values r -o json
upgrade r CHART --history-max 3
history r
history r -o json
rollback r --history-max 2
history r
upgrade r CHART --install --hide-notes
upgrade r CHART --install --render-subchart-notes --disable-openapi-validation --skip-schema-validation
upgrade fresh CHART --install --set extra=false -o json
upgrade fresh CHART --install --labels owner=me
list
list --short
list --date --reverse
list -o json --filter ^r
list --time-format 2006
list --deployed --superseded
list --max 1 --offset 1
uninstall r fresh --description gone --keep-history
list -a -o yaml
list --uninstalled
history r
upgrade r CHART
upgrade r CHART --install
install r CHART --replace
uninstall fresh
install fresh CHART --replace --keep-history
install fresh CHART --generate-name
uninstall r --cascade foreground --wait --timeout 20s
