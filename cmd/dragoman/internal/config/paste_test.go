package config

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// The file to paste has what was set, and the new keys in the model's entry. It can be loaded, and shows no secret.
func TestFileWith(t *testing.T) {
	key := write(t, "key", "s3cret\n")
	file := write(t, "dragoman.yaml", `auth: {keys: ["${CLIENT}"]}
upstreams:
  local: {kind: openai, base_url: "http://127.0.0.1:1/v1"}
models:
  - {name: small, upstream: local, format: json}
  - {name: "q*", upstream: local, repair: 1}
log: {level: warn}
`)
	for name, tt := range map[string]struct {
		src                  Source
		pattern, asked, keys string
		flags                []string
		want                 string
		model                string // the upstream's name; "" for asked
	}{
		"a server": {
			Source{BaseURL: Override{"http://127.0.0.1:1/v1", "--base-url"}, APIKeyFile: Override{key, "--api-key-file"}, Listen: Override{"127.0.0.1:9", "--listen"}},
			"*", "qwen:0.5b", "constrain: try", []string{"--base-url", "http://127.0.0.1:1/v1", "--api-key-file", key}, `listen: 127.0.0.1:9
upstreams:
  openai:
    kind: openai
    base_url: http://127.0.0.1:1/v1
    api_key: file:` + key + `
models:
  - name: qwen:0.5b
    upstream: openai
    constrain: try
  - name: '*'
    upstream: openai
`, ""},
		"another name for the only model of a server": {
			Source{BaseURL: Override{"http://127.0.0.1:1/v1", "--base-url"}},
			"*", "claude-sonnet-4-5", "constrain: try", []string{"--base-url", "http://127.0.0.1:1/v1"}, `upstreams:
  openai:
    kind: openai
    base_url: http://127.0.0.1:1/v1
models:
  - name: claude-sonnet-4-5
    upstream: openai
    model: qwen:0.5b
    constrain: try
  - name: '*'
    upstream: openai
    model: qwen:0.5b
`, "qwen:0.5b"},
		"an entry": {Source{File: file}, "small", "small", "accept: [kimi]\nformat: kimi", []string{"--config", file}, `auth:
  keys:
    - key: ${CLIENT}
upstreams:
  local:
    kind: openai
    base_url: http://127.0.0.1:1/v1
models:
  - name: small
    upstream: local
    format: kimi
    accept: [kimi]
  - name: q*
    upstream: local
    repair: 1
log:
  level: warn
`, ""},
		"the simulated model": {Source{Simulated: true}, "*", "a", "format: json", []string{"--simulated"}, `upstreams:
  simulated:
    kind: simulated
models:
  - name: a
    upstream: simulated
    format: json
  - name: '*'
    upstream: simulated
`, ""},
	} {
		tt.src.Getenv = environ(t, "CLIENT=s3cret-of-a-client")
		cfg, err := Load(tt.src)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cfg.FileWith(tt.pattern, tt.asked, cmp.Or(tt.model, tt.asked), tt.keys)
		if err != nil || got != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, tt.want)
		}
		if got := cfg.Flags(); !slices.Equal(got, tt.flags) {
			t.Errorf("%s: flags %q", name, got)
		}
		again, err := Load(Source{File: write(t, "pasted.yaml", got), Getenv: environ(t, "CLIENT=s3cret-of-a-client")})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if cfg.Upstreams[0].Paid() {
			t.Errorf("%s: %+v", name, cfg.Upstreams)
		}
		if _, ok := again.Model(tt.asked); !ok || strings.Contains(got, "s3cret") {
			t.Errorf("%s: %s", name, got)
		}
	}
	cfg, err := Load(Source{Simulated: true, Getenv: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	if !(Upstream{Kind: Bedrock}).Paid() || !(Upstream{Kind: OpenAI, BaseURL: "https://llm.example.com/v1"}).Paid() {
		t.Error("a cloud is not paid")
	}
	for _, wrong := range [][2]string{{"other", "format: json"}, {"*", "format"}, {"*", "a: ["}} {
		if got, err := cfg.FileWith(wrong[0], "a", "a", wrong[1]); err == nil {
			t.Errorf("%q: %s", wrong, got)
		}
	}
}
