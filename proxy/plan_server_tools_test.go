package proxy

import (
	"strings"
	"testing"
)

// Tools that run in the upstream are dropped and named, unless compat is strict or the model would have to call one.
func TestServerTools(t *testing.T) {
	const search = `{"type":"web_search_20250305","name":"web_search","max_uses":5}`
	all := strings.Replace(question, `"tools":[`, `"mcp_servers":[{"type":"url","name":"x","url":"u"}],"tools":[`+search+
		`,{"type":"web_fetch_20260318","name":"web_fetch"},{"type":"code_execution_20250825","name":"code_execution"},{"type":"mcp_toolset","mcp_server_name":"x"},`, 1)
	only := `{"model":"claude-2.1","max_tokens":9,"messages":[{"role":"user","content":"Hi"}],"tools":[` + search + `],`
	choose := func(body, choice string) string { return `{"tool_choice":` + choice + `,` + body[1:] }
	strict := func(o *Options) { o.Strict = true }
	lenient := func(*Options) {}
	const dropped = "mcp_servers,tools.code_execution,tools.mcp_toolset,tools.web_fetch,tools.web_search"
	for _, tt := range []struct {
		name, body string
		on         func(*Options)
		dropped    string // the dropped fields, or
		refused    string // the reason for the rejection
	}{
		{"beside a tool of the client's", all, lenient, dropped, ""},
		{"forced, and another tool is left", choose(all, `{"type":"any"}`), lenient, dropped, ""},
		{"forced by name", choose(all, `{"type":"tool","name":"web_search"}`), lenient, "", "tools.0: `web_search_20250305` runs in the upstream"},
		{"no other tool", only + `"tool_choice":{"type":"auto"}}`, lenient, "tools.web_search", ""},
		{"forced, and no other tool is left", only + `"tool_choice":{"type":"any"}}`, lenient, "", "tools.0: `web_search_20250305` runs in the upstream"},
		{"strict", all, strict, "", "tools.0: `web_search_20250305` runs in the upstream"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := post(newServer(t, completing(endOfCall, weather...), tt.on), tt.body)
			if got := w.Header().Get("X-Dragoman-Dropped"); got != tt.dropped {
				t.Errorf("dropped %q", got)
			}
			if tt.refused != "" && (w.Code != 400 || !strings.Contains(w.Body.String(), tt.refused)) || tt.refused == "" && w.Code != 200 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}
