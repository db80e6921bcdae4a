{{- /* Values that the schema cannot refuse, because they only go wrong together: one line for each. */}}
{{- define "dragoman.checks" -}}
{{- with .Values }}
{{- if not (or .simulated .region .config.upstreams) }}
{{- fail "nothing says which models to serve: set region (Amazon Bedrock, such as --set region=us-east-1), simulated=true or config.upstreams" }}
{{- end }}
{{- if and .auth.disabled (not .simulated) }}
{{- fail "auth.disabled: anyone who reaches the Service could use your models; only simulated=true can be served without keys" }}
{{- end }}
{{- if and .auth.disabled (or .auth.existingSecret .config.auth) }}
{{- fail "auth.disabled: there are keys in auth.existingSecret or config.auth; remove one or the other" }}
{{- end }}
{{- if and .autoscaling.enabled .keda.enabled }}
{{- fail "autoscaling and keda would both set the number of Pods: enable one of them" }}
{{- end }}
{{- if and .podMonitor.enabled .serviceMonitor.enabled }}
{{- fail "podMonitor and serviceMonitor would scrape each Pod twice: enable one of them" }}
{{- end }}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}
{{- fail "httpRoute.parentRefs: name the Gateway, as in [{name: my-gateway}]" }}
{{- end }}
{{- if and (not .serviceAccount.create) (not .serviceAccount.name) .serviceAccount.annotations }}
{{- fail "serviceAccount.annotations: there is no ServiceAccount to annotate while serviceAccount.create is false" }}
{{- end }}
{{- range .extraEnv }}
{{- if and .value (regexMatch "(?i)(_KEY|_ACCESS_KEY_ID|SECRET|TOKEN|PASSWORD|_TOKEN_BEDROCK)$" .name) }}
{{- fail (printf "extraEnv: %s is a secret: take it from a Secret, with valueFrom.secretKeyRef in place of value" .name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
