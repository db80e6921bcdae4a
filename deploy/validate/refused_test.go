package validate

import (
	"strings"
	"testing"
)

// toSecret is the advice for a secret in the values.
const toSecret = `: whoever can read the ConfigMap could read this secret: put it into a Secret, and write "${NAME}" (with extraEnv) or "file:/path" (with extraVolumes)`

// Values that cannot work are rejected before anything reaches the cluster. One line says which value is
// wrong and what to do.
func TestRefused(t *testing.T) {
	for name, refused := range map[string]struct{ values, want string }{
		"no model":          {``, `no models to serve: set region (Amazon Bedrock, such as --set region=us-east-1), simulated=true or config.upstreams`},
		"unknown key":       {`regoin: us-east-1`, `at '': additional properties 'regoin' not allowed`},
		"unknown key below": {"region: us-east-1\nimage: {tga: v1}", `at '/image': additional properties 'tga' not allowed`},
		"wrong type":        {"region: us-east-1\nreplicaCount: two", `at '/replicaCount': got string, want integer`},
		"no region":         {`region: US East`, `at '/region': 'US East' does not match pattern '^[a-z0-9-]*$'`},
		"no keys":           {"region: us-east-1\nauth: {disabled: true}", `auth.disabled: anyone who reaches the Service could use your models; only simulated=true can be served without keys`},
		"keys and none":     {"simulated: true\nauth: {disabled: true, existingSecret: a}", `auth.disabled: auth.existingSecret or config.auth has keys: remove those, or auth.disabled`},
		"no keys, another way": {"region: us-east-1\nconfig: {auth: {keys: []}}",
			`at '/config/auth/keys': minItems: got 0, want 1`},
		"key in the values":                    {"region: us-east-1\nauth: {key: a, value: b}", `at '/auth': additional properties 'value' not allowed`},
		"key in the configuration":             {"region: us-east-1\nconfig: {auth: {keys: [sk-secret-of-clients]}}", `config.auth.keys[0]` + toSecret},
		"key in the configuration with a name": {"region: us-east-1\nconfig: {auth: {keys: [{name: a, key: sk-secret-of-clients}]}}", `config.auth.keys[0]` + toSecret},
		"key of an upstream":                   {`config: {upstreams: {a: {kind: openai, base_url: "http://a", api_key: sk-secret}}}`, `config.upstreams.a.api_key` + toSecret},
		"name of other charts":                 {"region: us-east-1\nreplicas: 2", `replicas: there is no such value: set replicaCount`},
		"image with its tag":                   {"region: us-east-1\nimage: {repository: a/b:dev}", `image.repository: it ends with ":dev": remove this end, and set image.tag or image.digest`},
		"memory without a unit":                {"region: us-east-1\nresources: {limits: {memory: 512}}", `resources.limits.memory: 512 is less than Dragoman needs: write a unit, as in 512Mi`},
		"key of Bedrock's in a variable": {"region: us-east-1\nextraEnv: [{name: AWS_BEARER_TOKEN_BEDROCK, value: secret}]",
			`extraEnv: AWS_BEARER_TOKEN_BEDROCK is a secret: take it from a Secret, with valueFrom.secretKeyRef in place of value`},
		"key in a variable": {"region: us-east-1\nextraEnv: [{name: AWS_SECRET_ACCESS_KEY, value: secret}]",
			`extraEnv: AWS_SECRET_ACCESS_KEY is a secret: take it from a Secret, with valueFrom.secretKeyRef in place of value`},
		"no duration":                      {"region: us-east-1\nconfig: {timeouts: {drain: ten minutes}}", `at '/config/timeouts/drain': 'ten minutes' does not match pattern '^(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$'`},
		"duration that is known later":     {"region: us-east-1\nconfig: {timeouts: {drain: \"${DRAIN}\"}}", `config.timeouts.drain: "${DRAIN}" is not a duration: write it as in 90s, 10m or 1h30m`},
		"unknown key of the configuration": {"region: us-east-1\nconfig: {compatt: strict}", `at '/config': additional properties 'compatt' not allowed`},
		"unknown key within":               {"region: us-east-1\nconfig: {limits: {atempts: 2}}", `at '/config/limits': additional properties 'atempts' not allowed`},
		"wrong value of the configuration": {"region: us-east-1\nconfig: {limits: {attempts: 1000}}", `at '/config/limits/attempts': maximum: got 1,000, want 100`},
		"unknown kind":                     {"config: {upstreams: {a: {kind: azure}}}", `at '/config/upstreams/a/kind': value must be one of 'simulated', 'bedrock', 'vertex', 'anthropic', 'openai'`},
		"fewest above most":                {"region: us-east-1\nautoscaling: {enabled: true, minReplicas: 11}", `autoscaling.minReplicas is above autoscaling.maxReplicas: raise one or lower the other`},
		"fewest above most of KEDA":        {"region: us-east-1\nkeda: {enabled: true, maxReplicas: 1}", `keda.minReplicas is above keda.maxReplicas: raise one or lower the other`},
		"one port for both":                {`{region: us-east-1, config: {listen: "0.0.0.0:8485"}}`, `config.listen and config.admin_listen have the same port: give one of them another`},
		"port beyond":                      {`{region: us-east-1, config: {listen: "0.0.0.0:65536"}}`, `config.listen: 65536 is not a port: write one from 1 to 65535`},
		"port of the Service beyond":       {"region: us-east-1\nservice: {port: 65536}", `at '/service/port': maximum: got 65,536, want 65,535`},
		"no name":                          {"region: us-east-1\nfullnameOverride: My_Proxy", `at '/fullnameOverride': 'My_Proxy' does not match pattern '^([a-z]([-a-z0-9]*[a-z0-9])?)?$'`},
		"name too long":                    {"region: us-east-1\nfullnameOverride: " + strings.Repeat("a", 54), `at '/fullnameOverride': maxLength: got 54, want 53`},
		"unknown resource":                 {"region: us-east-1\nresources: {limits: {mem: 1Gi}}", `at '/resources/limits': additional properties 'mem' not allowed`},
		"no Secret": {"region: us-east-1\nconfig: {auth: {keys: [\"file:/run/secrets/dragoman/alice\"]}}",
			`auth.existingSecret: config names files in /run/secrets/dragoman, and no Secret: name the Secret, or use "file:/run/secrets/dragoman/key"`},
		"Secret that is not used": {"region: us-east-1\nauth: {existingSecret: a}\nconfig: {auth: {keys: [\"file:/etc/keys/a\", \"file:/run/secrets/dragoman/key2\"]}}",
			`auth.existingSecret: config.auth.keys does not use it: write "file:/run/secrets/dragoman/key" into config.auth.keys, or remove auth.existingSecret`},
		"number of what": {"region: us-east-1\nconfig: {timeouts: {drain: 600}}", `at '/config/timeouts/drain': got number, want string`},
		"loopback":       {`{region: us-east-1, config: {listen: "127.0.0.1:8484"}}`, `config.listen: nothing outside the Pod can reach "127.0.0.1:8484": write 0.0.0.0 or [::] and a port, or remove it`},
		"loopback of the probes": {`{region: us-east-1, config: {admin_listen: "localhost:8485"}}`,
			`config.admin_listen: nothing outside the Pod can reach "localhost:8485": write 0.0.0.0 or [::] and a port, or remove it`},
		"scaled twice":  {"region: us-east-1\nautoscaling: {enabled: true}\nkeda: {enabled: true}", `autoscaling and keda would both set the number of Pods: enable one of them`},
		"scraped twice": {"region: us-east-1\npodMonitor: {enabled: true}\nserviceMonitor: {enabled: true}", `podMonitor and serviceMonitor would scrape each Pod twice: enable one of them`},
		"no gateway":    {"region: us-east-1\nhttpRoute: {enabled: true}", `httpRoute.parentRefs: name the Gateway, as in [{name: my-gateway}]`},
		"nobody to annotate": {"region: us-east-1\nserviceAccount: {create: false, annotations: {a: b}}",
			`serviceAccount.annotations: there is no ServiceAccount to annotate while serviceAccount.create is false`},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := helm(t, "template", "dragoman", chart, "--values", valuesFile(t, refused.values))
			if err == nil || !complains(stderr, refused.want) || strings.Contains(stderr, "sk-secret") {
				t.Errorf("helm template (%v) prints\n%s%s\nwant a line that ends with\n%s", err, stdout, stderr, refused.want)
			}
		})
	}
}

// Kubernetes versions before the oldest tested one are rejected.
func TestTooOld(t *testing.T) {
	_, stderr, err := helm(t, "template", "dragoman", chart, "--set", "simulated=true", "--kube-version", "1.28")
	if err == nil || !strings.Contains(stderr, "chart requires kubeVersion: >=1.29.0-0") {
		t.Errorf("helm template (%v): %s", err, stderr)
	}
}
