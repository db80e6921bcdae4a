{{- /* The configuration file: the values of config, over the chart's addresses and key. */}}
{{- define "dragoman.config" -}}
{{- $defaults := dict "listen" "0.0.0.0:8484" "admin_listen" "0.0.0.0:8485" "limits" (dict "max_connection_age" "5m") }}
{{- if not .Values.auth.disabled }}
{{- $_ := set $defaults "auth" (dict "keys" (list (include "dragoman.keyFile" .))) }}
{{- end }}
{{- toYaml (mergeOverwrite $defaults (deepCopy .Values.config)) }}
{{- end }}

{{- /* The ConfigMap. Each configuration has its own, so a rollout changes nothing for running Pods. */}}
{{- define "dragoman.configMapName" -}}
{{- include "dragoman.fullname" . }}
{{- if not .Values.reload }}-{{ include "dragoman.config" . | sha256sum | trunc 10 }}{{ end }}
{{- end }}

{{- /* The scheme for clients: http or https. The admin listener has no TLS. */}}
{{- define "dragoman.scheme" -}}
{{ if .Values.config.tls }}https{{ else }}http{{ end }}
{{- end }}

{{- /* The port of an address to listen on. Arguments: the root, "listen" or "admin_listen". */}}
{{- define "dragoman.port" -}}
{{- $root := index . 0 }}
{{- $key := index . 1 }}
{{- $address := get (fromYaml (include "dragoman.config" $root)) $key }}
{{- if not (regexMatch "^(0\\.0\\.0\\.0|\\[::\\])?:[1-9][0-9]*$" $address) }}
{{- fail (printf "config.%s: nothing outside the Pod can reach %q: write 0.0.0.0 or [::] and a port, or remove it" $key $address) }}
{{- end }}
{{- $port := regexFind "[0-9]+$" $address }}
{{- if gt (int64 $port) 65535 }}
{{- fail (printf "config.%s: %s is not a port: write one from 1 to 65535" $key $port) }}
{{- end }}
{{- $port }}
{{- end }}

{{- /* A timeout of the configuration in whole seconds, rounded up. Arguments: the root, the key of
timeouts, and its default. The syntax follows Go's time.ParseDuration. */}}
{{- define "dragoman.timeout" -}}
{{- $key := index . 1 }}
{{- $duration := toString (dig "timeouts" $key (index . 2) (index . 0).Values.config) }}
{{- $units := dict "h" 3600.0 "m" 60.0 "s" 1.0 "ms" 1e-3 "us" 1e-6 "µs" 1e-6 "ns" 1e-9 }}
{{- if not (regexMatch "^(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(h|ms|m|s|us|µs|ns))+$" $duration) }}
{{- fail (printf "config.timeouts.%s: %q is not a duration: write it as in 90s, 10m or 1h30m" $key $duration) }}
{{- end }}
{{- $seconds := 0.0 }}
{{- range regexFindAll "[0-9.]+[a-zµ]+" $duration -1 }}
{{- $unit := regexFind "[a-zµ]+$" . }}
{{- $seconds = addf $seconds (mulf (float64 (trimSuffix $unit .)) (get $units $unit)) }}
{{- end }}
{{- ceil $seconds | int64 }}
{{- end }}

{{- /* Seconds of preStop: Kubernetes 1.29 refuses its sleep unless a feature gate is set. */}}
{{- define "dragoman.preStop" -}}
{{- if semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version }}{{ .Values.preStopSeconds | int64 }}{{ else }}0{{ end }}
{{- end }}

{{- /* From the end of a Pod to SIGKILL: preStop, the drain, and half a minute to close the rest. */}}
{{- define "dragoman.grace" -}}
{{- add (include "dragoman.preStop" .) (include "dragoman.timeout" (list . "drain" "10m")) 30 }}
{{- end }}

{{- /* Whether `helm test` knows everything that a client needs; "" if not. */}}
{{- define "dragoman.testable" -}}
{{- if and (or (include "dragoman.usesKey" .) .Values.auth.disabled) (not (dig "tls" "client_ca" "" .Values.config)) }}true{{ end }}
{{- end }}

{{- /* The model that `helm test` asks: the first name without a wildcard, else a name for a wildcard whose
upstream accepts any. "": the first model that the server lists. */}}
{{- define "dragoman.testModel" -}}
{{- $exact := "" }}
{{- $matching := "" }}
{{- if or .Values.simulated (not .Values.config.models) }}
{{- $exact = "anthropic.claude-3-haiku-20240307-v1:0" }}
{{- else }}
{{- range reverse .Values.config.models }}
{{- if not (regexMatch "[*$]" .name) }}{{ $exact = .name }}{{ end }}
{{- if or .model (eq (dig "upstreams" .upstream "kind" "" $.Values.config) "simulated") }}
{{- $matching = .name | replace "*" "" | default "any" }}
{{- end }}
{{- end }}
{{- end }}
{{- coalesce .Values.test.model $exact $matching | default "" }}
{{- end }}

{{- /* Whether the Pods call a cloud's models with their own identity; "" if not. */}}
{{- define "dragoman.onCloud" -}}
{{- if not .Values.simulated }}
{{- $kinds := list (not .Values.config.upstreams | ternary "bedrock" "") }}
{{- range .Values.config.upstreams }}{{ $kinds = append $kinds .kind }}{{ end }}
{{- if or (has "bedrock" $kinds) (has "vertex" $kinds) }}true{{ end }}
{{- end }}
{{- end }}
