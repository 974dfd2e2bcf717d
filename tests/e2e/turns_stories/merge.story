by 4 3
install r CHART
# removed by hand, then the same chart
$ patch configmap r-cm --type json -p [{"op":"remove","path":"/data/greeting"}]
upgrade r CHART
# added by hand, stays
$ patch configmap r-cm -p {"data":{"mine":"1"}}
$ scale deployment r-dep --replicas 5
upgrade r CHART --set greeting=two
# changed by hand, then by the chart
$ patch deployment r-dep -p {"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":"G","value":"hand"},{"name":"H","value":"hand"}]}]}}}}
upgrade r CHART --set greeting=three
# deleted by hand
$ delete configmap r-extra
$ delete service r-svc
upgrade r CHART --set greeting=three
# removed by the chart
upgrade r CHART --set extra=false,greeting=four
$ delete deployment r-dep
rollback r 1
# a failed revision left something behind
upgrade r CHART --set extra=false,size=wrong,greeting=five
upgrade r CHART --set extra=true,greeting=six
$ annotate service r-svc by=hand
$ label deployment r-dep by=hand
rollback r 1
upgrade r CHART --set greeting=seven --force-conflicts=false
uninstall r
