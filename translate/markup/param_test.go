package markup

import "testing"

func TestParamTag(t *testing.T) {
	tests := []struct{ name, tag string }{
		{"city", "city"}, {"user-id", "user-id"}, {"2fa", "2fa"}, {"a.b", "a.b"}, {"日本", "日本"},
		{"", "%"}, {"%", "%25"}, {"a b", "a%20b"}, {"</invoke>", "%3C%2Finvoke%3E"},
		{"parameters", "parameters"}, {"Invoke", "Invoke"}, {"invoke2", "invoke2"},
		{"tool_call", "tool_call"},
		{"x:y", "x:y"}, {"x:use_tool", "%78%3Ause_tool"},
	}
	for _, tt := range tests {
		if got := ParamTag(tt.name); got != tt.tag {
			t.Errorf("ParamTag(%q) = %q, want %q", tt.name, got, tt.tag)
		}
		if got := ParamName(tt.tag); got != tt.name {
			t.Errorf("ParamName(%q) = %q, want %q", tt.tag, got, tt.name)
		}
	}
}
