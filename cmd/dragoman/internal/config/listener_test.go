package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dragoman/upstream/upstreamtest"
)

// simulatedModels is the end of a minimal file.
const simulatedModels = "\nupstreams: {sim: {kind: simulated}}\nmodels: [{name: \"*\", upstream: sim}]\n"

// pair writes a certificate, its key and its authority, and returns the paths.
func pair(t *testing.T, left time.Duration) (cert, key, authority string) {
	t.Helper()
	a, err := upstreamtest.NewAuthority("company")
	if err != nil {
		t.Fatal(err)
	}
	c, k, err := a.Issue("dragoman.example", left)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"), filepath.Join(dir, "ca.pem")}
	for i, data := range [][]byte{c, k, a.PEM()} {
		if err := os.WriteFile(paths[i], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths[0], paths[1], paths[2]
}

func TestListener(t *testing.T) {
	cert, key, authority := pair(t, 24*time.Hour)
	path := write(t, "dragoman.yaml", fmt.Sprintf("hosts: [dragoman.example]\ncors: {origins: [\"https://app.example\"]}\ntls: {cert: %q, key: %q, client_ca: %q}", cert, key, authority)+simulatedModels)
	cfg, err := Load(Source{File: path, Getenv: environ(t)})
	if err != nil || len(cfg.Warnings) > 0 {
		t.Fatalf("%v, warnings %v", err, cfg.Warnings)
	}
	if want := (TLS{cert, key, authority}); cfg.TLS != want || !cfg.Loopback || !cfg.AdminLoopback {
		t.Errorf("%+v", cfg)
	}
	if diff := cmp.Diff([][]string{{"dragoman.example"}, {"https://app.example"}}, [][]string{cfg.Hosts, cfg.Origins}); diff != "" {
		t.Errorf("hosts and origins (-want +got):\n%s", diff)
	}
}

// A problem names files that do not belong together, or that contain no authority. A command that does not listen may
// lack them.
func TestListenerFiles(t *testing.T) {
	cert, key, _ := pair(t, 24*time.Hour)
	_, other, _ := pair(t, 24*time.Hour)
	for tls, want := range map[string]string{
		fmt.Sprintf("{cert: %q, key: %q}", cert, other):                   "tls.cert: " + cert + " and " + other + " are not a usable certificate and key: tls: private key does not match public key",
		fmt.Sprintf("{cert: %q, key: %q}", key, cert):                     "tls.cert: " + key + " and " + cert + " are not a usable certificate and key",
		fmt.Sprintf("{cert: %q, key: %q, client_ca: %q}", cert, key, key): "tls.client_ca: " + key + " cannot be used: it contains no certificate",
	} {
		path := write(t, "dragoman.yaml", "tls: "+tls+simulatedModels)
		if _, err := Load(Source{File: path, Getenv: environ(t)}); err == nil || !strings.Contains(err.Error(), ":1: "+want) {
			t.Errorf("%s: %v", tls, err)
		}
		if _, err := Load(Source{File: path, Idle: true, Getenv: environ(t)}); err != nil {
			t.Errorf("for a command that does not listen: %v", err)
		}
	}
}

// A dangerous setting that the user asked for gets a warning, and nothing else does.
func TestListenerWarnings(t *testing.T) {
	cert, key, authority := pair(t, 24*time.Hour)
	soon, soonKey, _ := pair(t, time.Minute)
	over, overKey, _ := pair(t, -time.Minute)
	files := func(cert, key string) string { return fmt.Sprintf("tls: {cert: %q, key: %q}", cert, key) }
	for name, tt := range map[string]struct {
		file string
		src  Source
		want []string
	}{
		"nothing":             {"", Source{}, nil},
		"admin":               {"admin_listen: 0.0.0.0:8485", Source{}, []string{"dragoman.yaml:1: admin_listen: 0.0.0.0:8485 can be reached from other machines, and needs no key: everybody there can read /metrics"}},
		"admin in a Pod":      {"listen: 0.0.0.0:8484\nadmin_listen: 0.0.0.0:8485\nauth: {keys: [a-key-of-the-test]}", Source{Getenv: environ(t, "KUBERNETES_SERVICE_HOST=10.96.0.1")}, nil},
		"insecure":            {"", Source{Insecure: true, Listen: Override{":9", "--listen"}}, []string{"--listen: :9 can be reached from other machines, and with --insecure anyone there can use your upstreams"}},
		"insecure to no end":  {"", Source{Insecure: true}, nil},
		"insecure, with keys": {"auth: {keys: [a-key-of-the-test]}", Source{Insecure: true, Listen: Override{":9", "--listen"}}, nil},
		"client certificates": {fmt.Sprintf("listen: :9\ntls: {cert: %q, key: %q, client_ca: %q}", cert, key, authority), Source{}, nil},
		"not listening":       {"listen: :9\nadmin_listen: :10", Source{Idle: true}, nil},
		"soon over":           {files(soon, soonKey), Source{}, []string{"tls.cert: the certificate is valid from"}},
		"over":                {files(over, overKey), Source{}, []string{"tls.cert: the certificate is valid from"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.src.File = write(t, "dragoman.yaml", tt.file+simulatedModels)
			if tt.src.Getenv == nil {
				tt.src.Getenv = environ(t)
			}
			cfg, err := Load(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			if len(cfg.Warnings) != len(tt.want) {
				t.Fatalf("warnings %v", cfg.Warnings)
			}
			for i, want := range tt.want {
				if got := cfg.Warnings[i].String(); !strings.Contains(got, want) {
					t.Errorf("%q is not in: %s", want, got)
				}
			}
		})
	}
}

// A key that crosses the network without encryption gets a warning.
func TestKeyInTheClear(t *testing.T) {
	path := write(t, "dragoman.yaml", `
upstreams:
  far:   {kind: anthropic, base_url: "http://relay.example", api_key: k}
  safe:  {kind: anthropic, base_url: "https://relay.example", api_key: k}
  near:  {kind: openai, base_url: "http://127.0.0.1:11434/v1", api_key: k}
  plain: {kind: openai, base_url: "http://vllm:8000/v1"}
models: [{name: "*", upstream: far}]
`)
	cfg, err := Load(Source{File: path, Getenv: environ(t)})
	if err != nil || len(cfg.Warnings) != 1 || cfg.Warnings[0].Key != "upstreams.far.base_url" {
		t.Errorf("%v, warnings %v", err, cfg.Warnings)
	}
}
