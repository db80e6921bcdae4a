package proxy

import (
	"dragoman/translate/messages"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// saying is a request whose one message has this content.
func saying(content string) string {
	return `{"messages":[{"role":"user","content":[` + content + `]}]}`
}

const hi = `{"text":"Hi"}`

func TestConvertConverse(t *testing.T) {
	content := func(blocks string) string {
		return `{"max_tokens":4096,"messages":[{"role":"user","content":[` + blocks + `]}]}`
	}
	with := func(members string) string { return `{"max_tokens":4096,"messages":[],` + members + `}` }
	const file = `"source":{"bytes":"SGVsbG8="}`
	tests := []struct{ name, from, to, dropped string }{
		{"text", saying(hi), content(`{"type":"text","text":"Hi"}`), ""},
		{"nothing", `{}`, `{"max_tokens":4096}`, ""},
		{"nulls", `{"messages":[],"system":null,"toolConfig":null,"inferenceConfig":{"maxTokens":null},"additionalModelRequestFields":null,"guardrailConfig":null}`,
			`{"max_tokens":4096,"messages":[]}`, ""},
		{"inference", `{"messages":[],"inferenceConfig":{"maxTokens":5,"temperature":0.5,"topP":0.9,"stopSequences":["END"],"topZ":1}}`,
			`{"max_tokens":5,"messages":[],"stop_sequences":["END"],"temperature":0.5,"top_p":0.9}`, "inferenceConfig.topZ"},
		{"image", saying(`{"image":{"format":"png","source":{"bytes":"aGk="}}}`),
			content(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`), ""},
		{"a PDF", saying(`{"document":{"format":"pdf","name":"n","context":"c","citations":{"enabled":true},"source":{"bytes":"aGk="}}}`),
			content(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="},"title":"n","context":"c","citations":{"enabled":true}}`), ""},
		{"a file of text", saying(`{"document":{"format":"md","name":"n",` + file + `}}`),
			content(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"Hello"},"title":"n"}`), ""},
		{"a document of text", saying(`{"document":{"name":"n","source":{"text":"Hello"}}}`),
			content(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"Hello"},"title":"n"}`), ""},
		{"a document of blocks", saying(`{"document":{"name":"n","source":{"content":[` + hi + `]}}}`),
			content(`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"Hi"}]},"title":"n"}`), ""},
		{"a call", saying(`{"toolUse":{"toolUseId":"t.1:x","name":"f","input":{"a":[1]}}}`),
			content(`{"type":"tool_use","id":"t.1:x","name":"f","input":{"a":[1]}}`), ""},
		{"a result", saying(`{"toolResult":{"toolUseId":"t","status":"success","content":[` + hi + `,{"json":{"b": 1.0, "a":"<"}},{"image":{"format":"gif","source":{"bytes":""}}},{"document":{"name":"n","source":{"text":"d"}}}]}}`),
			content(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"Hi"},{"type":"text","text":"{\"b\":1.0,\"a\":\"<\"}"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/gif","data":""}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},"title":"n"}]}`), ""},
		{"a result that failed", saying(`{"toolResult":{"toolUseId":"t","status":"error","content":[]}}`),
			content(`{"type":"tool_result","tool_use_id":"t","content":[],"is_error":true}`), ""},
		{"reasoning", saying(`{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"reasoningContent":{"redactedContent":"r"}}`),
			content(`{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"r"}`), ""},
		{"guarded", saying(`{"guardContent":{"text":{"text":"Hi","qualifiers":["query"]}}},{"guardContent":{"image":{"format":"jpeg","source":{"bytes":""}}}}`),
			content(`{"type":"text","text":"Hi"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":""}}`),
			"messages.content.guardContent.text.qualifiers"},
		{"system", `{"messages":[],"system":[` + hi + `,{"guardContent":{"text":{"text":"Ho"}}},{"cachePoint":{"type":"default"}}]}`,
			with(`"system":[{"type":"text","text":"Hi"},{"type":"text","text":"Ho","cache_control":{"type":"ephemeral"}}]`), ""},
		{"cache points", saying(`{"cachePoint":{"type":"default"}},` + hi + `,{"cachePoint":{"type":"default","ttl":"1h"}},` + hi),
			content(`{"type":"text","text":"Hi","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"Hi"}`), "messages.content.cachePoint"},
		{"tools", `{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"d","inputSchema":{"json":{"type":"object"}},"strict":true}},{"cachePoint":{"type":"default"}}],"toolChoice":{"auto":{}}}}`,
			with(`"tools":[{"name":"f","description":"d","input_schema":{"type":"object"},"strict":true,"cache_control":{"type":"ephemeral"}}],"tool_choice":{"type":"auto"}`), ""},
		{"a tool without members", `{"messages":[],"toolConfig":{"tools":[{"toolSpec":{}},{"cachePoint":{"type":"default"}},{"cachePoint":{"type":"default","ttl":"1h"}}]}}`,
			with(`"tools":[{"cache_control":{"type":"ephemeral","ttl":"1h"}}]`), ""},
		{"any tool", `{"messages":[],"toolConfig":{"toolChoice":{"any":{}}}}`, with(`"tool_choice":{"type":"any"}`), ""},
		{"one tool", `{"messages":[],"toolConfig":{"toolChoice":{"tool":{"name":"f"}}}}`, with(`"tool_choice":{"type":"tool","name":"f"}`), ""},
		{"additional", `{"messages":[],"additionalModelRequestFields":{"top_k":5,"thinking":{"type":"adaptive"},"anthropic_beta":["b"],"a.zeal":1,"max_tokens":9}}`,
			with(`"anthropic_beta":["b"],"thinking":{"type":"adaptive"},"top_k":5`), "additionalModelRequestFields.a_zeal additionalModelRequestFields.max_tokens"},
		{"the stop sequence", `{"messages":[],"additionalModelResponseFieldPaths":["/stop_sequence","/delta/stop_sequence"]}`, `{"max_tokens":4096,"messages":[]}`, ""},
		{"the rest", `{"messages":[],"performanceConfig":{},"serviceTier":{},"requestMetadata":{},"promptVariables":{},"additionalModelResponseFieldPaths":["/stop_sequence","/x"]}`,
			`{"max_tokens":4096,"messages":[]}`, "additionalModelResponseFieldPaths performanceConfig promptVariables requestMetadata serviceTier"},
		{"structured output", `{"messages":[],"outputConfig":{"effort":"low","textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"n","schema":"{\"type\":\"object\"}"}}}}}`,
			with(`"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}}`), "outputConfig.textFormat.structure.jsonSchema.name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := convertConverse(t.Context(), []byte(test.from))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.to, string(c.body)); diff != "" {
				t.Error(diff)
			}
			if got := strings.Join(c.dropped, " "); got != test.dropped {
				t.Errorf("dropped %s", got)
			}
		})
	}
}

// Errors are told in the client's words, whoever finds them.
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
		{saying(`{}`), "messages.0.content.0: One member should be set, and 0 are."},
		{saying(`{"text":"a","image":{}}`), "messages.0.content.0: One member should be set, and 2 are."},
		{saying(`{"text":""}`), "messages.0.content.0.text: The text field is blank."},
		{saying(`{"video":{}}`), "messages.0.content.0.video: This cannot be expressed here."},
		{saying(`{"citationsContent":{}}`), "messages.0.content.0.citationsContent: This cannot"},
		{saying(`{"json":{}}`), "messages.0.content.0.json: A block of this kind has no place here."},
		{saying(`{"image":{"format":"tiff","source":{"bytes":""}}}`), "messages.0.content.0.image.format: The format"},
		{saying(`{"image":{"format":"png","source":{"s3Location":{"uri":"s3://b/k"}}}}`), "messages.0.content.0.image.source.s3Location: This cannot"},
		{saying(`{"image":{"format":"png","source":{"text":"x"}}}`), "messages.0.content.0.image.source.text: A source"},
		{saying(`{"document":{"format":"docx","name":"n","source":{"bytes":""}}}`), "messages.0.content.0.document.format: Documents"},
		{saying(`{"document":{"format":"txt","name":"n","source":{"bytes":"/w=="}}}`), "messages.0.content.0.document.source.bytes: These"},
		{saying(`{"document":{"name":"n","source":{"content":[{"image":{}}]}}}`), "messages.0.content.0.document.source.content.0.image: A block"},
		{saying(`{"toolResult":{"toolUseId":"t","content":[{"video":{}}]}}`), "messages.0.content.0.toolResult.content.0.video: This cannot"},
		{saying(`{"toolResult":{"toolUseId":"t","content":[],"status":"odd"}}`), "messages.0.content.0.toolResult.status: The status"},
		{saying(`{"toolResult":{"toolUseId":"t","content":[]}}`), "messages.0.content.0: unexpected `toolUseId` found in `toolResult` blocks: t."},
		{saying(`{"toolUse":{"toolUseId":"t","name":"f","input":{}}}`), "messages.0.content.0: `toolUse` blocks can only be in `assistant` messages"},
		{saying(`{"cachePoint":{"type":"odd"}}`), "messages.0.content.0.cachePoint.type: A cache point"},
		{inConversation(`{"toolUse":{"toolUseId":"t","name":"f","input":"x"}}`), "messages.1.content.2.toolUse.input: Input should be a valid dictionary"},
		{inConversation(`{"toolUse":{"name":"f","input":{}}}`), "messages.1.content.2.toolUse.toolUseId: Field required"},
		{inConversation(`{"toolUse":{"toolUseId":"t u","name":"f","input":{}}}`), "messages.1.content.2.toolUse.toolUseId: String"},
		{inConversation(`{"toolUse":{"toolUseId":"t","name":"f","input":{},"type":"server_tool_use"}}`), "messages.1.content.2.toolUse.type: Tools"},
		{`{"messages":[],"system":[{"image":{}}]}`, "system.0.image: A block"},
		{`{"messages":[],"inferenceConfig":{"maxTokens":"x"}}`, "inferenceConfig.maxTokens: Input should be a valid integer"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"inferenceConfig":{"temperature":2}}`, "inferenceConfig.temperature: Input should be less"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"inferenceConfig":{"stopSequences":[" "]}}`, "inferenceConfig.stopSequences: each"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"additionalModelRequestFields":{"top_k":-1}}`, "additionalModelRequestFields.top_k: Input"},
		{`{"messages":[],"toolConfig":{"tools":[{"systemTool":{"name":"nova_grounding"}}]}}`, "toolConfig.tools.0.systemTool: This cannot"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"toolConfig":{"tools":[` + spec + `,{"cachePoint":{"type":"default"}},{"toolSpec":{"name":"g","inputSchema":{"json":{"type":"array"}}}}]}}`,
			"toolConfig.tools.2.toolSpec.inputSchema.json.type: Input should be 'object'"},
		{`{"messages":[{"role":"user","content":[` + hi + `]}],"toolConfig":{"tools":[` + spec + `],"toolChoice":{"tool":{"name":"g"}}}}`,
			"toolConfig.toolChoice.tool.name: Tool 'g' not found"},
		{`{"messages":[],"toolConfig":{"toolChoice":{"none":{}}}}`, "toolConfig.toolChoice.none: This cannot"},
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

// What the model has no use for is named as the client calls it, or refused.
func TestConverseDropped(t *testing.T) {
	body := `{"messages":[{"role":"user","content":[` + hi + `,{"cachePoint":{"type":"default"}}]}],"requestMetadata":{"a":"b"},` +
		`"inferenceConfig":{"temperature":0.5},"additionalModelRequestFields":{"zeal":1,"metadata":{"user_id":"u"}}}`
	w := postTo(newServer(t, completing(endOfTurn, "Hi")), "/model/claude-2.1/converse", body)
	want := "additionalModelRequestFields.metadata,additionalModelRequestFields.zeal,messages.content.cachePoint,requestMetadata"
	if got := w.Header.Get("X-Dragoman-Dropped"); w.StatusCode != 200 || got != want {
		t.Errorf("%d, dropped %s", w.StatusCode, got)
	}
	w = postTo(newServer(t, completing(endOfTurn, "Hi"), func(o *Options) { o.Strict = true }), "/model/claude-2.1/converse", body)
	if got := checkException(t, w, 400, "ValidationException"); got != "additionalModelRequestFields.zeal: Not supported here. Remove the field." {
		t.Error(got)
	}
}

// FuzzConvertConverse: what is made is JSON that is read as the Messages API's.
func FuzzConvertConverse(f *testing.F) {
	f.Add(saying(hi))
	f.Add(saying(`{"toolResult":{"toolUseId":"t","status":"error","content":[{"json":{"a":[1]}},{"document":{"name":"n","format":"txt","source":{"bytes":"SGVsbG8="}}}]}},{"cachePoint":{"type":"default"}},{"reasoningContent":{"reasoningText":{"text":"t"}}}`))
	f.Add(`{"messages":[],"system":[{"guardContent":{"text":{"text":"Ho"}}}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}},{"cachePoint":{"type":"default"}}],"toolChoice":{"tool":{"name":"f"}}},"inferenceConfig":{"maxTokens":1e3},"additionalModelRequestFields":{"top_k":5,"x":{}},"outputConfig":{"effort":"low","textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{}"}}}}}`)
	f.Fuzz(func(t *testing.T, body string) {
		c, err := convertConverse(t.Context(), []byte(body))
		var invalid *messages.InvalidRequestError
		if err != nil {
			if !errors.As(err, &invalid) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if !jsontext.Value(c.body).IsValid() {
			t.Fatalf("%s", c.body)
		}
		read, err := messages.ReadBody(t.Context(), c.body, messages.DecodeOptions{Model: "m"})
		if err != nil && !errors.As(err, &invalid) {
			t.Errorf("%T: %v", err, err)
		}
		if err != nil {
			return
		}
		if _, err := read.Request(t.Context()); err != nil && c.called(err).Error() == "" {
			t.Error("an error without words")
		}
	})
}
