{{- /* The container. Secrets come to it by reference alone. */}}
{{- define "dragoman.container" -}}
image: {{ include "dragoman.image" . }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
args:
  {{- $args := list "serve" "--config" "/etc/dragoman/dragoman.yaml" }}
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
{{- with .Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  - name: config
    mountPath: /etc/dragoman
    readOnly: true
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "dragoman.environment" -}}
{{- if include "dragoman.usesKey" . }}
- name: DRAGOMAN_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "dragoman.secretName" . }}
      key: {{ .Values.auth.key }}
{{- end }}
{{- with .Values.region }}
- name: AWS_REGION
  value: {{ . }}
{{- end }}
{{- with .Values.config.listen }}
- name: DRAGOMAN_LISTEN # the image's own would win over the configuration
  value: {{ . | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
