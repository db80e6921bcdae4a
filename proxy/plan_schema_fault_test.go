package proxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// compat: strict rejects a schema with an unknown type or a dangling $ref, and says where and what to write. compat:
// lenient shows the schema to the model, and tells the client and the log.
func TestSchemaWithAFault(t *testing.T) {
	const (
		messagesBody = `{"model":"claude-2.1","max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"t","input_schema":‹›}]}`
		converseBody = `{"messages":[{"role":"user","content":[{"text":"x"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"t","inputSchema":{"json":‹›}}}]}}`
		mistyped     = `{"type":"object","properties":{"c4n4ry":{"type":"strng"}}}`
		dangling     = `{"type":"object","properties":{"c4n4ry":{"$ref":"#/$defs/City"}},"$defs":{"Town":{"type":"string"}}}`
	)
	for _, tt := range []struct{ path, body, schema, message, errorPath, dropped string }{
		{
			"/v1/messages", messagesBody, mistyped,
			`tools.0.custom.input_schema.properties.c4n4ry.type: unknown type \"strng\". Use one of: string, integer,`,
			"tools.0.custom.input_schema.properties.*.type", "tools.input_schema",
		},
		{
			"/v1/messages", messagesBody, dangling,
			`tools.0.custom.input_schema.properties.c4n4ry.$ref: the schema has no \"#/$defs/City\". Use one of: #/$defs/Town.`,
			"tools.0.custom.input_schema.properties.*.$ref", "tools.input_schema",
		},
		{
			conversePath, converseBody, mistyped,
			`toolConfig.tools.0.toolSpec.inputSchema.json.properties.c4n4ry.type: unknown type \"strng\".`,
			"toolConfig.tools.0.toolSpec.inputSchema.json.properties.*.type", "toolConfig.tools.toolSpec.inputSchema.json",
		},
	} {
		body := strings.Replace(tt.body, "‹›", tt.schema, 1)
		var log logged
		w := httptest.NewRecorder()
		answerTo(newServer(t, completing(endOfTurn, "hi"), log.option, func(opt *Options) { opt.Strict = true }), w, newRequest("POST", tt.path, body))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), tt.message) {
			t.Errorf("%s %s: %d %s", tt.path, tt.schema, w.Code, w.Body)
		}
		if line := log.exchange(t); line["error_path"] != tt.errorPath || line["error_reason"] != "invalid_schema" {
			t.Errorf("%s %s: %v", tt.path, tt.schema, line)
		}

		var lenient logged
		w = httptest.NewRecorder()
		answerTo(newServer(t, completing(endOfTurn, "hi"), lenient.option), w, newRequest("POST", tt.path, body))
		if got := w.Header().Get("X-Dragoman-Dropped"); w.Code != http.StatusOK || got != tt.dropped {
			t.Errorf("%s %s: %d, dropped %q", tt.path, tt.schema, w.Code, got)
		}
		if dropped, _ := lenient.exchange(t)["dropped"].([]any); len(dropped) != 1 || dropped[0] != tt.dropped {
			t.Errorf("%s %s: the log has %v", tt.path, tt.schema, dropped)
		}
	}
}
