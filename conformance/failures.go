package conformance

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// statuses are what an upstream of the Messages API can refuse with, and what the client is then told.
// 401 and 403 become 502: it is the proxy's own key that the upstream did not take, and a client that
// saw 401 would look for the fault in its own.
var statuses = []struct {
	status   int
	kind     string
	told     int
	toldKind string
}{
	{400, "invalid_request_error", 400, "invalid_request_error"},
	{401, "authentication_error", 502, "api_error"},
	{402, "billing_error", 402, "billing_error"},
	{403, "permission_error", 502, "api_error"},
	{404, "not_found_error", 404, "not_found_error"},
	{408, "timeout_error", 408, "timeout_error"},
	{409, "conflict_error", 409, "conflict_error"},
	{413, "request_too_large", 413, "request_too_large"},
	{422, "invalid_request_error", 422, "invalid_request_error"},
	{429, "rate_limit_error", 429, "rate_limit_error"},
	{500, "api_error", 500, "api_error"},
	{502, "api_error", 502, "api_error"},
	{503, "api_error", 503, "api_error"},
	{504, "timeout_error", 504, "timeout_error"},
	{529, "overloaded_error", 529, "overloaded_error"},
}

// runStatuses asks for what the proxy refuses, and has the upstream refuse with each status. The library
// must see the status, the type and the id of each failure, whether it asked for a stream or not.
func runStatuses(t *testing.T, c Client) {
	const key = "the-right-key-of-all"
	url := serveMessages(t, key, func(_ string, p *translate.Prompt) upstreamtest.Completion {
		for _, s := range statuses {
			if strings.Contains(p.Text(), fmt.Sprintf("Fail with %d.", s.status)) {
				return upstreamtest.Completion{Fault: upstreamtest.Refuse(s.status, s.kind, "not now", "")}
			}
		}
		return upstreamtest.Completion{Text: "Good morning!"}
	})
	good := Setup{Model: model, MaxTokens: 64}
	with := func(change func(*Setup)) Setup {
		setup := good
		change(&setup)
		return setup
	}
	// What the proxy refuses: a key, a request, and the status and type that the client is told.
	type refusal struct {
		key    string
		setup  Setup
		status int
		kind   string
	}
	refused := map[string]refusal{
		"wrong key":     {"wrong", good, 401, "authentication_error"},
		"unknown model": {key, with(func(s *Setup) { s.Model = "claude-9" }), 404, "not_found_error"},
		"unknown tool": {
			key, with(func(s *Setup) { s.Tools, s.Choice = []Tool{weather}, &Choice{Type: "tool", Name: "get_time"} }),
			400, "invalid_request_error",
		},
	}
	if c.Hides.NoSuchTool {
		delete(refused, "unknown tool")
	}
	if !c.Hides.Refusals {
		refused["no tokens"] = refusal{key, with(func(s *Setup) { s.MaxTokens = -1 }), 400, "invalid_request_error"}
	}
	for _, way := range c.ways() {
		for name, r := range refused {
			t.Run(name+" "+way.name, func(t *testing.T) {
				_, err := way.ask(t, c.Open(url, r.key, r.setup), say("Good morning!"))
				c.checkFailure(t, err, r.status, r.kind)
			})
		}
		for _, s := range statuses {
			t.Run(fmt.Sprintf("%d %s", s.status, way.name), func(t *testing.T) {
				_, err := way.ask(t, c.Open(url, key, good), say(fmt.Sprintf("Fail with %d.", s.status)))
				c.checkFailure(t, err, s.told, s.toldKind)
			})
		}
		t.Run("none "+way.name, func(t *testing.T) { must(t, c.Open(url, key, good), say("Good morning!"), way.ask) })
	}
}

// serveMessages starts dragoman, which wants the key, in front of a fake server of the Messages API, and
// returns its base URL. It asks the fake only once for each request: the cases count on each failure
// reaching the client.
func serveMessages(t *testing.T, key string, script upstreamtest.Script) string {
	t.Helper()
	server := httptest.NewServer(upstreamtest.NewMessages(script))
	t.Cleanup(server.Close)
	return Serve(t, []string{"DRAGOMAN_KEY=" + key}, "--config", WriteConfig(t, fmt.Sprintf(`
auth: {keys: ["${DRAGOMAN_KEY}"]}
upstreams:
  relay: {kind: anthropic, base_url: %q, api_key: none}
models:
  - {name: %s, upstream: relay}
limits: {attempts: 1}
`, server.URL, model)))
}

// checkFailure checks that err is a failure that the server told of, as the client's API tells of one
// with this status and this error type in the Messages API.
func (c Client) checkFailure(t *testing.T, err error, status int, kind string) {
	t.Helper()
	var failure *Failure
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v, want a failure the server told of", err)
	}
	c.Dialect.tells(t, failure, status, kind)
	if failure.RequestID == "" && !c.Hides.RequestID {
		t.Error("failure has no request id")
	}
}

// runFailures lets the model fail before and within its answer. A failure before the answer has its
// status; one within it is an error too, never an answer that looks whole.
func runFailures(t *testing.T, c Client) {
	const text = "An answer that breaks off before it has come to its end."
	faults := map[string]struct {
		fault         *upstreamtest.Fault
		whole, stream int // the status, for an answer that is not streamed and for one that is
		kind          string
	}{
		"refused":   {upstreamtest.Refuse(400, "ValidationException", "prompt is too long", ""), 400, 400, "invalid_request_error"},
		"forbidden": {upstreamtest.Refuse(403, "AccessDeniedException", "no", ""), 502, 502, "api_error"},
		"fails":     {upstreamtest.Fail(6, "ModelStreamErrorException", "broken"), 500, 200, "api_error"},
		"cut short": {upstreamtest.Cut(900), 502, 200, "api_error"},
		"ends":      {upstreamtest.End(900), 502, 200, "api_error"},
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			url, _ := serveBedrock(t, upstreamtest.Answer(upstreamtest.Completion{Text: text, Fault: f.fault}))
			for _, way := range c.ways() {
				_, err := way.ask(t, c.Open(url, "", Setup{Model: model, MaxTokens: 64}), say("Good morning!"))
				status := f.whole
				if way.name == streamed {
					status = f.stream
				}
				c.checkFailure(t, err, status, f.kind)
			}
		})
	}
}
