by 4 3
install CHART
install CHART --generate-name --name-template "x-{{ 1 | add 2 }}"
install --name-template "x-{{ 1 | add 2 }}" CHART
list --short
status x-3
uninstall x-3
