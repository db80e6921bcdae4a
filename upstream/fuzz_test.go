package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// hosts are the only hosts that Dragoman may ask, whatever the configuration and the client say
// (docs/reference/bedrock.md §1, docs/reference/vertex.md §1). A region in the configuration may have dots,
// because only AWS owns names below amazonaws.com.
var hosts = regexp.MustCompile(`^(bedrock-runtime\.[A-Za-z0-9.-]+\.(amazonaws\.com(\.cn)?|amazonaws\.eu|c2s\.ic\.gov|sc2s\.sgov\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)` +
	`|([a-z0-9-]+-)?aiplatform\.googleapis\.com|aiplatform\.(us|eu)\.rep\.googleapis\.com)$`)

// watching is a transport that checks every URL against hosts. It answers only requests for tokens.
type watching struct{ t *testing.T }

// tokenHost is the token server in the credentials file.
const tokenHost = "tokens.test"

func (w *watching) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	if r.URL.Host == tokenHost {
		return response(200, "application/json", `{"access_token":"t","expires_in":3600}`), nil
	}
	if r.URL.Scheme != "https" || !hosts.MatchString(r.URL.Host) || r.URL.User != nil || r.Host != "" && r.Host != r.URL.Host {
		w.t.Errorf("asked %s", r.URL)
	}
	if r.URL.RawQuery != "" || r.URL.Fragment != "" {
		w.t.Errorf("a query or a fragment in %s", r.URL)
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/") {
		name, err := url.PathUnescape(segment)
		if err != nil || strings.Trim(name, ".") == "" || strings.Contains(name, "..") || strings.ContainsAny(name, "?#%\\ \n") {
			w.t.Errorf("the segment %q in %s", segment, r.URL)
		}
	}
	return nil, errors.New("nobody is there")
}

func response(status int, kind, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

// FuzzURL checks that no model, region, location or project leads to another host, or to another operation.
func FuzzURL(f *testing.F) {
	for _, model := range []string{
		"anthropic.claude-v2:1", "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude", "claude-3-haiku@20240307",
		"meta/llama", "mistralai/mistral-large@001", "../../x", "a/../b", "%2e%2e", "a%2fb", "a?b", "a#b", "@evil.test", "//evil.test/x", "\x00", "é",
	} {
		for _, place := range []string{"us-east-1", "global", "eu", "cn-north-1", "us-central1.evil.test/", "@evil.test", "evil.test#", "", "us-east-1\n", "%2f", "us-iso-east-1"} {
			f.Add(model, place, "my-project")
		}
		f.Add(model, "us-east5", "example.com:p")
		f.Add(model, "us-east5", "p/locations/x")
	}
	credentials, err := upstreamtest.NewTokens().User(f.TempDir(), "https://"+tokenHost)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, model, place, project string) {
		client := &http.Client{Transport: &watching{t}}
		var ways []invoker
		if b, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: place, HTTPClient: client}); err == nil {
			ways = append(ways, overWire{b, upstream.WireMessages}, overWire{b, upstream.WireText}, overWire{b, upstream.WireConverse})
		}
		v, err := upstream.NewVertex(t.Context(), upstream.VertexOptions{Project: project, Location: place, Credentials: credentials, HTTPClient: client})
		if err == nil {
			ways = append(ways, overWire{v, upstream.WireMessages}, overWire{v, upstream.WireChat})
		}
		for _, way := range ways {
			_, err := collect(t, invoke(way, t.Context(), upstream.Model{ID: model, Can: upstream.Streaming}, ask("Hi")))
			if e := new(upstream.Error); !errors.As(err, &e) {
				t.Errorf("%T: %v", way, err)
			}
		}
	})
}

// FuzzErrors checks that every response that is not an answer becomes an error of the Messages API, whatever
// its status, media type and body are, over every wire. If an upstream rejects Dragoman's own credentials,
// the client sees nothing of its text.
func FuzzErrors(f *testing.F) {
	for _, body := range []string{
		"", "{}", "null", "[]", `{"message":"a"}`, `{"message":{}}`, `{"Message":"prompt is too long: 9 tokens > 8 maximum"}`, `{"__type":"ThrottlingException"}`,
		`{"type":"error","error":{"type":"overloaded_error","message":"a"}}`, `{"error":{"message":"a","type":null,"code":429}}`, `{"error":"a"}`,
		`[{"error":{"code":429,"message":"a","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}]`,
		`{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"-99999999999999999999s"}]}}`,
		"<html>no</html>", "\x1f\x8b\x08", "\xff", `{"error":{"message":"\ud800"}}`,
	} {
		for _, status := range []int{301, 400, 403, 408, 424, 429, 500, 503, 529} {
			f.Add(status, "application/json", "ThrottlingException:http://x/", body)
		}
		f.Add(200, "text/html", "", body)
	}
	credentials, err := upstreamtest.NewTokens().User(f.TempDir(), "https://"+tokenHost)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, kind, exception, body string) {
		if status < 100 || status > 999 {
			t.Skip("no status")
		}
		client := &http.Client{Transport: answering(func() *http.Response {
			r := response(status, kind, body)
			r.Header["X-Amzn-Errortype"] = []string{exception}
			return r
		})}
		for _, way := range allWays(t, client, credentials) {
			_, err := collect(t, invoke(way, t.Context(), upstream.Model{ID: "anthropic.claude", Can: upstream.Streaming}, ask("Hi")))
			e := new(upstream.Error)
			if err == nil {
				continue // the body is an answer
			}
			if !errors.As(err, &e) || e.Status < 400 || e.Status > 599 || e.Type == "" || e.Message == "" || e.RetryAfter < 0 {
				t.Errorf("%T: %+v", way, err)
			}
			if status == 401 && exception == "" && len(body) > 20 && strings.Contains(e.Message, body) {
				t.Errorf("%T tells what was said of our credentials: %q", way, e.Message)
			}
		}
	})
}

// answering is a transport that returns the same response to every request, except requests for tokens.
type answering func() *http.Response

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	answer := a()
	if r.URL.Host == tokenHost {
		answer = response(200, "application/json", `{"access_token":"t","expires_in":3600}`)
	}
	answer.Request = r
	return answer, nil
}

// allWays are the upstreams of all wires.
func allWays(t *testing.T, client *http.Client, credentials string) []invoker {
	t.Helper()
	b, err := upstream.NewBedrock(context.Background(), upstream.BedrockOptions{Region: "us-east-1", HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	v, err := upstream.NewVertex(context.Background(), upstream.VertexOptions{Project: "p", Location: "global", Credentials: credentials, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	a, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: "https://relay.test", HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	o, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: "https://relay.test/v1", HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	return []invoker{overWire{b, upstream.WireMessages}, overWire{b, upstream.WireText}, overWire{b, upstream.WireConverse}, overWire{v, upstream.WireMessages}, overWire{v, upstream.WireChat}, a, o}
}
