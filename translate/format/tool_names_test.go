package format

import (
	"strings"
	"testing"

	"dragoman/translate/messages"
)

// TestToolNames looks up names as models write them. Some of the tools have similar names.
func TestToolNames(t *testing.T) {
	names := ToolNames{List: []messages.Tool{{Name: "get_weather"}, {Name: "Dup"}, {Name: "dup"}, {Name: "search"}, {Name: "tools.search"}, {Name: "tool"}}}
	for _, tt := range []struct{ name, tool, reason, cut string }{
		{"get_weather", "get_weather", "", ""},
		{"GET_WEATHER", "get_weather", "name_case", ""},
		{"get_weather()", "get_weather", "tool_name", ""},
		{"functions.get_weather()", "get_weather", "tool_name", ""},
		{"`functions`.\"get_weather\"", "get_weather", "tool_name", ""},
		{" Default_API.tools.Get_Weather", "get_weather", "tool_name", ""},
		{"tool", "tool", "", ""},
		{"functions.tool", "tool", "tool_name", ""},
		{"`dup`", "dup", "tool_name", ""},
		{"`DUP`", "", "", "DUP"},       // Dup or dup
		{"'tools.search'", "", "", ""}, // tools.search, or search in the namespace
		{"functions.search", "search", "tool_name", ""},
		{"weather.get_weather", "get_weather", "tool_name", ""},
		{"get_weather(city)", "", "", ""},
		{"get.weather", "get_weather", "tool_name", ""},
		{"$get_weather", "get_weather", "tool_name", ""},
		{"mcp__maps__get_weather", "get_weather", "tool_name", ""},
		{"browser.tool", "tool", "tool_name", ""},
		{"functions.get_weather:0", "get_weather", "tool_name", ""},
		{"get_weather:12", "get_weather", "tool_name", ""},
		{"get_weather:", "", "", ""},
		{"get_weather:x1", "", "", ""},
		{":0", "", "", ""},
		{"functions.", "", "", ""},
		{"functions", "", "", "functions"},
		{"()", "", "", ""},
		{"", "", "", ""},
		{"…", "", "", ""},
		{"$TOOL_NAME", "", "", ""},
		{"[get_weather]", "", "", ""},
		{"send mail\x00", "", "", ""},
		{"functions.send_mail()", "", "", "send_mail"},
		{strings.Repeat("é", 100) + strings.Repeat("a", 200), "", "", ""},
		{strings.Repeat("tools.", 80) + "dup", "dup", "tool_name", ""},
		{strings.Repeat("tools.", 1<<20) + "dup", "", "", ""},
	} {
		tool, reason := names.Find(tt.name)
		got := ""
		if tool != nil {
			got = tool.Name
		}
		if got != tt.tool || reason != tt.reason {
			t.Errorf("%.60q is %q (%s), want %q (%s)", tt.name, got, reason, tt.tool, tt.reason)
		}
		if cut := names.Core(tt.name); tool == nil && (cut != tt.cut || cut != "" && !IsToolName(cut)) {
			t.Errorf("%.60q has the core %q, want %q", tt.name, cut, tt.cut)
		}
	}
}
