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

// statuses are errors that an upstream of the Messages API can return, and the errors that the client must
// get. 401 and 403 become 502: the upstream rejects the proxy's own key, but the client would blame its own
// key for a 401.
var statuses = []struct {
	status int
	kind   string
	told   told
}{
	{400, "invalid_request_error", told{400, "invalid_request_error", false}},
	{401, "authentication_error", told{502, "api_error", true}},
	{402, "billing_error", told{402, "billing_error", false}},
	{403, "permission_error", told{502, "api_error", true}},
	{404, "not_found_error", told{404, "not_found_error", false}},
	{408, "timeout_error", told{408, "timeout_error", false}},
	{409, "conflict_error", told{409, "conflict_error", false}},
	{413, "request_too_large", told{413, "request_too_large", false}},
	{422, "invalid_request_error", told{422, "invalid_request_error", false}},
	{429, "rate_limit_error", told{429, "rate_limit_error", false}},
	{500, "api_error", told{500, "api_error", false}},
	{502, "api_error", told{502, "api_error", false}},
	{503, "api_error", told{503, "api_error", false}},
	{504, "timeout_error", told{504, "timeout_error", false}},
	{529, "overloaded_error", told{529, "overloaded_error", false}},
}

// runStatuses sends requests that the proxy rejects, and lets the upstream fail with each status. The library
// must report the status, the type and the id of each failure, with and without streaming.
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
	// Requests that the proxy rejects: a key, a request, and the client's status and type.
	type refusal struct {
		key   string
		setup Setup
		told  told
	}
	refused := map[string]refusal{
		"wrong key":     {"wrong", good, told{401, "authentication_error", false}},
		"unknown model": {key, with(func(s *Setup) { s.Model = "claude-9" }), told{404, "not_found_error", false}},
		"unknown tool": {
			key, with(func(s *Setup) { s.Tools, s.Choice = []Tool{weather}, &Choice{Type: "tool", Name: "get_time"} }),
			told{400, "invalid_request_error", false},
		},
	}
	if c.Hides.NoSuchTool {
		delete(refused, "unknown tool")
	}
	if !c.Hides.Refusals {
		refused["no tokens"] = refusal{key, with(func(s *Setup) { s.MaxTokens = -1 }), told{400, "invalid_request_error", false}}
	}
	for _, way := range c.ways() {
		for name, r := range refused {
			t.Run(name+" "+way.name, func(t *testing.T) {
				_, err := way.ask(t, c.Open(url, r.key, r.setup), say("Good morning!"))
				c.checkFailure(t, err, r.told)
			})
		}
		for _, s := range statuses {
			t.Run(fmt.Sprintf("%d %s", s.status, way.name), func(t *testing.T) {
				_, err := way.ask(t, c.Open(url, key, good), say(fmt.Sprintf("Fail with %d.", s.status)))
				c.checkFailure(t, err, s.told)
			})
		}
		t.Run("none "+way.name, func(t *testing.T) { must(t, c.Open(url, key, good), say("Good morning!"), way.ask) })
	}
}

// serveMessages starts dragoman, which requires the key, in front of a fake server of the Messages API, and
// returns its base URL. dragoman asks the fake only once for each request, because the cases expect to see
// each failure.
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

// checkFailure checks that err is a failure of the server, in the form of the client's API.
func (c Client) checkFailure(t *testing.T, err error, want told) {
	t.Helper()
	var failure *Failure
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v, want a failure the server told of", err)
	}
	c.Dialect.tells(t, failure, want)
	if failure.RequestID == "" && !c.Hides.RequestID {
		t.Error("failure has no request id")
	}
}

// runFailures lets the model fail before and in the middle of its answer. A failure before the answer has its
// status. A failure in the middle is an error too, never an answer that looks complete.
func runFailures(t *testing.T, c Client) {
	const text = "An answer that breaks off before it has come to its end."
	faults := map[string]struct {
		fault         *upstreamtest.Fault
		whole, stream int // the status without streaming, and with streaming
		kind          string
		final         bool
	}{
		"refused":   {upstreamtest.Refuse(400, "ValidationException", "prompt is too long", ""), 400, 400, "invalid_request_error", false},
		"forbidden": {upstreamtest.Refuse(403, "AccessDeniedException", "no", ""), 502, 502, "api_error", true},
		"fails":     {upstreamtest.Fail(6, "ModelStreamErrorException", "broken"), 500, 200, "api_error", false},
		"cut short": {upstreamtest.Cut(900), 502, 200, "api_error", false},
		"ends":      {upstreamtest.End(900), 502, 200, "api_error", false},
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
				c.checkFailure(t, err, told{status, f.kind, f.final})
			}
		})
	}
}
