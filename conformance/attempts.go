package conformance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// lasting are errors of Bedrock that a retry does not fix. passing are errors that may be gone at the next
// request.
var (
	lasting = map[string]*upstreamtest.Fault{
		"credentials": upstreamtest.Refuse(403, "AccessDeniedException", "no", ""),
		"no model":    upstreamtest.Refuse(404, "ResourceNotFoundException", "no", ""),
		"quota":       upstreamtest.Refuse(400, "ServiceQuotaExceededException", "no", ""),
		"invalid":     upstreamtest.Refuse(400, "ValidationException", "no", ""),
		"time limit":  upstreamtest.Refuse(408, "ModelTimeoutException", "no", ""),
	}
	passing = map[string]*upstreamtest.Fault{
		"throttled":  upstreamtest.Refuse(429, "ThrottlingException", "no", ""),
		"overloaded": upstreamtest.Refuse(503, "ServiceUnavailableException", "no", ""),
	}
)

// Attempts counts the requests of a library with its default retries. For errors that a retry does not fix,
// it must send one request. For errors that may pass, it must send more than one.
func Attempts(t *testing.T, c Client) {
	script := func(_ string, p *translate.Prompt) upstreamtest.Completion {
		for _, faults := range []map[string]*upstreamtest.Fault{lasting, passing} {
			for name, fault := range faults {
				if strings.Contains(p.Text(), "Fail: "+name+".") {
					return upstreamtest.Completion{Fault: fault}
				}
			}
		}
		return upstreamtest.Completion{Text: "Good morning!"}
	}
	server := httptest.NewServer(upstreamtest.NewBedrock(script))
	t.Cleanup(server.Close)
	config := WriteConfig(t, fmt.Sprintf(`
upstreams: {east: {kind: bedrock, region: us-east-1, endpoint: %q}}
models: [{name: %s, upstream: east, model: "anthropic.claude-v2:1"}]
limits: {attempts: 1}
`, server.URL, model))
	serve := func(env ...string) (string, *atomic.Int64) { return counted(t, Serve(t, env, "--config", config)) }
	with, requests := serve("AWS_ACCESS_KEY_ID="+upstreamtest.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+upstreamtest.SecretAccessKey)
	without, vain := serve("AWS_EC2_METADATA_DISABLED=true")

	for _, way := range c.ways() {
		count := func(name, url string, requests *atomic.Int64, model, text string, once bool) {
			t.Run(name+" "+way.name, func(t *testing.T) {
				before := requests.Load()
				_, err := way.ask(t, c.Open(url, "", Setup{Model: model, MaxTokens: 64}), say(text))
				if n := requests.Load() - before; err == nil || n < 1 || (n == 1) != once {
					t.Errorf("%d requests, %v", n, err)
				}
			})
		}
		for name := range lasting {
			count(name, with, requests, model, "Fail: "+name+".", true)
		}
		count("no such name", with, requests, "claude-9", "Good morning!", true)
		count("no credentials", without, vain, model, "Good morning!", true)
		for name := range passing {
			count(name, with, requests, model, "Fail: "+name+".", false)
		}
	}
}

// counted returns the URL of a proxy in front of another server, which counts the requests.
func counted(t *testing.T, target string) (string, *atomic.Int64) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(u)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true) // for the AWS SDK for JavaScript
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, &requests
}
