package proxy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"dragoman/translate"
)

// TestToolAdvice offers many tools. The log warns once for each early model that gets the legacy format, and for no
// other model.
func TestToolAdvice(t *testing.T) {
	tools := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name":"tool_%d","input_schema":{"type":"object"}}`, i))
		}
		return strings.Join(list, ",")
	}
	var log bytes.Buffer
	s := newServer(t, completing(endOfTurn, "ok"), func(o *Options) {
		o.Log = zerolog.New(&log)
		o.Routes = []Route{
			{Name: "claude-2.0", UpstreamModel: UpstreamModel{Upstream: "east", ModelOptions: translate.ModelOptions{Format: translate.FormatJSON}}},
			{Name: "claude-*", UpstreamModel: UpstreamModel{Upstream: "east"}},
		}
	})
	said := func() int { return strings.Count(log.String(), "more tools than the documentation") }
	for _, tt := range []struct {
		model, member string
		tools, said   int
	}{
		{"claude-2.1", "", 5, 0},
		{"claude-2.1", `,"tool_choice":{"type":"none"}`, 6, 0},
		{"claude-2.0", "", 6, 0},
		{"claude-opus-4-1", "", 6, 0},
		{"claude-2.1", "", 6, 1},
		{"claude-2.1", "", 7, 1},
		{"claude-instant-v1", "", 6, 2},
		{"claude-3-haiku-20240307", "", 60, 3},
	} {
		post(s, `{"model":"`+tt.model+`","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[`+tools(tt.tools)+`]`+tt.member+`}`)
		if said() != tt.said {
			t.Fatalf("%+v: said %d times:\n%s", tt, said(), &log)
		}
	}
}
