by 4 3
$ create configmap r-cm --from-literal greeting=mine
$ create service clusterip r-svc --tcp 80
install r CHART
history r
install r CHART --take-ownership
uninstall r
$- delete configmap r-cm
$ create configmap r-cm --from-literal greeting=mine
install r CHART --take-ownership --set greeting=taken
$ create configmap r-extra2 --from-literal a=b
upgrade r CHART --set extra2=true
upgrade r CHART --set extra2=true --take-ownership
install s CHART --set name=r
# somebody takes a part away
$ annotate configmap r-cm meta.helm.sh/release-name=other --overwrite
$ label configmap r-extra app.kubernetes.io/managed-by-
uninstall r --dry-run
uninstall r
