package validate

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// cases are values that must work. There is one case for each use of the chart, and together they set every
// value.
var cases = map[string]string{
	"region alone": `
region: us-east-1
`,
	"simulated": `
simulated: true
`,
	"simulated without keys": `
simulated: true
auth: {disabled: true}
`,
	"configuration": `
auth: {existingSecret: clients, key: client.key}
extraEnvFrom: [{secretRef: {name: relay}}]
config:
  auth: {keys: ["file:/run/secrets/dragoman/client.key", {name: next, key: "file:/run/secrets/dragoman/next"}, "${RELAY_KEY}"]}
  compat: strict
  upstreams:
    east: {kind: bedrock, region: us-east-1}
    gcp: {kind: vertex, project: my-project, location: us-east5}
    relay: {kind: anthropic, base_url: "https://relay.example.com", api_key: "${RELAY_KEY:-none}"}
  models:
    - {name: "claude-3*", upstream: relay}
    - {name: claude-2.1, upstream: east, model: "anthropic.claude-v2:1", prefill: true}
    - {name: "*", upstream: gcp}
  limits: {body_bytes: 33554432, max_connections: 1000000}
  timeouts: {first_byte: 1m30s, drain: 90s, total: 1h}
`,
	"region of an upstream without one": `
region: eu-central-1
config: {upstreams: {here: {kind: bedrock}}, models: [{name: "*", upstream: here}]}
`,
	"shared ConfigMap": `
region: us-east-1
reload: true
`,
	"keys from files": `
simulated: true
config: {auth: {keys: ["file:/etc/hosts"]}}
`,
	"only IPv6": `
region: us-east-1
config: {listen: "[::]:9000", admin_listen: ":9001"}
ingress: {enabled: true, controller: alb}
podMonitor: {enabled: true}
`,
	"role of IAM, names": `
region: us-east-1
nameOverride: proxy
fullnameOverride: bedrock-proxy-for-all
serviceAccount: {name: bedrock, annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::111122223333:role/dragoman"}}
`,
	"account of theirs": `
region: us-east-1
serviceAccount: {create: false, name: theirs}
strategy: {type: Recreate}
`,
	"strings that look like numbers": `
region: "0123"
auth: {existingSecret: "0123", key: "123"}
serviceAccount: {create: false, name: "0123"}
nameOverride: "true"
priorityClassName: "0123"
image: {repository: "1e3"}
ingress: {enabled: true, className: "0123"}
config: {models: [{name: "1e3", upstream: a}], upstreams: {a: {kind: bedrock}}}
test: {image: "0123", model: "0123"}
`,
	"nginx": `
region: us-east-1
ingress:
  enabled: true
  controller: nginx
  className: nginx
  annotations: {nginx.ingress.kubernetes.io/proxy-body-size: 32m}
  hosts: [dragoman.example.com, claude.example.com]
  tls: [{secretName: dragoman-tls, hosts: [dragoman.example.com]}]
`,
	"gateway": `
region: us-east-1
service: {port: 8080, appProtocol: kubernetes.io/h2c}
httpRoute:
  enabled: true
  annotations: {a: b}
  parentRefs: [{name: shared, namespace: gateways}]
  hostnames: [dragoman.example.com]
  timeouts: {request: 1h, backendRequest: 30m}
`,
	"scaled by CPU": `
region: us-east-1
autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 30, targetCPUUtilizationPercentage: 60, behavior: {}}
`,
	"scaled by open streams": `
region: us-east-1
autoscaling: {enabled: true, metric: open_streams, targetOpenStreams: 50}
`,
	"scaled by KEDA": `
region: us-east-1
keda: {enabled: true, minReplicas: 3, maxReplicas: 30, prometheusAddress: "http://prometheus:9090", threshold: 50}
`,
	"scaled by KEDA, query": `
region: us-east-1
keda: {enabled: true, query: 'sum(dragoman_open_streams{job="dragoman"})'}
`,
	"network policy": `
region: us-east-1
networkPolicy:
  enabled: true
  from: [{podSelector: {matchLabels: {app: mine}}}]
  monitoringFrom: []
  extraEgress: [{to: [{ipBlock: {cidr: 169.254.170.23/32}}], ports: [{port: 80}]}]
`,
	"monitored": `
region: us-east-1
networkPolicy: {enabled: true}
serviceMonitor: {enabled: true, interval: 15s, labels: {release: prometheus}, relabelings: [{targetLabel: a, replacement: b}]}
prometheusRule: {enabled: true, labels: {release: prometheus}}
dashboard: {enabled: true, labels: {grafana_dashboard: "true"}, annotations: {grafana_folder: Dragoman}}
`,
	"monitored by Pod": `
region: us-east-1
podMonitor: {enabled: true, interval: 15s, labels: {release: prometheus}, relabelings: [{targetLabel: a, replacement: b}]}
`,
	"on OpenShift": `
region: us-east-1
podSecurityContext: {runAsUser: null, runAsGroup: null}
`,
	"scheduling": `
region: us-east-1
replicaCount: 5
strategy: {rollingUpdate: {maxSurge: 100%}}
resources: {limits: {cpu: "2"}}
nodeSelector: {kubernetes.io/arch: arm64}
tolerations: [{key: spot, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}
priorityClassName: high
topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
podDisruptionBudget: {maxUnavailable: 25%}
preStopSeconds: 15
startupProbe: {failureThreshold: 60}
livenessProbe: {timeoutSeconds: 5}
readinessProbe: {successThreshold: 1}
`,
	"additions": `
region: us-east-1
image: {repository: registry.example.com/dragoman, digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", pullPolicy: Always}
imagePullSecrets: [{name: registry}]
podAnnotations: {a: b}
podLabels: {team: models}
service: {type: LoadBalancer, annotations: {service.beta.kubernetes.io/aws-load-balancer-scheme: internal}}
securityContext: {privileged: false}
extraEnv: [{name: HTTPS_PROXY, value: "http://proxy:3128"}, {name: RELAY_KEY, valueFrom: {secretKeyRef: {name: relay, key: key}}}]
extraVolumes: [{name: ca, configMap: {name: dragoman-more}}]
extraVolumeMounts: [{name: ca, mountPath: /etc/ssl/company, readOnly: true}]
podDisruptionBudget: {enabled: false}
preStopSeconds: 0
test: {image: registry.example.com/curl, model: claude-2.1}
extraObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: "{{ .Release.Name }}-more"}, data: {a: b}}]
`,
}

// For each case and each version of Kubernetes, the API server accepts all rendered objects, the objects
// follow the rules, and dragoman accepts the configuration.
func TestChart(t *testing.T) {
	var all strings.Builder
	for name, values := range cases {
		t.Run(name, func(t *testing.T) {
			if stdout, stderr, err := helm(t, "lint", "--strict", chart, "--values", valuesFile(t, values)); err != nil {
				t.Errorf("helm lint: %v\n%s%s", err, stdout, stderr)
			}
			for i, version := range versions {
				text := render(t, "dragoman", values, version)
				objects, err := documents([]byte(text))
				if err != nil {
					t.Fatalf("Kubernetes %s: %v", version, err)
				}
				checkAll(t, objects)
				if i == 0 {
					all.WriteString(text)
					checkConfiguration(t, objects)
				}
			}
		})
	}
	checkOldest(t, all.String())
}

// checkOldest decodes Kubernetes' own objects with the types of the oldest release. Objects of other projects
// do not depend on the release.
func checkOldest(t *testing.T, text string) {
	t.Helper()
	var documents []string
	for document := range strings.SplitSeq(text, "\n---\n") {
		if !strings.Contains(document, "\napiVersion: monitoring.coreos.com/") &&
			!strings.Contains(document, "\napiVersion: keda.sh/") && !strings.Contains(document, "\napiVersion: gateway.networking.k8s.io/") {
			documents = append(documents, document)
		}
	}
	cmd := exec.Command(binary(t, buildOldest))
	cmd.Stdin = strings.NewReader(strings.Join(documents, "\n---\n"))
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("Kubernetes %s rejects it: %s", versions[0], output)
	}
}

// Release names that are long or contain the chart's name lead to names that Kubernetes accepts.
func TestNames(t *testing.T) {
	long := strings.Repeat("a-long-name-", 5)[:53]
	for release, want := range map[string]string{"dragoman": "dragoman", "my-dragoman": "my-dragoman", "prod": "prod-dragoman", long: long} {
		objects := rendered(t, release, "region: us-east-1\nserviceMonitor: {enabled: true}\n", versions[0])
		checkAll(t, objects)
		var names []string
		for _, object := range objects {
			named, is := object.(interface{ GetName() string })
			if _, mayBeLonger := object.(*corev1.ConfigMap); is && !mayBeLonger {
				names = append(names, named.GetName())
			}
		}
		if !slices.Contains(names, strings.TrimSuffix(want, "-")) || slices.ContainsFunc(names, func(name string) bool { return len(name) > 63 }) {
			t.Errorf("release %s: names are %q", release, names)
		}
	}
}
