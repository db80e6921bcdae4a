{{- /* Checks that the schema cannot make, because they compare values with each other or with the cluster. */}}
{{- define "dragoman.checks" -}}
{{- $there := include "dragoman.secretThere" . | fromJson }}
{{- $annotations := dig "metadata" "annotations" dict $there | default dict }}
{{- if and (include "dragoman.ownsSecret" .) (hasKey $annotations "meta.helm.sh/release-name") (ne (get $annotations "helm.sh/resource-policy") "keep") }}
{{- fail (printf "the Secret %s is from an earlier chart, and this upgrade would delete it with its key: run `kubectl -n %s annotate secret %s helm.sh/resource-policy=keep`, then upgrade again" (include "dragoman.secretName" .) .Release.Namespace (include "dragoman.secretName" .)) }}
{{- end }}
{{- if and (include "dragoman.ownsSecret" .) $there (not (hasKey ($there.data | default dict) .Values.auth.key)) }}
{{- fail (printf "auth.key: the Secret %s in the cluster has no %q: add it to the Secret, or name another key" (include "dragoman.secretName" .) .Values.auth.key) }}
{{- end }}
{{- if and .Values.auth.existingSecret (not .Values.auth.disabled) (not (include "dragoman.usesKey" .)) }}
{{- fail (printf "auth.existingSecret: config.auth.keys does not use it: write %q into config.auth.keys, or remove auth.existingSecret" (include "dragoman.keyFile" .)) }}
{{- end }}
{{- if and (include "dragoman.mountsSecret" .) (not .Values.auth.existingSecret) (not (include "dragoman.usesKey" .)) }}
{{- fail (printf "auth.existingSecret: config names files in %s, and no Secret: name the Secret, or use %q" (include "dragoman.keyFolder" .) (include "dragoman.keyFile" .)) }}
{{- end }}
{{- if eq (include "dragoman.port" (list . "listen")) (include "dragoman.port" (list . "admin_listen")) }}
{{- fail "config.listen and config.admin_listen have the same port: give one of them another" }}
{{- end }}
{{- with .Values }}
{{- range $name := list "autoscaling" "keda" }}
{{- $scaler := index $.Values $name }}
{{- if gt (int $scaler.minReplicas) (int $scaler.maxReplicas) }}
{{- fail (printf "%s.minReplicas is above %s.maxReplicas: raise one or lower the other" $name $name) }}
{{- end }}
{{- end }}
{{- if not (or .simulated .region .config.upstreams) }}
{{- fail "no models to serve: set region (Amazon Bedrock, such as --set region=us-east-1), simulated=true or config.upstreams" }}
{{- end }}
{{- if and .auth.disabled (not .simulated) }}
{{- fail "auth.disabled: anyone who reaches the Service could use your models; only simulated=true can be served without keys" }}
{{- end }}
{{- if and .auth.disabled (or .auth.existingSecret .config.auth) }}
{{- fail "auth.disabled: auth.existingSecret or config.auth has keys: remove those, or auth.disabled" }}
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
{{- if hasKey . "replicas" }}
{{- fail "replicas: there is no such value: set replicaCount" }}
{{- end }}
{{- with .image.repository | regexFind "[:@][^/]*$" }}
{{- fail (printf "image.repository: it ends with %q: remove this end, and set image.tag or image.digest" .) }}
{{- end }}
{{- range $kind, $amounts := .resources }}
{{- if kindIs "map" $amounts }}
{{- with toString $amounts.memory | regexFind "^([0-9]{1,7}|[0-9.]+m)$" }}
{{- fail (printf "resources.%s.memory: %s is less than Dragoman needs: write a unit, as in %sMi" $kind . (trimSuffix "m" .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $i, $key := dig "auth" "keys" list .config }}
{{- if kindIs "map" $key }}{{ $key = get $key "key" }}{{ end }}
{{- include "dragoman.noSecret" (list (printf "config.auth.keys[%d]" $i) $key) }}
{{- end }}
{{- range $name, $upstream := .config.upstreams }}
{{- include "dragoman.noSecret" (list (printf "config.upstreams.%s.api_key" $name) $upstream.api_key) }}
{{- end }}
{{- range .extraEnv }}
{{- if and .value (regexMatch "(?i)(_KEY|_ACCESS_KEY_ID|SECRET|TOKEN|PASSWORD|_TOKEN_BEDROCK)$" .name) }}
{{- fail (printf "extraEnv: %s is a secret: take it from a Secret, with valueFrom.secretKeyRef in place of value" .name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Fails for a secret in the values. Arguments: the name of the value, and the value; "" for none. */}}
{{- define "dragoman.noSecret" -}}
{{- if not (regexMatch "^(\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}|file:/.+)?$" (index . 1 | default "")) }}
{{- fail (printf "%s: whoever can read the ConfigMap could read this secret: put it into a Secret, and write \"${NAME}\" (with extraEnv) or \"file:/path\" (with extraVolumes)" (index . 0)) }}
{{- end }}
{{- end }}
