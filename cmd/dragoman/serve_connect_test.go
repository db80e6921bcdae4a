package main

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/upstream/upstreamtest"
)

// received records the first request to a server.
type received struct {
	http.Handler
	once  sync.Once
	proto string
	names map[string]bool // of the headers
}

func (r *received) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.once.Do(func() {
		r.proto, r.names = request.Proto, map[string]bool{}
		for name := range request.Header {
			r.names[name] = true
		}
	})
	r.Handler.ServeHTTP(w, request)
}

// timeouts.connect changes nothing else about how an upstream is reached: no header, no version of HTTP, no trusted
// certificate.
func TestConnectTimeout(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	for kind, fake := range map[string]struct {
		handler  http.Handler
		upstream string
		tls      bool // from an authority in AWS_CA_BUNDLE
	}{
		"bedrock":   {upstreamtest.NewBedrock(nil), `kind: bedrock, region: us-east-1, endpoint: %q`, true},
		"anthropic": {upstreamtest.NewMessages(nil), `kind: anthropic, base_url: %q, list_models: false`, false},
		"openai":    {upstreamtest.NewChat(nil), `kind: openai, base_url: "%s/v1", list_models: false`, false},
		"vertex":    {upstreamtest.NewVertex(nil), `kind: vertex, project: p, location: global, endpoint: %q`, false},
	} {
		t.Run(kind, func(t *testing.T) {
			var ways []*received
			for _, timeouts := range []string{"", "timeouts: {connect: 5s}"} {
				way := &received{Handler: fake.handler}
				server := httptest.NewUnstartedServer(way)
				if fake.tls {
					server.EnableHTTP2 = true
					server.StartTLS()
					authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
					t.Setenv("AWS_CA_BUNDLE", write(t, "ca.pem", string(authority)))
				} else {
					server.Start()
				}
				defer server.Close()
				env := map[string]string{}
				if vertex, ok := fake.handler.(*upstreamtest.Vertex); ok {
					credentials, err := vertex.Tokens.ServiceAccount(t.TempDir(), server.URL)
					if err != nil {
						t.Fatal(err)
					}
					env["GOOGLE_APPLICATION_CREDENTIALS"] = credentials
				}
				proxy := start(t, env, "--config", write(t, "dragoman.yaml", fmt.Sprintf(
					"upstreams: {up: {"+fake.upstream+"}}\nmodels: [{name: \"*\", upstream: up, model: claude-opus-4-6}]\n%s", server.URL, timeouts)))
				response := post(t, client, proxy.url, strings.Replace(weatherRequest, "claude-2.1", "m", 1))
				if answer := body(t, response); response.StatusCode != 200 {
					t.Fatalf("%q: %s: %s", timeouts, response.Status, answer)
				}
				ways = append(ways, way)
			}
			if diff := cmp.Diff(ways[0].names, ways[1].names); diff != "" || ways[0].names["Accept-Encoding"] {
				t.Errorf("headers (-without +with timeouts.connect):\n%s", diff)
			}
			want := "HTTP/1.1"
			if fake.tls {
				want = "HTTP/2.0"
			}
			if ways[0].proto != want || ways[1].proto != want {
				t.Errorf("asked over %s without timeouts.connect, over %s with it", ways[0].proto, ways[1].proto)
			}
		})
	}
}
