{{- /* The container that serves. */}}
{{- define "dragoman.container" -}}
{{ include "dragoman.program" (list . "serve") }}
ports:
  - name: http
    containerPort: {{ include "dragoman.port" (list . "listen") }}
  - name: admin
    containerPort: {{ include "dragoman.port" (list . "admin_listen") }}
startupProbe:
  httpGet:
    path: /healthz
    port: admin
  {{- with .Values.startupProbe }}{{ toYaml . | nindent 2 }}{{ end }}
readinessProbe:
  httpGet:
    path: /readyz
    port: admin
  {{- with .Values.readinessProbe }}{{ toYaml . | nindent 2 }}{{ end }}
livenessProbe:
  httpGet:
    path: /healthz
    port: admin
  {{- with .Values.livenessProbe }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with include "dragoman.preStop" . | int64 }}
lifecycle:
  preStop:
    sleep:
      seconds: {{ . }} # until no Service sends new connections here
{{- end }}
{{- with .Values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* A container that runs a dragoman command with the configuration. Secrets are references only.
Arguments: the root, and the command. */}}
{{- define "dragoman.program" -}}
{{- $command := index . 1 }}
{{- with index . 0 -}}
image: {{ include "dragoman.image" . | quote }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
args:
  {{- $args := list $command "--config" "/etc/dragoman/dragoman.yaml" }}
  {{- if .Values.simulated }}{{ $args = append $args "--simulated" }}{{ end }}
  {{- if .Values.auth.disabled }}{{ $args = append $args "--insecure" }}{{ end }}
  {{- toYaml $args | nindent 2 }}
{{- with include "dragoman.environment" . | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  - name: config
    mountPath: /etc/dragoman
    readOnly: true
  {{- if include "dragoman.mountsSecret" . }}
  - name: keys
    mountPath: {{ include "dragoman.keyFolder" . }}
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* The volumes of a Pod that runs it. Arguments: the root, and the name of the ConfigMap. */}}
{{- define "dragoman.volumes" -}}
{{- $configMap := index . 1 }}
{{- with index . 0 -}}
- name: config
  configMap:
    name: {{ $configMap }}
{{- if include "dragoman.mountsSecret" . }}
- name: keys
  secret:
    secretName: {{ include "dragoman.secretName" . | quote }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "dragoman.environment" -}}
{{- if include "dragoman.usesVariable" . }}
- name: DRAGOMAN_KEY
  {{- include "dragoman.keyReference" . | nindent 2 }}
{{- end }}
{{- with .Values.region }}
- name: AWS_REGION
  value: {{ . | quote }}
{{- end }}
{{- with .Values.config.listen }}
- name: DRAGOMAN_LISTEN # else the image's own value would override the configuration
  value: {{ . | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
