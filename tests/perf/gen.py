#!/usr/bin/env python3
"""Makes the charts the comparisons run on. Same arguments, same bytes.

  gen.py umbrella DIR N    a chart of N subcharts, ten templates each, with conditions, globals, tpl
                           and a library of named templates repeated in every subchart
  gen.py manychart DIR N   one chart that renders N Deployments, Services and ConfigMaps
"""
import os
import sys

LIBRARY = """\
{{- define "common.name" -}}{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}{{- end -}}
{{- define "common.labels" -}}
app.kubernetes.io/name: {{ include "common.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | default "1" | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.global.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- define "common.image" -}}
{{- $r := .Values.image.registry | default .Values.global.registry -}}
{{- printf "%s/%s:%s" $r .Values.image.repository (.Values.image.tag | toString) -}}
{{- end -}}
{{- define "common.tplvalues.render" -}}
{{- if typeIs "string" .value }}{{- tpl .value .context }}{{- else }}{{- tpl (.value | toYaml) .context }}{{- end }}
{{- end -}}
"""

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-{{ include "common.name" . }}-%(i)d
  labels: {{- include "common.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ include "common.name" . }}-%(i)d}}
  template:
    metadata:
      labels: {{- include "common.labels" . | nindent 8 }}
        app: {{ include "common.name" . }}-%(i)d
      annotations: {{- include "common.tplvalues.render" (dict "value" .Values.podAnnotations "context" $) | nindent 8 }}
        checksum/values: {{ toYaml .Values | sha256sum }}
    spec:
      containers:
        - name: main
          image: {{ include "common.image" . }}
          env:
          {{- range $k, $v := .Values.env }}
            - name: {{ $k | upper | replace "-" "_" }}
              value: {{ tpl $v $ | quote }}
          {{- end }}
          resources: {{- toYaml .Values.resources | nindent 12 }}
"""

VALUES = """\
replicas: 2
nameOverride: ""
image: {registry: "", repository: team/app, tag: 1.2.3}
podAnnotations: {owner: "{{ .Release.Namespace }}/{{ .Chart.Name }}", note: plain}
env:
%s\
resources: {limits: {cpu: 500m, memory: 256Mi}, requests: {cpu: 50m, memory: 64Mi}}
enabled: true
""" % "".join(f'  key-{i}: "v{i}-{{{{ .Release.Name }}}}"\n' for i in range(20))

MANY = """\
{{- range $i := until (int .Values.count) }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $.Release.Name }}-cm-{{ $i }}}
data: {k: {{ $i | quote }}}
---
apiVersion: v1
kind: Service
metadata: {name: {{ $.Release.Name }}-s-{{ $i }}}
spec: {selector: {app: a{{ $i }}}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ $.Release.Name }}-d-{{ $i }}}
spec:
  replicas: {{ $.Values.replicas }}
  selector: {matchLabels: {app: a{{ $i }}}}
  template:
    metadata: {labels: {app: a{{ $i }}}}
    spec: {containers: [{name: c, image: {{ $.Values.image }}}]}
{{- end }}
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def umbrella(folder, n):
    names = [f"sub{i:03d}" for i in range(n)]
    write(f"{folder}/Chart.yaml", "apiVersion: v2\nname: umbrella\nversion: 0.1.0\ndependencies:\n" + "".join(
        f"  - {{name: {s}, version: 0.1.0, condition: {s}.enabled}}\n" for s in names))
    write(f"{folder}/values.yaml",
          "global: {registry: registry.example.com, labels: {team: a, tier: b}}\n" + "".join(
              f"{s}: {{enabled: true, replicas: {i % 5 + 1}, env: {{extra: 'x{i}'}}}}\n"
              for i, s in enumerate(names)))
    for s in names:
        sub = f"{folder}/charts/{s}"
        write(f"{sub}/Chart.yaml", f"apiVersion: v2\nname: {s}\nversion: 0.1.0\nappVersion: '1.0'\n")
        write(f"{sub}/values.yaml", VALUES)
        write(f"{sub}/templates/_common.tpl", LIBRARY)
        for i in range(10):
            write(f"{sub}/templates/deploy-{i}.yaml", DEPLOYMENT % {"i": i})


def manychart(folder, n):
    write(f"{folder}/Chart.yaml", "apiVersion: v2\nname: many\nversion: 0.1.0\n")
    write(f"{folder}/values.yaml", f"count: {n}\nimage: nginx:1\nreplicas: 1\n")
    write(f"{folder}/templates/all.yaml", MANY)


if __name__ == "__main__":
    makers = {"umbrella": umbrella, "manychart": manychart}
    if len(sys.argv) != 4 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    makers[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
