by 4 3
HELM_DRIVER=configmap install r CHART --set extra=false
HELM_DRIVER=configmap list
list
HELM_DRIVER=configmap upgrade r CHART
HELM_DRIVER=configmap history r
HELM_DRIVER=configmap get all r
HELM_DRIVER=configmaps rollback r 1
HELM_DRIVER=secrets list
HELM_DRIVER=nonsense list
HELM_DRIVER=memory list
HELM_DRIVER=configmap uninstall r
