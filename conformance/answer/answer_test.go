package answer

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// This package finds broken rules. Otherwise the tests that use it would accept any answer.
func TestReadFinds(t *testing.T) {
	const (
		start = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n"
		begin = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\"}}\n\n"
		part  = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"{\\\"a\\\":1\"}}\n\n"
		rest  = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"}\"}}\n\n"
		end   = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
		delta = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n"
		stop  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
		fail  = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\"}}\n\n"
		ping  = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
	)
	for name, tt := range map[string]struct{ stream, problem string }{
		"whole":                      {start + ping + begin + part + rest + end + delta + stop, ""},
		"cut, and said":              {start + begin + part + fail, ""},
		"an error before the start":  {fail, "error must not come"},
		"cut":                        {start + begin + part, "without message_stop"},
		"cut in a frame":             {start + begin + part + rest + end + delta + stop[:len(stop)-1], "without message_stop"},
		"nothing":                    {"", "without message_stop"},
		"an error behind the end":    {start + delta + stop + fail, "error must not come"},
		"a ping behind the end":      {start + delta + stop + ping, "ping must not come"},
		"two ends":                   {start + delta + stop + stop, "message_stop must not come"},
		"an end in a block":          {start + begin + delta + stop, "message_delta must not come"},
		"a cut call that parses":     {start + begin + part + rest + fail, "the call is whole: false"},
		"a whole call that does not": {start + begin + part + end + delta + stop, "the call is whole: true"},
		"another name":               {strings.Replace(start, "event: message_start", "event: ping", 1), "says that it is"},
		"no JSON":                    {"event: ping\ndata: {\n\n", "unexpected end"},
	} {
		t.Run(name, func(t *testing.T) {
			res := &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(tt.stream))}
			if _, err := Read(res, Messages, true); (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%v, want %q", err, tt.problem)
			}
		})
	}
	for body, problem := range map[string]string{
		`{"type":"message","content":[],"stop_reason":"end_turn"}`: "",
		`{"type":"message","content":[]}`:                          "the message is whole: false",
		`{"type":"message"`:                                        "unexpected end",
	} {
		res := &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body))}
		if _, err := Read(res, Messages, false); (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, want %q", body, err, problem)
		}
	}
}
