package conformance

import (
	"errors"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// runFailures asks for what cannot be had. Each library must see the status, the type and the id of
// the failure, whether it asked for a stream or not.
func runFailures(t *testing.T, d Dialect, open Opener) {
	url := Serve(t, []string{"DRAGOMAN_KEY=right"}, "--config", WriteConfig(t, `
auth: {keys: ["${DRAGOMAN_KEY}"]}
upstreams:
  sim: {kind: simulated}
models:
  - {name: `+model+`, upstream: sim}
`))
	good := Setup{Model: model, MaxTokens: 64}
	with := func(change func(*Setup)) Setup {
		setup := good
		change(&setup)
		return setup
	}
	scenes := map[string]struct {
		key    string
		setup  Setup
		status int
		kind   string
	}{
		"wrong key":     {"wrong", good, 401, "authentication_error"},
		"unknown model": {"right", with(func(s *Setup) { s.Model = "claude-9" }), 404, "not_found_error"},
		"no tokens":     {"right", with(func(s *Setup) { s.MaxTokens = -1 }), 400, "invalid_request_error"},
		"unknown tool": {
			"right",
			with(func(s *Setup) { s.Tools, s.Choice = []Tool{weather}, Choice{Type: "tool", Name: "get_time"} }),
			400, "invalid_request_error",
		},
	}
	for way, ask := range ways {
		t.Run("right key/"+way, func(t *testing.T) {
			must(t, open(url, "right", good), Turn{Text: "Good morning!"}, ask)
		})
		for name, scene := range scenes {
			t.Run(name+"/"+way, func(t *testing.T) {
				_, err := ask(t, open(url, scene.key, scene.setup), Turn{Text: "Good morning!"})
				checkFailure(t, d, err, scene.status, scene.kind)
			})
		}
	}
}

// checkFailure checks what a library tells of a failure that the Messages API would answer with the
// status and the type.
func checkFailure(t *testing.T, d Dialect, err error, status int, kind string) {
	t.Helper()
	var failure *Failure
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v, want a failure the server told of", err)
	}
	d(t, failure, status, kind)
	if failure.RequestID == "" {
		t.Error("failure has no request id")
	}
}

// runUpstreamFailures lets the model fail before and within its answer. A failure before the answer has
// its status; one within it is an error too, never an answer that looks whole.
func runUpstreamFailures(t *testing.T, d Dialect, open Opener) {
	const text = "An answer that breaks off before it has come to its end."
	scenes := map[string]struct {
		fault         *upstreamtest.Fault
		whole, stream int // the status
		kind          string
	}{
		"refused":   {upstreamtest.Refuse(400, "ValidationException", "prompt is too long", ""), 400, 400, "invalid_request_error"},
		"forbidden": {upstreamtest.Refuse(403, "AccessDeniedException", "no", ""), 502, 502, "api_error"},
		"fails":     {upstreamtest.Fail(6, "ModelStreamErrorException", "broken"), 500, 200, "api_error"},
		"cut short": {upstreamtest.Cut(900), 502, 200, "api_error"},
		"ends":      {upstreamtest.End(900), 502, 200, "api_error"},
	}
	for name, scene := range scenes {
		for way, ask := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				url, _ := serveBedrock(t, upstreamtest.Answer(upstreamtest.Completion{Text: text, Fault: scene.fault}))
				_, err := ask(t, open(url, "", Setup{Model: model, MaxTokens: 64}), Turn{Text: "Good morning!"})
				status := scene.whole
				if way == "streamed" {
					status = scene.stream
				}
				checkFailure(t, d, err, status, scene.kind)
			})
		}
	}
}
