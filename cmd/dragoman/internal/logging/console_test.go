package logging

import (
	"strings"
	"testing"
	"unicode"
)

// The lines for people, made from lines of the log.
func TestConsole(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"level":"warn","delay":"1 s","n":3,"msg":"the upstream is slow"}`, `WRN the upstream is slow delay="1 s" n=3`},
		{`{"level":"info","request_id":"req_1","dialect":"messages","model":"claude-2.1","upstream":"sim","stop_reason":"tool_use","ttfe_ms":1.2,"status":200,"attempts":1,"duration_ms":812.4,"bytes_in":5,"output_tokens":58,"tool_calls":1,"dropped":["top_k"],"msg":"exchange"}`,
			`INF exchange status=200 dialect=messages model=claude-2.1 output_tokens=58 tool_calls=1 attempts=1 stop_reason=tool_use dropped=["top_k"] duration_ms=812.4`},
		{`{"level":"info","dialect":"messages","format":"legacy","tool_call_outcomes":["clean"],"tool_call_reasons":["none"],"status":200,"tool_calls":1,"msg":"exchange"}`,
			`INF exchange status=200 dialect=messages tool_calls=1`},
		{`{"level":"info","dialect":"messages","format":"legacy","tool_call_outcomes":["clean","leaked"],"tool_call_reasons":["none","quoted"],"status":200,"tool_calls":2,"msg":"exchange"}`,
			`INF exchange status=200 dialect=messages tool_calls=2 tool_call_outcomes=["clean","leaked"] tool_call_reasons=["none","quoted"] format=legacy`},
		{`{"level":"info","dialect":"messages","format":"json","tool_call_outcomes":["clean"],"tool_call_reasons":["repeated"],"status":200,"tool_calls":1,"msg":"exchange"}`,
			`INF exchange status=200 dialect=messages tool_calls=1 tool_call_outcomes=["clean"] tool_call_reasons=["repeated"] format=json`},
		{`{"level":"info","dialect":"messages","format":"json","unmet":["tool_choice"],"status":200,"tool_calls":0,"msg":"exchange"}`,
			`INF exchange status=200 dialect=messages tool_calls=0 format=json unmet=["tool_choice"]`},
		{`{"level":"info","request_id":"req_2","path":"/v1/*","error_type":"not_found_error","status":404,"attempts":0,"input_tokens":0,"output_tokens":0,"tool_calls":0,"msg":"exchange"}`,
			`INF exchange status=404 path=/v1/* error_type=not_found_error request_id=req_2`},
	}
	for _, tt := range tests {
		var out strings.Builder
		if _, err := Console(&out, false).Write([]byte(tt.line)); err != nil {
			t.Error(err)
		}
		_, got, _ := strings.Cut(out.String(), " ") // the time
		if got != tt.want+"\n" {
			t.Errorf("%s\nis  %swant %s", tt.line, got, tt.want)
		}
	}
}

// A client's text can neither act upon the terminal nor end the line.
func TestConsoleHostile(t *testing.T) {
	hostile := "a\x1b]0;owned\x07\r\n\u202eb\u200bc\u0085d\x9be\x00\x7f"
	for _, format := range []string{"console", "json"} {
		var out strings.Builder
		log := New(&out, format, "debug", true)
		log.Info().Str("model", hostile).Str("dialect", hostile).Strs("dropped", []string{hostile}).Int("status", 200).Str("msg", "exchange").Send()
		log.Warn().Str("error", hostile).Str("msg", hostile).Send()
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 2 {
			t.Errorf("%s: %d lines: %q", format, len(lines), out.String())
		}
		for _, line := range lines {
			raw := strings.ContainsFunc(line, func(r rune) bool { return r < ' ' })
			if format == "console" {
				raw = strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) })
			}
			if raw {
				t.Errorf("%s: %q", format, line)
			}
		}
	}
}
