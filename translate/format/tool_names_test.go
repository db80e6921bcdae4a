package format

import (
	"strings"
	"testing"

	"dragoman/translate/messages"
)

// TestToolNames looks up names as models write them. Some of the tools have similar names.
func TestToolNames(t *testing.T) {
	names := ToolNames{List: []messages.Tool{{Name: "get_weather"}, {Name: "Dup"}, {Name: "dup"}, {Name: "search"}, {Name: "tools.search"}, {Name: "tool"}, {Name: "web_search"}}}
	for _, tt := range []struct {
		name, tool string
		reason     messages.Reason
		cut        string
	}{
		{"get_weather", "get_weather", messages.ReasonNone, ""},
		{"GET_WEATHER", "get_weather", messages.ReasonNameCase, ""},
		{"get_weather()", "get_weather", messages.ReasonToolName, ""},
		{"functions.get_weather()", "get_weather", messages.ReasonToolName, ""},
		{"`functions`.\"get_weather\"", "get_weather", messages.ReasonToolName, ""},
		{" Default_API.tools.Get_Weather", "get_weather", messages.ReasonToolName, ""},
		{"tool", "tool", messages.ReasonNone, ""},
		{"functions.tool", "tool", messages.ReasonToolName, ""},
		{"`dup`", "dup", messages.ReasonToolName, ""},
		{"`DUP`", "", messages.ReasonNone, "DUP"},       // Dup or dup
		{"'tools.search'", "", messages.ReasonNone, ""}, // tools.search, or search in the namespace
		{"functions.search", "search", messages.ReasonToolName, ""},
		{"web.search", "", messages.ReasonNone, ""},             // web_search or search
		{"default_api:web.search", "", messages.ReasonNone, ""}, // the same
		{"weather.get_weather", "get_weather", messages.ReasonToolName, ""},
		{"get_weather(city)", "", messages.ReasonNone, ""},
		{"get.weather", "get_weather", messages.ReasonToolName, ""},
		{"$get_weather", "get_weather", messages.ReasonToolName, ""},
		{"mcp__maps__get_weather", "get_weather", messages.ReasonToolName, ""},
		{"browser.tool", "tool", messages.ReasonToolName, ""},
		{"functions.get_weather:0", "get_weather", messages.ReasonToolName, ""},
		{"get_weather:12", "get_weather", messages.ReasonToolName, ""},
		{"get_weather:", "", messages.ReasonNone, ""},
		{"get_weather:x1", "", messages.ReasonNone, ""},
		{":0", "", messages.ReasonNone, ""},
		{"functions.", "", messages.ReasonNone, ""},
		{"functions", "", messages.ReasonNone, "functions"},
		{"()", "", messages.ReasonNone, ""},
		{"", "", messages.ReasonNone, ""},
		{"…", "", messages.ReasonNone, ""},
		{"$TOOL_NAME", "", messages.ReasonNone, ""},
		{"[get_weather]", "", messages.ReasonNone, ""},
		{"send mail\x00", "", messages.ReasonNone, ""},
		{"functions.send_mail()", "", messages.ReasonNone, "send_mail"},
		{strings.Repeat("é", 100) + strings.Repeat("a", 200), "", messages.ReasonNone, ""},
		{strings.Repeat("tools.", 80) + "dup", "dup", messages.ReasonToolName, ""},
		{strings.Repeat("tools.", 1<<20) + "dup", "", messages.ReasonNone, ""},
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
