package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"dragoman/proxy"
)

// printed returns the printed configuration. It fails if the text, with a secret in place of each mark, cannot be
// loaded or is a different configuration. env is the environment of both.
func printed(t *testing.T, cfg *Config, env ...string) string {
	t.Helper()
	text, err := cfg.Print()
	if err != nil {
		t.Fatal(err)
	}
	load := func(text string) (*Config, error) {
		return Load(Source{File: write(t, "printed.yaml", text), Insecure: true, Getenv: environ(t, env...)})
	}
	unmasked := strings.ReplaceAll(string(text), mask, "a-secret-for-")
	again, err := load(unmasked)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := load(string(text)); (err == nil) != (unmasked == string(text)) {
		t.Errorf("loaded with the marks of secrets: %v\n%s", err, text)
	}
	if got := again.Hash(); got != cfg.Hash() {
		second, _ := again.Print()
		t.Errorf("the hash %s became %s:\n%s", cfg.Hash(), got, cmp.Diff(string(text), string(second)))
	}
	if err := validate(compiled(t), text); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	same := cmp.Options{
		cmpopts.IgnoreUnexported(Config{}),
		cmpopts.IgnoreFields(Config{}, "File", "Files", "Keys", "Auth", "Routes", "SecretVariables", "Warnings"),
		cmpopts.IgnoreFields(Upstream{}, "Roots", "APIKey"),
		cmp.Transformer("explicit", func(m proxy.UpstreamModel) string {
			return fmt.Sprintf("%s %s %s %s", m.UpstreamKey(), m.Model, m.Format, m.Template)
		}),
	}
	if diff := cmp.Diff(cfg, again, same); diff != "" {
		t.Errorf("loaded (-before +after):\n%s", diff)
	}
	return string(text)
}

// Every value has its origin, and no secret is printed. The output can be loaded.
func TestPrint(t *testing.T) {
	secret := write(t, "secret", "a-key-from-a-file\n")
	path := write(t, "dragoman.yaml", `listen: 0.0.0.0:8484
auth:
  keys:
    - "${CLIENT}"
    - file:`+secret+`
    - {name: ci, key: a-literal-s3cret-of-a-client, requests_per_minute: 60}
    - {name: half, key: "s3cret-and-${CLIENT}"}
    - {name: other, key: "${NONE:-a-default-s3cret-of-a-client}"}
    - {name: hashed, sha256: `+strings.Repeat("ab", 32)+`}
upstreams:
  east:  {kind: bedrock}
  relay: {kind: anthropic, base_url: "${RELAY:-http://127.0.0.1:9001}", api_key: "x-${CLIENT}-s3cret"}
  local: {kind: openai, base_url: "http://user:s3cret@127.0.0.1:11434/v1", api_key: "${CLIENT}"}
  gcp:   {kind: vertex, location: global}
  sim:   {kind: simulated}
models:
  - {name: claude, upstream: east, format: json, language: auto, fallbacks: [{upstream: sim}, {upstream: local, model: "123"}]}
  - name: told
    upstream: relay
    template: "file:`+write(t, "template", "${not} a variable\n<invoke> </function_calls> {{tools}}\n")+`"
    prefill: false
  - {name: "*", upstream: relay, tools: native, rescue: false}
hosts: [a.example, "*.b.example"]
cors: {origins: ["https://app.example.com"]}
compat: strict
timeouts: {idle: 90s, drain: 1h}
`)
	env := []string{"CLIENT=the-s3cret-of-a-client", "AWS_REGION=eu-west-3", "GOOGLE_CLOUD_PROJECT=p-1"}
	cfg, err := Load(Source{File: path, Getenv: environ(t, env...), AdminListen: Override{"127.0.0.1:9", "DRAGOMAN_ADMIN_LISTEN"}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConcurrent = 77
	cfg.Derive("limits.max_concurrent", "the descriptors of the process")
	text, err := cfg.Print()
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	for _, want := range []string{
		"listen: 0.0.0.0:8484 # " + path + ":1\n",
		"admin_listen: 127.0.0.1:9 # DRAGOMAN_ADMIN_LISTEN\n",
		"  - key: ${CLIENT} # " + path + ":4, ${CLIENT}\n",
		"  - key: file:" + secret + " # " + path + ":5, file:" + secret + "\n",
		"      key: masked-auth.keys.2.key # " + path + ":6\n",
		"      key: masked-auth.keys.3.key # " + path + ":7, ${CLIENT}\n",
		"      key: ${NONE:-masked-auth.keys.4.key} # " + path + ":8, ${NONE}\n",
		"      sha256: abab",
		"    region: eu-west-3 # AWS_REGION\n",
		"    base_url: http://127.0.0.1:9001 # " + path + ":12, ${RELAY}\n",
		"    api_key: masked-upstreams.relay.api_key # " + path + ":12, ${CLIENT}\n",
		"    base_url: http://user:xxxxx@127.0.0.1:11434/v1 # ",
		"    api_key: ${CLIENT} # " + path + ":13, ${CLIENT}\n",
		"    project: p-1 # GOOGLE_CLOUD_PROJECT\n",
		"        format: json # " + path + ":17 (models[0].format)\n",
		"        wire: chat # the kind of local\n",
		"        model: \"123\" # " + path + ":17\n",
		"    template: file:/",
		"    rescue: false # " + path + ":22\n",
		"  idle: 1m30s # " + path + ":26\n",
		"  first_byte: 10m # default\n",
		"  drain: 1h # " + path + ":26\n",
		"  drain_delay: 5s # by listen and timeouts.drain\n",
		"  body_bytes: 33554432 # default\n",
		"  max_concurrent: 0 # 77, by the descriptors of the process\n",
		"compat: strict # ",
		"on_disconnect: cancel # default\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q", want)
		}
	}
	for line := range strings.Lines(got) {
		value := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "-"))
		if !strings.HasSuffix(value, ":") && !strings.Contains(value, " # ") {
			t.Errorf("no origin: %s", line)
		}
	}
	if t.Failed() || strings.Contains(got, "s3cret") {
		t.Errorf("printed:\n%s", got)
	}
	cfg.MaxConcurrent = 0                                             // which the file leaves to the machine
	cfg.Upstreams[2].BaseURL = "http://user:xxxxx@127.0.0.1:11434/v1" // which is masked
	printed(t, cfg, env...)
}

// The mark in place of a secret is not accepted as a secret: whoever sees the configuration would know it.
func TestMasksAreNoSecrets(t *testing.T) {
	const rest = "models: [{name: a, upstream: relay}]\n"
	source := func(file string, env ...string) Source {
		return Source{File: write(t, "dragoman.yaml", file+rest), Getenv: environ(t, env...)}
	}
	cfg, err := Load(source("auth: {keys: [a-key-as-it-stands-here, {name: b, key: \"${NONE:-another-key-of-clients}\"}]}\n" +
		"upstreams: {relay: {kind: anthropic, base_url: \"http://127.0.0.1:1\", api_key: literal}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := cfg.Print()
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "printed.yaml", string(text))
	_, err = Load(Source{File: path, Getenv: environ(t)})
	for _, key := range []string{"auth.keys[0].key", "auth.keys[1].key", "upstreams.relay.api_key"} {
		if want := key + ": the secret is missing: `config print` wrote a mark in its place; write the secret as ${VAR} or file:/path"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("there is no %q in %v", want, err)
		}
	}
	if _, err := Load(source("upstreams: {relay: {kind: anthropic, base_url: \"http://127.0.0.1:1\", api_key: \"${KEY:-masked-x}\"}}\n", "KEY=k")); err != nil {
		t.Errorf("a mark as a default that does not count: %v", err)
	}
}

// A configuration without a file is printed as a file, too.
func TestPrintWithoutFile(t *testing.T) {
	for want, src := range map[string]Source{
		"    kind: simulated # --simulated\n":                    {Simulated: true, Getenv: environ(t)},
		"    region: us-east-1 # AWS_REGION\n":                   {Getenv: environ(t, "AWS_REGION=us-east-1")},
		"    location: global # GOOGLE_CLOUD_LOCATION\n":         {Getenv: environ(t, "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=global")},
		"listen: 127.0.0.1:8484 # default\nadmin_listen: 127.0.": {Simulated: true, Getenv: environ(t)},
	} {
		cfg, err := Load(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := printed(t, cfg); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// If --simulated replaces a file, the file is no origin of the values in effect.
func TestPrintSimulatedBesideFile(t *testing.T) {
	path := write(t, "dragoman.yaml", "upstreams: {simulated: {kind: bedrock, region: x}}\nmodels: [{name: a, upstream: simulated, prefill: true}]\nlimits: {attempts: 3}\n")
	cfg, err := Load(Source{File: path, Simulated: true, Getenv: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	got := printed(t, cfg)
	if strings.Contains(got, path+":1") || strings.Contains(got, path+":2") || !strings.Contains(got, "attempts: 3 # "+path+":3\n") {
		t.Error(got)
	}
}

// The hash is the same for the same configuration, wherever it comes from and whatever its secrets are. Another value
// gives another hash.
func TestHash(t *testing.T) {
	const file = "auth: {keys: [\"${KEY}\"]}\nupstreams: {sim: {kind: simulated}}\nmodels: [{name: a, upstream: sim}]\n"
	load := func(file string, env ...string) *Config {
		cfg, err := Load(Source{File: write(t, "dragoman.yaml", file), Getenv: environ(t, env...)})
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	want := load(file, "KEY=one-key-of-the-clients").Hash()
	for _, same := range []string{file, "# a remark\n" + file, file + "compat: lenient\n", file + "timeouts: {idle: 300s}\n"} {
		if got := load(same, "KEY=another-key-of-the-clients").Hash(); got != want {
			t.Errorf("%s instead of %s for\n%s", got, want, same)
		}
	}
	for _, other := range []string{file + "compat: strict\n", strings.Replace(file, "name: a", "name: b", 1), strings.Replace(file, "KEY", "KEY2", 1)} {
		if got := load(other, "KEY=one-key-of-the-clients", "KEY2=one-key-of-the-clients").Hash(); got == want {
			t.Errorf("the hash is the same for\n%s", other)
		}
	}
}

// Changes are named, but never with a value.
func TestChanges(t *testing.T) {
	const file = `auth: {keys: [{name: ci, key: "${KEY}"}, the-second-of-the-keys]}
upstreams: {sim: {kind: simulated}, relay: {kind: anthropic, base_url: "http://127.0.0.1:1", api_key: "${KEY}"}}
models: [{name: a, upstream: sim}, {name: b, upstream: relay}]
`
	load := func(file, key string) *Config {
		cfg, err := Load(Source{File: write(t, "dragoman.yaml", file), Getenv: environ(t, "KEY="+key)})
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	for _, tt := range []struct{ file, key, want string }{
		{file, "the-first-of-the-keys", "[]"},
		{file, "the-first-of-the-keys-anew", "[key ci changed upstream relay changed]"},
		{strings.Replace(file, "{name: b, upstream: relay}", "{name: c, upstream: relay}, {name: d, upstream: sim}", 1), "the-first-of-the-keys", "[model b removed model c added model d added]"},
		{strings.Replace(file, "{name: a, upstream: sim}, {name: b, upstream: relay}", "{name: b, upstream: relay}, {name: a, upstream: sim}", 1), "the-first-of-the-keys", "[models in another order]"},
		{strings.Replace(file, "upstream: sim}", "upstream: sim, repair: 1}", 1), "the-first-of-the-keys", "[model a changed]"},
		{file + "limits: {max_connections: 5}\nhosts: [x.example]\ntimeouts: {idle: 1s}\n", "the-first-of-the-keys", "[hosts added limits.max_connections added timeouts.idle changed]"},
		{strings.Replace(file, ", the-second-of-the-keys", "", 1), "the-first-of-the-keys", "[key " + proxy.NewKey("the-second-of-the-keys").ID() + " removed]"},
	} {
		if got := fmt.Sprint(load(file, "the-first-of-the-keys").Changes(load(tt.file, tt.key))); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// A new configuration keeps the current values that need a restart, and is checked with them.
func TestRunning(t *testing.T) {
	const served = "upstreams: {sim: {kind: simulated}}\nmodels: [{name: a, upstream: sim}]\n"
	running, err := Load(Source{File: write(t, "dragoman.yaml", "listen: 0.0.0.0:1\nauth: {keys: [the-first-of-the-keys]}\n"+served), Getenv: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	next := func(file string) (*Config, error) {
		return Load(Source{File: write(t, "dragoman.yaml", file+served), Getenv: environ(t), Running: running})
	}
	if _, err := next("listen: 127.0.0.1:1\n"); err == nil || !strings.Contains(err.Error(), "0.0.0.0:1 can be reached from other machines") {
		t.Errorf("without keys, and as if on loopback: %v", err)
	}
	cfg, err := next("listen: 127.0.0.1:1\nadmin_listen: 127.0.0.1:2\nauth: {keys: [the-other-of-the-keys]}\n")
	if err != nil || cfg.Listen != "0.0.0.0:1" || cfg.AdminListen != DefaultAdminListen || cfg.Loopback || fmt.Sprint(cfg.Waits) != "[listen admin_listen]" {
		t.Errorf("%v: %+v", err, cfg)
	}
	cfg, err = next("listen: 0.0.0.0:1\nauth: {keys: [the-other-of-the-keys]}\ntimeouts: {drain: 8s, idle: 1s}\n")
	if err != nil || cfg.Drain != running.Drain || cfg.DrainDelay != running.DrainDelay || cfg.Timeouts.Idle != time.Second || fmt.Sprint(cfg.Waits) != "[timeouts.drain timeouts.drain_delay]" {
		t.Errorf("%v: %+v", err, cfg)
	}
	if _, err := next("listen: 0.0.0.0:1\nauth: {keys: [the-other-of-the-keys]}\ntimeouts: {drain: 8s, drain_delay: 9s}\n"); err == nil || !strings.Contains(err.Error(), "the delay is longer than the whole drain: timeouts.drain is 8s") {
		t.Errorf("a delay that is longer than its drain: %v", err)
	}
	if _, err := next("listen: nowhere\nauth: {keys: [the-other-of-the-keys]}\n"); err == nil || !strings.Contains(err.Error(), `:1: listen: "nowhere" is not an address`) {
		t.Errorf("an address that is none: %v", err)
	}
	running.TLS = TLS{Cert: "/c", Key: "/k"}
	cfg, err = next("auth: {keys: [the-other-of-the-keys]}\nlisten: 0.0.0.0:1\n")
	if err != nil || cfg.TLS != running.TLS || fmt.Sprint(cfg.Waits) != "[tls]" {
		t.Errorf("%v: %+v", err, cfg)
	}
}

// Everything that can be read can be printed and loaded again.
func FuzzPrint(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/broken.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	for _, template := range []string{`a\n {{tools}}`, `a \n\tb {{tools}}`, ` a\n\n{{tools}}\n\n`, `\n{{tools}}`, `a\r\n{{tools}}`, `\t{{tools}}\u2028\u0085\ufeff`, `# {{tools}}`, `- {{tools}}: x`} {
		f.Add([]byte("upstreams: {sim: {kind: simulated}}\nmodels: [{name: \"2.1\", upstream: sim, template: \"" + template + " <invoke> </function_calls>\"}, {name: ~x, upstream: sim, model: \"true\"}]\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := Load(Source{File: write(t, "dragoman.yaml", string(data)), Insecure: true, Getenv: environ(t)})
		if err == nil {
			printed(t, cfg)
		}
	})
}

// A URL is printed without its secret parts. Some servers take a token as user name, without a password.
func TestWithoutPassword(t *testing.T) {
	for url, want := range map[string]string{
		"https://relay.example/v1":         "https://relay.example/v1",
		"https://me:s3cret@relay.example/": "https://me:xxxxx@relay.example/",
		"https://s3cret@relay.example/":    "https://xxxxx@relay.example/",
		"https://s3cret:@relay.example/":   "https://xxxxx@relay.example/",
	} {
		if got := withoutPassword(url); got != want {
			t.Errorf("%s is printed as %s, want %s", url, got, want)
		}
	}
}
