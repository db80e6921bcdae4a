{{- /* What all Pods share, how many there are, and which changes replace them. */}}

{{- define "dragoman.pod" -}}
automountServiceAccountToken: false
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The number in the Deployment; "" leaves it to the autoscaler. Removing a number would set it to 1, so a
release that had one keeps the current number. */}}
{{- define "dragoman.replicas" -}}
{{- if not (or .Values.autoscaling.enabled .Values.keda.enabled) }}
{{- .Values.replicaCount }}
{{- else }}
{{- with lookup "apps/v1" "Deployment" .Release.Namespace (include "dragoman.fullname" .) }}
{{- if not (dig "metadata" "annotations" "dragoman/replicas" "" .) }}{{ .spec.replicas }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Pods reread the shared ConfigMap, but some keys and all variables need a restart. */}}
{{- define "dragoman.podAnnotations" -}}
{{- if .Values.reload }}
checksum/config: {{ include "dragoman.config" . | sha256sum }}
{{- end }}
{{- if and (include "dragoman.ownsSecret" .) (include "dragoman.usesVariable" .) }}
checksum/secret: {{ include "dragoman.key" . | sha256sum }}
{{- end }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}
