package validate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Values that cannot work are refused before anything reaches the cluster, with one line that says
// which value it is and what to do.
func TestRefused(t *testing.T) {
	for name, refused := range map[string]struct{ values, want string }{
		"no model":          {``, `nothing says which models to serve: set region (Amazon Bedrock, such as --set region=us-east-1), simulated=true or config.upstreams`},
		"unknown key":       {`regoin: us-east-1`, `at '': additional properties 'regoin' not allowed`},
		"unknown key below": {"region: us-east-1\nimage: {tga: v1}", `at '/image': additional properties 'tga' not allowed`},
		"wrong type":        {"region: us-east-1\nreplicaCount: two", `at '/replicaCount': got string, want integer`},
		"no region":         {`region: US East`, `at '/region': 'US East' does not match pattern '^[a-z0-9-]*$'`},
		"no keys":           {"region: us-east-1\nauth: {disabled: true}", `auth.disabled: anyone who reaches the Service could use your models; only simulated=true can be served without keys`},
		"keys and none":     {"simulated: true\nauth: {disabled: true, existingSecret: a}", `auth.disabled: there are keys in auth.existingSecret or config.auth; remove one or the other`},
		"no keys, another way": {"region: us-east-1\nconfig: {auth: {keys: []}}",
			`at '/config/auth/keys': minItems: got 0, want 1`},
		"key in the values": {"region: us-east-1\nauth: {key: a, value: b}", `at '/auth': additional properties 'value' not allowed`},
		"key in the configuration": {"region: us-east-1\nconfig: {auth: {keys: [sk-secret]}}",
			`at '/config/auth/keys/0': 'sk-secret' does not match pattern '^(\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}|file:/.+)$'`},
		"key of an upstream": {`config: {upstreams: {a: {kind: openai, base_url: "http://a", api_key: sk-secret}}}`,
			`at '/config/upstreams/a/api_key': 'sk-secret' does not match pattern '^(\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}|file:/.+)$'`},
		"key of Bedrock's in a variable": {"region: us-east-1\nextraEnv: [{name: AWS_BEARER_TOKEN_BEDROCK, value: secret}]",
			`extraEnv: AWS_BEARER_TOKEN_BEDROCK is a secret: take it from a Secret, with valueFrom.secretKeyRef in place of value`},
		"key in a variable": {"region: us-east-1\nextraEnv: [{name: AWS_SECRET_ACCESS_KEY, value: secret}]",
			`extraEnv: AWS_SECRET_ACCESS_KEY is a secret: take it from a Secret, with valueFrom.secretKeyRef in place of value`},
		"no duration":    {"region: us-east-1\nconfig: {timeouts: {drain: ten minutes}}", `config.timeouts.drain: "ten minutes" is not a duration: write it as in 90s, 10m or 1h30m`},
		"number of what": {"region: us-east-1\nconfig: {timeouts: {drain: 600}}", `at '/config/timeouts/drain': got number, want string`},
		"loopback":       {`{region: us-east-1, config: {listen: "127.0.0.1:8484"}}`, `config.listen: "127.0.0.1:8484" cannot be reached from outside of the Pod: write 0.0.0.0 or [::] and a port, or remove it`},
		"loopback of the probes": {`{region: us-east-1, config: {admin_listen: "localhost:8485"}}`,
			`config.admin_listen: "localhost:8485" cannot be reached from outside of the Pod: write 0.0.0.0 or [::] and a port, or remove it`},
		"scaled twice":  {"region: us-east-1\nautoscaling: {enabled: true}\nkeda: {enabled: true}", `autoscaling and keda would both set the number of Pods: enable one of them`},
		"scraped twice": {"region: us-east-1\npodMonitor: {enabled: true}\nserviceMonitor: {enabled: true}", `podMonitor and serviceMonitor would scrape each Pod twice: enable one of them`},
		"no gateway":    {"region: us-east-1\nhttpRoute: {enabled: true}", `httpRoute.parentRefs: name the Gateway, as in [{name: my-gateway}]`},
		"nobody to annotate": {"region: us-east-1\nserviceAccount: {create: false, annotations: {a: b}}",
			`serviceAccount.annotations: there is no ServiceAccount to annotate while serviceAccount.create is false`},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := helm(t, "template", "dragoman", chart, "--values", valuesFile(t, refused.values))
			if got := complaint(stderr); err == nil || !strings.HasSuffix(got, refused.want) {
				t.Errorf("helm template (%v) prints\n%s%s\nwant a line that ends with\n%s", err, stdout, stderr, refused.want)
			}
		})
	}
}

// A chart that was packaged without the files that it ships says so.
func TestMissingFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "dragoman")
	if err := os.CopyFS(folder, os.DirFS(chart)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(folder, "monitoring")); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"prometheusRule.enabled": "prometheusRule: the chart's file monitoring/alerts.yaml is missing, or has no groups",
		"dashboard.enabled":      "dashboard: the chart's file monitoring/dashboard.json is missing",
	} {
		_, stderr, err := helm(t, "template", "dragoman", folder, "--set", "simulated=true,"+value+"=true")
		if err == nil || !strings.HasSuffix(complaint(stderr), want) {
			t.Errorf("%s (%v): %s", value, err, stderr)
		}
	}
}

// Kubernetes before the oldest that is tested is refused.
func TestTooOld(t *testing.T) {
	_, stderr, err := helm(t, "template", "dragoman", chart, "--set", "simulated=true", "--kube-version", "1.28")
	if err == nil || !strings.Contains(stderr, "chart requires kubeVersion: >=1.29.0-0") {
		t.Errorf("helm template (%v): %s", err, stderr)
	}
}
