{{- /* The Secret with the clients' key, and how the configuration refers to it. */}}

{{- define "dragoman.secretName" -}}
{{- default (include "dragoman.fullname" .) .Values.auth.existingSecret }}
{{- end }}

{{- /* Where the Secret is mounted. */}}
{{- define "dragoman.keyFolder" -}}/run/secrets/dragoman{{- end }}

{{- define "dragoman.keyFile" -}}
file:{{ include "dragoman.keyFolder" . }}/{{ .Values.auth.key }}
{{- end }}

{{- /* Whether the configuration names a file of the Secret; "" if not. */}}
{{- define "dragoman.mountsSecret" -}}
{{- if contains (printf "file:%s/" (include "dragoman.keyFolder" .)) (include "dragoman.config" .) }}true{{ end }}
{{- end }}

{{- /* Whether the configuration takes the key from the environment; "" if not. */}}
{{- define "dragoman.usesVariable" -}}
{{- if regexMatch "\\$\\{DRAGOMAN_KEY(:-[^}]*)?\\}" (include "dragoman.config" .) }}true{{ end }}
{{- end }}

{{- /* Whether the configuration uses the key, as a file or from the environment; "" if not. */}}
{{- define "dragoman.usesKey" -}}
{{- $file := printf "%s([^-._a-zA-Z0-9]|$)" (include "dragoman.keyFile" . | regexQuoteMeta) }}
{{- if or (include "dragoman.usesVariable" .) (regexMatch $file (include "dragoman.config" .)) }}true{{ end }}
{{- end }}

{{- /* Whether the chart makes the Secret; "" if not. */}}
{{- define "dragoman.ownsSecret" -}}
{{- if and (include "dragoman.usesKey" .) (not .Values.auth.existingSecret) }}true{{ end }}
{{- end }}

{{- /* The Secret in the cluster as JSON, {} if there is none. */}}
{{- define "dragoman.secretThere" -}}
{{- lookup "v1" "Secret" .Release.Namespace (include "dragoman.secretName" .) | default dict | toJson }}
{{- end }}

{{- /* The key in the chart's own Secret, in base64: the one in the cluster, else a random one, which is
the same wherever this is included. */}}
{{- define "dragoman.key" -}}
{{- if not (hasKey .Values.auth "random") }}
{{- $_ := set .Values.auth "random" (randAlphaNum 48 | b64enc) }}
{{- end }}
{{- dig "data" .Values.auth.key .Values.auth.random (include "dragoman.secretThere" . | fromJson) }}
{{- end }}

{{- /* The key as a variable of a container. */}}
{{- define "dragoman.keyReference" -}}
valueFrom:
  secretKeyRef:
    name: {{ include "dragoman.secretName" . | quote }}
    key: {{ .Values.auth.key | quote }}
{{- end }}
