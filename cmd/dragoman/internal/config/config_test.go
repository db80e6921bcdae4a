package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

// environ returns an environment for a test. HOME is always an empty folder, so that the machine's own AWS
// configuration is not used.
func environ(t *testing.T, pairs ...string) func(string) string {
	t.Helper()
	env := map[string]string{"HOME": t.TempDir()}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return func(name string) string { return env[name] }
}

func write(t *testing.T, name, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Aliases can make a short file a long configuration. A file that would use up the memory is rejected before it is
// read; a file with a circle would never end.
func TestAliasesWithoutEnd(t *testing.T) {
	const head = "upstreams: {sim: &sim {kind: simulated}}\nmodels: [&m {name: \"*\", upstream: sim, model: m, fallbacks: [&f {upstream: sim, model: g}"
	for name, tt := range map[string]struct {
		file string
		want string // "": the file is valid
	}{
		"some":   {head + strings.Repeat(", *f", 100) + "]}" + strings.Repeat(", *m", 100) + "]", ""},
		"many":   {head + strings.Repeat(", *f", 2000) + "]}" + strings.Repeat(", *m", 5000) + "]", "has more than 250000 values"},
		"itself": {"upstreams: &all {sim: *all}", "has more than 250000 values"},
	} {
		_, err := Load(Source{File: write(t, "dragoman.yaml", tt.file), Getenv: environ(t)})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

func TestBroken(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/broken.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		file, want := archive.Files[i], archive.Files[i+1]
		t.Run(strings.TrimSuffix(file.Name, ".yaml"), func(t *testing.T) {
			path := write(t, file.Name, string(file.Data))
			_, err := Load(Source{File: path, Getenv: environ(t)})
			if err == nil {
				t.Fatal("Load found nothing wrong")
			}
			got := strings.ReplaceAll(err.Error(), path, file.Name) + "\n"
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFile(t *testing.T) {
	secret := write(t, "secret", "a-key-from-a-file\n")
	path := write(t, "dragoman.yaml", `
listen: 0.0.0.0:8484
admin_listen: 127.0.0.1:8485
auth:
  keys:
    - "${DRAGOMAN_KEY}"
    - file:`+secret+`
    - {name: ci, key: a-key-in-a-mapping, requests_per_minute: 60, concurrent: 4, tokens_per_day: 1000000}
    - {name: laptop, sha256: `+fmt.Sprintf("%x", sha256.Sum256([]byte("a-key-as-its-hash")))+`}
compat: strict
upstreams:
  east:  {kind: bedrock, region: us-east-1, endpoint: ""}
  west:  {kind: bedrock, profile: p, endpoint: "http://127.0.0.1:9000"}
  relay: {kind: anthropic, base_url: "${RELAY:-http://127.0.0.1:9001}", api_key: "x-${KEY}"}
  local: {kind: openai, base_url: "http://127.0.0.1:11434/v1"}
  gcp:   {kind: vertex, location: global, endpoint: "http://127.0.0.1:9002"}
  sim:   {kind: simulated}
models:
  - name: claude-3-opus
    upstream: east
    model: anthropic.claude-3-opus-20240229-v1:0
    wire: messages
    format: json
    language: auto
    template: |
      Call a tool so: <tool_call>{"name": "…", "arguments": {…}}</tool_call>
      {{tools}}
    tools: xml
    fallbacks: [{upstream: sim}]
  - {name: claude-2.1, upstream: east, model: "anthropic.claude-v2:1", wire: text}
  - {name: open, upstream: local, model: gemma3, wire: chat, quoted_calls: read, family: qwen2.5, escape_special_tokens: false, example_call: on, accept: [glm, kimi]}
  - {name: new, upstream: relay, model: claude-opus-4-6, accept: all}
  - {name: forced, upstream: relay, model: claude-opus-4-6, prefill: true}
  - {name: "sim-*", upstream: sim, prefill: }
  - {name: refused, upstream: sim, prefill: false}
  - name: llama
    upstream: east
    stop_sequences: false
    images: true
    fallbacks: [{upstream: relay, model: claude-3-haiku, format: legacy}, {upstream: sim}]
  - {name: "claude-*", upstream: west, tools: auto, rescue: false}
  - {name: "meta/*", upstream: gcp}
limits: {body_bytes: 33554432, max_concurrent: 300, max_inflight_bytes: 67108864, max_connections: 500, max_connection_age: 5m, attempts: 3}
timeouts: {connect: 1s, first_byte: 10m, idle: 5m, total: 60m, write_stall: 60s, drain: 2m, drain_delay: 0s, early_commit_after: 30s}
inspector: {exchanges: 50, bytes: 512KiB}
on_disconnect: drain
log: {format: console, level: warn}
`)
	got, err := Load(Source{File: path, Getenv: environ(t, "DRAGOMAN_KEY=a-key-from-the-environment", "KEY=k2", "AWS_REGION=eu-west-3", "GOOGLE_CLOUD_PROJECT=p-1", "CLOUD_ML_REGION=us-east5")})
	if err != nil {
		t.Fatal(err)
	}
	const template = "Call a tool so: <tool_call>{\"name\": \"…\", \"arguments\": {…}}</tool_call>\n{{tools}}\n"
	want := &Config{
		File:        path,
		Listen:      "0.0.0.0:8484",
		AdminListen: "127.0.0.1:8485",
		Keys: []proxy.Key{
			proxy.NewKey("a-key-from-the-environment"),
			proxy.NewKey("a-key-from-a-file"),
			{Sum: proxy.NewKey("a-key-in-a-mapping").Sum, Name: "ci", RequestsPerMinute: 60, Concurrent: 4, TokensPerDay: 1000000},
			{Sum: sha256.Sum256([]byte("a-key-as-its-hash")), Name: "laptop"},
		},
		Files:           []string{secret},
		SecretVariables: []string{"DRAGOMAN_KEY", "KEY"},
		Compat:          "strict",
		Upstreams: []Upstream{
			{Name: "east", Kind: Bedrock, Region: "us-east-1"},
			{Name: "west", Kind: Bedrock, Region: "eu-west-3", Profile: "p", Endpoint: "http://127.0.0.1:9000"},
			{Name: "relay", Kind: Anthropic, BaseURL: "http://127.0.0.1:9001", APIKey: "x-k2"},
			{Name: "local", Kind: OpenAI, BaseURL: "http://127.0.0.1:11434/v1"},
			{Name: "gcp", Kind: Vertex, Project: "p-1", Location: "global", Endpoint: "http://127.0.0.1:9002"},
			{Name: "sim", Kind: Simulated},
		},
		Models: []proxy.Route{
			{Name: "claude-3-opus", UpstreamModel: proxy.UpstreamModel{
				Upstream: "east", Kind: "bedrock", Model: "anthropic.claude-3-opus-20240229-v1:0", ModelOptions: translate.ModelOptions{Format: "json", Language: "auto", Template: template}, Wire: "messages", Tools: "xml",
			}, Fallbacks: []proxy.UpstreamModel{{Upstream: "sim", Kind: "simulated", ModelOptions: translate.ModelOptions{Format: "json", Language: "auto", Template: template}}}},
			{Name: "claude-2.1", UpstreamModel: proxy.UpstreamModel{Upstream: "east", Kind: "bedrock", Model: "anthropic.claude-v2:1", ModelOptions: translate.ModelOptions{Format: "auto"}, Wire: "text"}},
			{Name: "open", UpstreamModel: proxy.UpstreamModel{Upstream: "local", Model: "gemma3", ModelOptions: translate.ModelOptions{Format: "auto", Family: "qwen2.5", ExampleCall: "on", Accept: []string{"glm", "kimi"}, QuotedCalls: "read", EscapeSpecialTokens: new(false)}, Wire: "chat", Kind: "openai"}},
			{Name: "new", UpstreamModel: proxy.UpstreamModel{Upstream: "relay", Kind: "anthropic", Model: "claude-opus-4-6", ModelOptions: translate.ModelOptions{Format: "auto", Accept: []string{"all"}}}},
			{Name: "forced", UpstreamModel: proxy.UpstreamModel{Upstream: "relay", Kind: "anthropic", Model: "claude-opus-4-6", ModelOptions: translate.ModelOptions{Format: "auto"}, Features: upstream.Override{With: upstream.Prefill}}},
			{Name: "sim-*", UpstreamModel: proxy.UpstreamModel{Upstream: "sim", Kind: "simulated", ModelOptions: translate.ModelOptions{Format: "auto"}}},
			{Name: "refused", UpstreamModel: proxy.UpstreamModel{Upstream: "sim", Kind: "simulated", ModelOptions: translate.ModelOptions{Format: "auto"}, Features: upstream.Override{Without: upstream.Prefill}}},
			{
				Name: "llama",
				UpstreamModel: proxy.UpstreamModel{
					Upstream: "east", Kind: "bedrock", ModelOptions: translate.ModelOptions{Format: "auto"},
					Features: upstream.Override{With: upstream.Images, Without: upstream.StopSequences},
				},
				Fallbacks: []proxy.UpstreamModel{
					{Upstream: "relay", Kind: "anthropic", Model: "claude-3-haiku", ModelOptions: translate.ModelOptions{Format: "legacy"}},
					{Upstream: "sim", Kind: "simulated", ModelOptions: translate.ModelOptions{Format: "auto"}},
				},
			},
			{Name: "claude-*", UpstreamModel: proxy.UpstreamModel{Upstream: "west", Kind: "bedrock", ModelOptions: translate.ModelOptions{Format: "auto", Rescue: new(false)}, Tools: "auto"}},
			{Name: "meta/*", UpstreamModel: proxy.UpstreamModel{Upstream: "gcp", Kind: "vertex", ModelOptions: translate.ModelOptions{Format: "auto"}}},
		},
		Limits: Limits{
			BodyBytes: 32 << 20, Attempts: 3, MaxConcurrent: 300, MaxInflightBytes: 64 << 20,
			MaxConnections: 500, MaxConnectionAge: 5 * time.Minute,
		},
		Timeouts: Timeouts{
			Connect: time.Second, FirstByte: 10 * time.Minute, Idle: 5 * time.Minute, ModelReady: 5 * time.Minute, Total: time.Hour, WriteStall: time.Minute,
			EarlyCommit: 30 * time.Second, Drain: 2 * time.Minute,
		},
		AdminLoopback: true,
		Log:           Log{LogFormat: LogConsole, LogLevel: "warn"},
		Inspector:     Inspector{Exchanges: 50, Bytes: 512 << 10},
		OnDisconnect:  "drain",
	}
	// Auth and Routes are compared in the proxy's form: Keys and Models.
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Auth", "Routes")); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}

// Without drain_delay, a server that others can reach has a delay.
func TestDrainDelay(t *testing.T) {
	for _, tt := range []struct {
		file string
		want time.Duration
	}{
		{"listen: 0.0.0.0:8484", 5 * time.Second},
		{"listen: 0.0.0.0:8484\ntimeouts: {drain: 4s}", 2 * time.Second},
		{"listen: 0.0.0.0:8484\ntimeouts: {drain_delay: 0s}", 0},
		{"listen: 127.0.0.1:8484", 0},
		{"timeouts: {drain_delay: 20s}", 20 * time.Second},
	} {
		path := write(t, "dragoman.yaml", tt.file)
		got, err := Load(Source{File: path, Simulated: true, Insecure: true, Getenv: environ(t)})
		if err != nil {
			t.Fatal(err)
		}
		if got.DrainDelay != tt.want {
			t.Errorf("%s: %v, want %v", tt.file, got.DrainDelay, tt.want)
		}
	}
}

func TestWithoutUpstreams(t *testing.T) {
	profile := write(t, "config", "[default]\nregion = sa-east-1\n[profile other]\nregion = ap-south-1\n")
	account := write(t, "account.json", `{"type":"service_account","project_id":"its-own"}`)
	user := write(t, "user.json", `{"type":"authorized_user","quota_project_id":"paid-by"}`)
	vertex := func(project, location, credentials string) Upstream {
		return Upstream{Name: "vertex", Kind: Vertex, Project: project, Location: location, Credentials: credentials}
	}
	bedrock := func(region string) Upstream { return Upstream{Name: "bedrock", Kind: Bedrock, Region: region} }
	tests := []struct {
		name      string
		env       []string
		file      string
		simulated bool
		want      Upstream
	}{
		{name: "region", env: []string{"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-west-2"}, want: bedrock("us-east-1")},
		{name: "default region", env: []string{"AWS_DEFAULT_REGION=us-west-2"}, want: bedrock("us-west-2")},
		{name: "default profile", env: []string{"AWS_CONFIG_FILE=" + profile}, want: bedrock("sa-east-1")},
		{name: "named profile", env: []string{"AWS_CONFIG_FILE=" + profile, "AWS_PROFILE=other"}, want: bedrock("ap-south-1")},
		{name: "file without upstreams", env: []string{"AWS_REGION=us-east-1"}, file: "compat: strict\n", want: bedrock("us-east-1")},
		{name: "empty file", env: []string{"AWS_REGION=us-east-1"}, file: "# nothing yet\n", want: bedrock("us-east-1")},
		{name: "vertex", env: []string{"GOOGLE_CLOUD_PROJECT=p", "CLOUD_ML_REGION=us-east5"}, want: vertex("p", "us-east5", "")},
		{name: "vertex, all set", env: []string{
			"ANTHROPIC_VERTEX_PROJECT_ID=p", "GOOGLE_CLOUD_PROJECT=q", "CLOUDSDK_CORE_PROJECT=r",
			"CLOUD_ML_REGION=a", "GOOGLE_CLOUD_LOCATION=b", "GOOGLE_CLOUD_REGION=c", "GOOGLE_APPLICATION_CREDENTIALS=" + account,
		}, want: vertex("p", "a", account)},
		{name: "vertex, the last set", env: []string{"CLOUDSDK_CORE_PROJECT=r", "GOOGLE_CLOUD_REGION=c"}, want: vertex("r", "c", "")},
		{name: "project of a service account", env: []string{"GOOGLE_CLOUD_LOCATION=eu", "GOOGLE_APPLICATION_CREDENTIALS=" + account}, want: vertex("its-own", "eu", account)},
		{name: "project of a user", env: []string{"GOOGLE_CLOUD_LOCATION=eu", "GOOGLE_APPLICATION_CREDENTIALS=" + user}, want: vertex("paid-by", "eu", user)},
		{name: "aws first", env: []string{"AWS_REGION=us-east-1", "GOOGLE_CLOUD_PROJECT=p", "CLOUD_ML_REGION=eu"}, want: bedrock("us-east-1")},
		{name: "simulated", env: []string{"AWS_REGION=us-east-1"}, simulated: true, want: Upstream{Name: "simulated", Kind: Simulated}},
		{
			name:      "simulated beats a file",
			file:      "upstreams: {east: {kind: bedrock, region: us-east-1}}\nmodels: [{name: a, upstream: east}]\n",
			simulated: true,
			want:      Upstream{Name: "simulated", Kind: Simulated},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := Source{Getenv: environ(t, tt.env...), Simulated: tt.simulated}
			if tt.file != "" {
				src.File = write(t, "dragoman.yaml", tt.file)
			}
			cfg, err := Load(src)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Upstream{tt.want}, cfg.Upstreams); diff != "" {
				t.Errorf("upstreams (-want +got):\n%s", diff)
			}
			for name, prefill := range map[string]bool{
				"any": tt.want.Kind == Simulated,
				"us.anthropic.claude-3-opus-20240229-v1:0": true,
			} {
				m, ok := cfg.Model(name)
				if !ok || m.Model != name || m.Upstream != tt.want.Name || m.Spec().Can.Has(upstream.Prefill) != prefill {
					t.Errorf("model %s = %+v, want one that passes the name through, with prefill %t", name, m, prefill)
				}
			}
		})
	}
}

func TestNoUpstream(t *testing.T) {
	tests := []struct {
		name string
		env  []string
		want []string
	}{
		{"nothing", nil, []string{"no --config file", "no AWS region", "not --simulated", "dragoman serve --simulated", "AWS_REGION=us-east-1 dragoman serve", "dragoman serve --config"}},
		{"google project", []string{"GOOGLE_CLOUD_PROJECT=p"}, []string{"GOOGLE_CLOUD_PROJECT is set, but Google Vertex AI needs a project and a location"}},
		{"google location", []string{"CLOUD_ML_REGION=eu"}, []string{"CLOUD_ML_REGION is set, but Google Vertex AI needs a project and a location"}},
		{"google credentials", []string{"GOOGLE_APPLICATION_CREDENTIALS=/no/such"}, []string{"GOOGLE_APPLICATION_CREDENTIALS is set, but Google Vertex AI needs"}},
		{"google location that is none", []string{"GOOGLE_CLOUD_PROJECT=p", "CLOUD_ML_REGION=eu/"}, []string{`CLOUD_ML_REGION: "eu/" is not a location`}},
		{"google project that is none", []string{"GOOGLE_CLOUD_PROJECT=p?", "CLOUD_ML_REGION=eu"}, []string{`GOOGLE_CLOUD_PROJECT: "p?" is not the id of a project`}},
		{"google credentials gone", []string{"GOOGLE_CLOUD_PROJECT=p", "CLOUD_ML_REGION=eu", "GOOGLE_APPLICATION_CREDENTIALS=/no/such"},
			[]string{"GOOGLE_APPLICATION_CREDENTIALS: /no/such cannot be read: no such file or directory"}},
		{"region", []string{"AWS_REGION=us-east-1/"}, []string{`AWS_REGION: "us-east-1/" is not a region; write it as in us-east-1`}},
		{"profile", []string{"AWS_PROFILE=lost"}, []string{`AWS_PROFILE: the AWS configuration has no profile "lost"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(Source{Getenv: environ(t, tt.env...)})
			var problems Problems
			if !errors.As(err, &problems) || len(problems) != 1 {
				t.Fatalf("Load = %v, want one problem", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
		})
	}
}

func TestTwoClouds(t *testing.T) {
	cfg, err := Load(Source{Getenv: environ(t, "AWS_REGION=us-east-1", "GOOGLE_CLOUD_PROJECT=p", "CLOUD_ML_REGION=eu")})
	if err != nil || len(cfg.Warnings) != 1 {
		t.Fatalf("%v, warnings %v", err, cfg.Warnings)
	}
	for _, want := range []string{"CLOUD_ML_REGION", "us-east-1", "Bedrock", "Vertex"} {
		if got := cfg.Warnings[0].String(); !strings.Contains(got, want) {
			t.Errorf("%q is not in: %s", want, got)
		}
	}
}

// TestGcloudFile finds the file that gcloud writes.
func TestGcloudFile(t *testing.T) {
	const data = `{"type":"authorized_user","quota_project_id":"paid-by"}`
	config := write(t, "application_default_credentials.json", data)
	home := filepath.Join(t.TempDir(), ".config", "gcloud")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	atHome := filepath.Join(home, "application_default_credentials.json")
	if err := os.WriteFile(atHome, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	for variable, want := range map[string]string{
		"HOME=" + filepath.Dir(filepath.Dir(home)): atHome,
		"CLOUDSDK_CONFIG=" + filepath.Dir(config):  config,
	} {
		cfg, err := Load(Source{Getenv: environ(t, variable, "CLOUD_ML_REGION=eu")})
		if err != nil {
			t.Fatal(err)
		}
		if u := cfg.Upstreams[0]; u.Kind != Vertex || u.Credentials != want || u.Project != "paid-by" {
			t.Errorf("%s: %+v", variable, u)
		}
	}
}

func TestFileAbsent(t *testing.T) {
	_, err := Load(Source{File: "no-such.yaml", Getenv: environ(t)})
	want := "no-such.yaml: cannot be read: no such file or directory; check the path given as --config (DRAGOMAN_CONFIG)"
	if err == nil || err.Error() != want {
		t.Errorf("Load = %v, want %s", err, want)
	}
}

// An override replaces the file's value for the checks, and problems name the override.
func TestOverrides(t *testing.T) {
	const file = "listen: 0.0.0.0:1\nupstreams: {sim: {kind: simulated}}\nmodels: [{name: a, upstream: sim}]\n"
	tests := []struct {
		name    string
		src     Source
		want    string // Listen
		problem string
	}{
		{name: "flag over file", src: Source{Listen: Override{"127.0.0.1:2", "--listen"}}, want: "127.0.0.1:2"},
		{name: "insecure", src: Source{Insecure: true}, want: "0.0.0.0:1"},
		{name: "bad flag", src: Source{Listen: Override{"x", "--listen"}}, problem: `--listen: "x" is not an address`},
		{name: "open variable", src: Source{Listen: Override{":9", "DRAGOMAN_LISTEN"}}, problem: "DRAGOMAN_LISTEN: :9 can be reached from other machines"},
		{name: "open host", src: Source{Listen: Override{"example.com:9", "--listen"}}, problem: "--listen: example.com:9 can be reached"},
		{name: "admin may be open", src: Source{Listen: Override{"[::1]:0", "--listen"}, AdminListen: Override{"0.0.0.0:9", "--admin-listen"}}, want: "[::1]:0"},
		{name: "same", src: Source{Listen: Override{"localhost:9", "--listen"}, AdminListen: Override{"localhost:9", "DRAGOMAN_ADMIN_LISTEN"}}, problem: "DRAGOMAN_ADMIN_LISTEN: the same address as listen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.src.File, tt.src.Getenv = write(t, "dragoman.yaml", file), environ(t)
			cfg, err := Load(tt.src)
			switch {
			case tt.problem != "":
				if err == nil || !strings.HasPrefix(err.Error(), tt.problem) {
					t.Errorf("Load = %v, want %s", err, tt.problem)
				}
			case err != nil:
				t.Error(err)
			case cfg.Listen != tt.want:
				t.Errorf("Listen = %s, want %s", cfg.Listen, tt.want)
			}
		})
	}
}

func TestShadowed(t *testing.T) {
	path := write(t, "dragoman.yaml", `
upstreams: {sim: {kind: simulated}}
models:
  - {name: "claude-*-sonnet*", upstream: sim}
  - {name: claude-3-opus, upstream: sim}
  - {name: claude-3-sonnet-v2, upstream: sim}
  - {name: "*", upstream: sim}
  - {name: "claude-3-*", upstream: sim}
`)
	cfg, err := Load(Source{File: path, Getenv: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	want := []Problem{
		{Where: path + ":6", Key: "models[2]", Cause: `"claude-3-sonnet-v2" is never reached: models[0] ("claude-*-sonnet*") matches first`, Fix: "move the narrower name up"},
		{Where: path + ":8", Key: "models[4]", Cause: `"claude-3-*" is never reached: models[3] ("*") matches first`, Fix: "move the narrower name up"},
	}
	if diff := cmp.Diff(want, cfg.Warnings, cmpopts.IgnoreUnexported(Problem{})); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// The value of a variable is never read as a path, and a default may be empty.
func TestExpand(t *testing.T) {
	env := environ(t, "A=1", "FILE=file:/etc/hostname")
	tests := []struct{ value, want string }{
		{"plain $A {A} $", "plain $A {A} $"},
		{"<${A}${A}>", "<11>"},
		{"${NONE:-x-y}", "x-y"},
		{"${NONE:-}", ""},
		{"${A:-other}", "1"},
		{"${FILE}", "file:/etc/hostname"},
	}
	for _, tt := range tests {
		got, err := expand(tt.value, env)
		if err != nil || got != tt.want {
			t.Errorf("expand(%q) = %q, %v, want %q", tt.value, got, err, tt.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/broken.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := write(t, "dragoman.yaml", string(data))
		cfg, err := Load(Source{File: path, Getenv: environ(t)})
		if err == nil && (len(cfg.Upstreams) == 0 || len(cfg.Models) == 0) {
			t.Errorf("nothing to serve, and nothing wrong: %+v", cfg)
		}
	})
}

// A Kubernetes secret is a link to a link, and reading a pipe could wait for ever.
func TestSecretFiles(t *testing.T) {
	folder := t.TempDir()
	join := func(name string) string { return filepath.Join(folder, name) }
	if err := errors.Join(
		os.Mkdir(join("..2026"), 0o700),
		os.WriteFile(join("..2026/key"), []byte("a-key-long-enough\n"), 0o600),
		os.Symlink("..2026", join("..data")),
		os.Symlink("..data/key", join("key")),
		syscall.Mkfifo(join("pipe"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	if got, err := expand("file:"+join("key"), environ(t)); err != nil || got != "a-key-long-enough" {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"pipe", "..data", "none"} {
		if got, err := expand("file:"+join(name), environ(t)); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestRescueByDefault: calls in the text of models with native tools are read, unless the entry says otherwise or the
// wire is the Messages API. Print says so, if the entry tells the wire.
func TestRescueByDefault(t *testing.T) {
	path := write(t, "dragoman.yaml", `
upstreams:
  local: {kind: openai, base_url: "http://127.0.0.1:11434/v1"}
  relay: {kind: anthropic, base_url: "http://127.0.0.1:9001"}
  gcp: {kind: vertex, project: p-1, location: global}
  east: {kind: bedrock, region: us-east-1}
models:
  - {name: a, upstream: local, tools: native}
  - {name: b, upstream: local, tools: auto, rescue: false}
  - {name: c, upstream: local}
  - {name: d, upstream: relay, tools: native}
  - {name: e, upstream: gcp, model: meta/llama-3.3-70b-instruct-maas, tools: auto}
  - {name: f, upstream: gcp, model: claude-opus-4-6, tools: auto}
  - {name: g, upstream: gcp, model: claude-opus-4-6, wire: chat, tools: auto}
  - {name: h, upstream: east, model: "arn:aws:bedrock:us-east-1:111122223333:imported-model/abcdefghijkl", body: chat, tools: native}
  - {name: i*, upstream: gcp, tools: native}
`)
	cfg, err := Load(Source{File: path, Getenv: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	rescued := ""
	for _, r := range cfg.Models {
		if m := r.For(r.Name); m.Tools != "" && *m.Target(m.Spec()).Rescue {
			rescued += m.Name
		}
	}
	if rescued != "aeghi*" {
		t.Errorf("rescued: %s", rescued)
	}
	text, err := cfg.Print()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "rescue: true # the wire\n"); n != 4 {
		t.Errorf("printed %d times:\n%s", n, text)
	}
}
