package convert

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
)

// saying returns a request with one message of this content.
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
		{"additional", `{"messages":[],"additionalModelRequestFields":{"top_k":5,"thinking":{"type":"adaptive"},"anthropic_beta":["b"],"a.zeal":1}}`,
			with(`"anthropic_beta":["b"],"thinking":{"type":"adaptive"},"top_k":5`), "additionalModelRequestFields.a_zeal"},
		{"additional in place of Converse's own", `{"messages":[],"additionalModelRequestFields":{"max_tokens":9,"temperature":0.5,"stop_sequences":["END"],"output_config":{"effort":"low"},
				"tools":[{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"any","disable_parallel_tool_use":true}}}`,
			`{"max_tokens":9,"messages":[],"output_config":{"effort":"low"},"stop_sequences":["END"],"temperature":0.5,"tool_choice":{"type":"any","disable_parallel_tool_use":true},"tools":[{"type":"bash_20250124","name":"bash"}]}`, ""},
		{"additional beside Converse's own", `{"messages":[],"inferenceConfig":{"maxTokens":5,"stopSequences":["END"]},"toolConfig":{"tools":[{"toolSpec":{"name":"f"}},{"cachePoint":{"type":"default"}}],"toolChoice":{"any":{}}},"outputConfig":{"effort":"low"},
				"additionalModelRequestFields":{"max_tokens":9,"stop_sequences":["STOP"],"output_config":{"effort":"low","task_budget":1},"tools":[{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}}`,
			`{"max_tokens":5,"messages":[],"tools":[{"name":"f","cache_control":{"type":"ephemeral"}},{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"any","disable_parallel_tool_use":true},"stop_sequences":["END"],"output_config":{"effort":"low","task_budget":1}}`,
			"additionalModelRequestFields.max_tokens additionalModelRequestFields.stop_sequences additionalModelRequestFields.tool_choice.type"},
		{"only whether calls are parallel", `{"messages":[],"additionalModelRequestFields":{"tool_choice":{"disable_parallel_tool_use":true}}}`, with(`"tool_choice":{"disable_parallel_tool_use":true,"type":"auto"}`), ""},
		{"the stop sequence", `{"messages":[],"additionalModelResponseFieldPaths":["/stop_sequence","/delta/stop_sequence"]}`, `{"max_tokens":4096,"messages":[]}`, ""},
		{"the rest", `{"messages":[],"performanceConfig":{},"serviceTier":{},"requestMetadata":{},"promptVariables":{},"additionalModelResponseFieldPaths":["/stop_sequence","/x"]}`,
			`{"max_tokens":4096,"messages":[]}`, "additionalModelResponseFieldPaths performanceConfig promptVariables requestMetadata serviceTier"},
		{"structured output", `{"messages":[],"outputConfig":{"effort":"low","textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"n","schema":"{\"type\":\"object\"}"}}}}}`,
			with(`"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}}`), "outputConfig.textFormat.structure.jsonSchema.name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := FromConverse(t.Context(), []byte(test.from))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.to, string(c.Body)); diff != "" {
				t.Error(diff)
			}
			if got := strings.Join(c.Dropped, " "); got != test.dropped {
				t.Errorf("dropped %s", got)
			}
		})
	}
}

// TestAdditionalPath: an error names a value by its place in the client's request.
func TestAdditionalPath(t *testing.T) {
	const own = `"toolConfig":{"tools":[{"cachePoint":{"type":"default"}},{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}],"toolChoice":{"tool":{"name":"f"}}},`
	for _, test := range []struct{ own, additional, path string }{
		{"", `"max_tokens":"x"`, "max_tokens"},
		{"", `"tools":[{"name":1}]`, "tools.0.custom.name"},
		{own, `"tools":[{"type":"bash_20250124","name":"bash"},{"name":1}]`, "tools.1.custom.name"},
		{own, `"tools":{}`, "tools"},
		{"", `"tool_choice":{"type":"x"}`, "tool_choice"},
		{own, `"tool_choice":1`, "tool_choice"},
		{own, `"tool_choice":{"disable_parallel_tool_use":1}`, "tool_choice.disable_parallel_tool_use"},
		{"", `"output_config":{"format":{"type":1}}`, "output_config.format.type"},
		{"", `"stop_sequences":[1]`, "stop_sequences.0"},
	} {
		c, err := FromConverse(t.Context(), []byte(`{`+test.own+`"messages":[{"role":"user","content":[`+hi+`]}],"additionalModelRequestFields":{`+test.additional+`}}`))
		if err == nil {
			_, err = messages.Decode(c.Body, messages.DecodeOptions{Model: "m"})
			err = c.Error(err)
		}
		var invalid *messages.InvalidRequestError
		if want := "additionalModelRequestFields." + test.path; !errors.As(err, &invalid) || invalid.Path != want {
			t.Errorf("%s: %v, want an error at %s", test.additional, err, want)
		}
	}
}

// TestConversePath: an error names a value by its place in the client's request.
func TestConversePath(t *testing.T) {
	point := `{"cachePoint":{"type":"default"}}`
	tool := func(members string) string {
		return `{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}},` + members + `}}`
	}
	c, err := FromConverse(t.Context(), []byte(`{"messages":[{"role":"user","content":[`+hi+`,`+point+`,`+hi+`]}],"system":[`+hi+`,`+point+`,`+hi+`],"toolConfig":{"tools":[`+
		tool(`"strict":true`)+`,`+point+`,`+tool(`"zeal":1`)+`]},"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{}"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"messages.0.content.1.text":              "messages.0.content.2.text",
		"messages.0.content.1.tool_use.id":       "messages.0.content.2.toolUse.toolUseId",
		"messages.0.content.1.tool_use.input.id": "messages.0.content.2.toolUse.input.id",
		"system.1.text":                          "system.2.text",
		"tools":                                  "toolConfig.tools",
		"tools.1":                                "toolConfig.tools.2",
		"tools.1.custom.name":                    "toolConfig.tools.2.toolSpec.name",
		"tools.1.custom.input_schema.properties.id.type":    "toolConfig.tools.2.toolSpec.inputSchema.json.properties.id.type",
		"tools.1.custom.input_schema.properties.title.type": "toolConfig.tools.2.toolSpec.inputSchema.json.properties.title.type",
		"tools.1.input_schema":                              "toolConfig.tools.2.toolSpec.inputSchema.json",
		"tools.input_schema":                                "toolConfig.tools.toolSpec.inputSchema.json",
		"tools.strict":                                      "toolConfig.tools.toolSpec.strict",
		"tools.cache_control":                               "toolConfig.tools.cachePoint",
		"output_config.format":                              "outputConfig.textFormat",
		"output_config.format.type":                         "outputConfig.textFormat.type",
		"output_config.format.schema.properties.id":         "outputConfig.textFormat.structure.jsonSchema.schema.properties.id",
		"output_config.effort":                              "outputConfig.effort",
		"max_tokens":                                        "inferenceConfig.maxTokens",
		"tool_choice.name":                                  "toolConfig.toolChoice.tool.name",
		"anthropic-version":                                 "anthropic-version",
	} {
		if got := c.Name(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if want := "toolConfig.tools.2.toolSpec.zeal"; c.Refusable != want {
		t.Errorf("%s is refused, want %s", c.Refusable, want)
	}
}

// FuzzConvertConverse: the result is JSON that can be read as a request of the Messages API.
func FuzzConvertConverse(f *testing.F) {
	f.Add(saying(hi))
	f.Add(saying(`{"toolResult":{"toolUseId":"t","status":"error","content":[{"json":{"a":[1]}},{"document":{"name":"n","format":"txt","source":{"bytes":"SGVsbG8="}}}]}},{"cachePoint":{"type":"default"}},{"reasoningContent":{"reasoningText":{"text":"t"}}}`))
	f.Add(`{"messages":[],"system":[{"guardContent":{"text":{"text":"Ho"}}}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}},{"cachePoint":{"type":"default"}}],"toolChoice":{"tool":{"name":"f"}}},"inferenceConfig":{"maxTokens":1e3},"additionalModelRequestFields":{"top_k":5,"x":{},"tools":[{}],"tool_choice":{"disable_parallel_tool_use":true},"stop_sequences":[],"output_config":{}},"outputConfig":{"effort":"low","textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{}"}}}}}`)
	f.Fuzz(func(t *testing.T, body string) {
		c, err := FromConverse(t.Context(), []byte(body))
		var invalid *messages.InvalidRequestError
		if err != nil {
			if !errors.As(err, &invalid) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if !jsontext.Value(c.Body).IsValid() {
			t.Fatalf("%s", c.Body)
		}
		read, err := messages.ReadBody(t.Context(), c.Body, messages.DecodeOptions{Model: "m"})
		if err != nil && !errors.As(err, &invalid) {
			t.Errorf("%T: %v", err, err)
		}
		if err != nil {
			return
		}
		if _, err := read.Request(t.Context()); err != nil && c.Error(err).Error() == "" {
			t.Error("an error without words")
		}
	})
}
