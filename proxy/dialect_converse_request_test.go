package proxy

import (
	"strings"
	"testing"
)

// saying returns a request with one message of this content.
func saying(content string) string {
	return `{"messages":[{"role":"user","content":[` + content + `]}]}`
}

const hi = `{"text":"Hi"}`

// Errors use the client's names of fields, whoever finds them.
func TestConverseErrors(t *testing.T) {
	const spec = `{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}`
	inConversation := func(block string) string {
		return `{"messages":[{"role":"user","content":[` + hi + `]},{"role":"assistant","content":[` + hi + `,{"cachePoint":{"type":"default"}},` + block + `]}]}`
	}
	tests := []struct{ body, want string }{
		{`{"messages":`, "messages: The request body is not valid JSON"},
		{`null`, "Input should be a valid dictionary"},
		{``, "The request body is empty"},
		{`{"messages":[],"messages":[]}`, "messages: The name occurs more than once"},
		{`{"messages":{}}`, "messages: This should be a list."},
		{saying(`{"text":5}`), "messages.0.content.0.text: This should be a string."},
		{saying(`"Hi"`), "messages.0.content.0: This should be an object."},
		{saying(`{"toolUse":{"input":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`), "The request body is nested deeper"},
		{`{}`, "messages: Field required"},
		{`{"messages":[{"role":"user"}]}`, "messages.0.content: Field required"},
		{`{"messages":[{"role":"robot","content":[]}]}`, "messages.0.role: Input should be"},
		{saying(`{}`), "messages.0.content.0: Exactly one member should be set, but 0 are."},
		{saying(`{"text":"a","image":{}}`), "messages.0.content.0: Exactly one member should be set, but 2 are."},
		{saying(`{"text":""}`), "messages.0.content.0.text: The text field is blank."},
		{saying(`{"video":{}}`), "messages.0.content.0.video: This field is not supported here."},
		{saying(`{"citationsContent":{}}`), "messages.0.content.0.citationsContent: This field is not"},
		{saying(`{"json":{}}`), "messages.0.content.0.json: This kind of block is not supported here."},
		{saying(`{"image":{"format":"png","source":{"bytes":"iVBO!"}}}`), "messages.0.content.0.image.source.bytes: Input should be the base64"},
		{saying(`{"image":{"format":"tiff","source":{"bytes":""}}}`), "messages.0.content.0.image.format: The format"},
		{saying(`{"image":{"format":"png","source":{"s3Location":{"uri":"s3://b/k"}}}}`), "messages.0.content.0.image.source.s3Location: This field is not"},
		{saying(`{"image":{"format":"png","source":{"text":"x"}}}`), "messages.0.content.0.image.source.text: This kind of source"},
		{saying(`{"document":{"format":"docx","name":"n","source":{"bytes":""}}}`), "messages.0.content.0.document.format: Only pdf"},
		{saying(`{"document":{"format":"txt","name":"n","source":{"bytes":"/w=="}}}`), "messages.0.content.0.document.source.bytes: These"},
		{saying(`{"document":{"name":"n","source":{"content":[{"image":{}}]}}}`), "messages.0.content.0.document.source.content.0.image: This kind of block"},
		{saying(`{"toolResult":{"toolUseId":"t","content":[{"video":{}}]}}`), "messages.0.content.0.toolResult.content.0.video: This field is not"},
		{saying(`{"toolResult":{"toolUseId":"t","content":[],"status":"odd"}}`), "messages.0.content.0.toolResult.status: The status"},
		{saying(`{"toolResult":{"toolUseId":"t","content":[]}}`), "messages.0.content.0: unexpected `toolUseId` found in `toolResult` blocks: t."},
		{saying(`{"toolUse":{"toolUseId":"t","name":"f","input":{}}}`), "messages.0.content.0: `toolUse` blocks can only be in `assistant` messages"},
		{saying(`{"cachePoint":{"type":"odd"}}`), "messages.0.content.0.cachePoint.type: A cache point"},
		{inConversation(`{"toolUse":{"toolUseId":"t","name":"f","input":"x"}}`), "messages.1.content.2.toolUse.input: Input should be a valid dictionary"},
		{inConversation(`{"toolUse":{"name":"f","input":{}}}`), "messages.1.content.2.toolUse.toolUseId: Field required"},
		{inConversation(`{"toolUse":{"toolUseId":"","name":"f","input":{}}}`), "messages.1.content.2.toolUse.toolUseId: String"},
		{inConversation(`{"toolUse":{"toolUseId":"t","name":"f","input":{},"type":"server_tool_use"}}`), "messages.1.content.2.toolUse.type: Tools"},
		{`{"messages":[],"system":[{"image":{}}]}`, "system.0.image: This kind of block"},
		{`{"messages":[],"inferenceConfig":{"maxTokens":"x"}}`, "inferenceConfig.maxTokens: Input should be a valid integer"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"inferenceConfig":{"temperature":2}}`, "inferenceConfig.temperature: Input should be less"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"inferenceConfig":{"stopSequences":[" "]}}`, "inferenceConfig.stopSequences: each"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"additionalModelRequestFields":{"top_k":-1}}`, "additionalModelRequestFields.top_k: Input"},
		{`{"messages":[],"toolConfig":{"tools":[{"otherTool":{"name":"f"}}]}}`, "toolConfig.tools.0.otherTool: This field is not"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"toolConfig":{"tools":[{"systemTool":{"name":"nova_grounding"}}],"toolChoice":{"any":{}}}}`, "toolConfig.toolChoice: Type `any` may only"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"toolConfig":{"tools":[` + spec + `,{"cachePoint":{"type":"default"}},{"toolSpec":{"name":"g","inputSchema":{"json":{"type":"array"}}}}]}}`,
			"toolConfig.tools.2.toolSpec.inputSchema.json.type: Input should be 'object'"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"toolConfig":{"tools":[` + spec + `],"toolChoice":{"tool":{"name":"g"}}}}`,
			"toolConfig.toolChoice.tool.name: Tool 'g' not found"},
		{`{"messages":[],"toolConfig":{"toolChoice":{"none":{}}}}`, "toolConfig.toolChoice.none: This field is not"},
		{`{"messages":[],"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{"}}}}}`,
			"outputConfig.textFormat.structure.jsonSchema.schema: This should be JSON."},
	}
	s := newServer(t, completing(endOfTurn, "Hi"))
	for _, test := range tests {
		w := postTo(s, "/model/claude-2.1/converse", test.body)
		if got := checkException(t, w, 400, "ValidationException"); !strings.HasPrefix(got, test.want) {
			t.Errorf("%.200s:\n%s\nwant %s", test.body, got, test.want)
		}
	}
}

// Fields that the model cannot use are dropped or rejected under their Converse names.
func TestConverseDropped(t *testing.T) {
	body := `{"messages":[{"role":"user","content":[` + hi + `,{"cachePoint":{"type":"default"}}]}],"requestMetadata":{"a":"b"},` +
		`"toolConfig":{"tools":[{"systemTool":{"name":"nova_grounding"}}]},` +
		`"inferenceConfig":{"temperature":0.5},"additionalModelRequestFields":{"zeal":1,"metadata":{"user_id":"u"}}}`
	w := postTo(newServer(t, completing(endOfTurn, "Hi")), "/model/claude-2.1/converse", body)
	want := "additionalModelRequestFields.metadata,additionalModelRequestFields.zeal,messages.content.cachePoint,requestMetadata,toolConfig.tools.systemTool"
	if got := w.Header.Get("X-Dragoman-Dropped"); w.StatusCode != 200 || got != want {
		t.Errorf("%d, dropped %s", w.StatusCode, got)
	}
	w = postTo(newServer(t, completing(endOfTurn, "Hi"), func(o *Options) { o.Strict = true }), "/model/claude-2.1/converse", body)
	if got := checkException(t, w, 400, "ValidationException"); got != "additionalModelRequestFields.zeal: Not supported here. Remove the field, or change its value." {
		t.Error(got)
	}
}
