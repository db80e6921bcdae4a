package convert

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

func TestConvertChat(t *testing.T) {
	talk := func(list string) string { return `{"messages":[` + list + `]}` }
	body := func(rest string) string { return `{"max_tokens":4096,` + rest + `}` }
	with := func(members string) string { return `{"messages":[],` + members + `}` }
	and := func(members string) string { return body(`"messages":[],` + members) }
	const (
		user = `{"role":"user","content":"Hi"}`
		hi   = `{"role":"user","content":[{"type":"text","text":"Hi"}]}`
		f    = `{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}`
		g    = `{"type":"function","function":{"name":"g","description":"d","strict":true}}`
		fg   = `"tools":[{"name":"f","input_schema":{"type":"object"}},{"name":"g","description":"d","input_schema":{"type":"object","properties":{}},"strict":true}]`
	)
	chosen := func(choice, more string) string {
		return with(`"tools":[` + f + `,` + g + `],"tool_choice":` + choice + more)
	}
	choice := func(choice string) string { return and(fg + `,"tool_choice":` + choice) }
	tests := []struct{ name, from, to, dropped string }{
		{"text", talk(user), body(`"messages":[` + hi + `]`), ""},
		{"nothing", `{}`, `{"max_tokens":4096}`, ""},
		{"nulls", with(`"tools":null,"tool_choice":null,"stop":null,"max_tokens":null,"n":null,"response_format":null,"logit_bias":null,"stream_options":null`), body(`"messages":[]`), ""},
		{"model and stream", `{"model":"m","stream":true,"max_tokens":5}`, `{"model":"m","stream":true,"max_tokens":5}`, ""},
		{"the newer limit", `{"max_tokens":5,"max_completion_tokens":6}`, `{"max_tokens":6}`, ""},
		{"sampling", with(`"temperature":1.7,"top_p":0.9,"top_k":5,"stop":"\n"`), and(`"stop_sequences":["\n"],"temperature":1.7,"top_p":0.9,"top_k":5`), ""},
		{"stops", with(`"stop":["a","b"]`), and(`"stop_sequences":["a","b"]`), ""},
		{"system", talk(`{"role":"system","content":"Be brief."},{"role":"developer","content":[{"type":"text","text":"Now."}]},` + user + `,{"role":"developer","content":"Later."}`),
			body(`"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Now."}],"messages":[` + hi + `,{"role":"system","content":[{"type":"text","text":"Later."}]}]`), ""},
		{"only system", talk(`{"role":"system","content":"Say hi."}`), body(`"messages":[{"role":"system","content":[{"type":"text","text":"Say hi."}]}]`), ""},
		{"no content", talk(`{"role":"system","content":""},{"role":"user","content":""},{"role":"assistant","content":null,"refusal":null,"annotations":[],"audio":null},` + user), body(`"messages":[` + hi + `]`), ""},
		{"images", talk(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image\/jpg;base64,aGk=","detail":"auto"}},{"type":"image_url","image_url":{"url":"https://x.test/a.png","detail":"low"}}]}`),
			body(`"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"aGk="}},` +
				`{"type":"image","source":{"type":"url","url":"https://x.test/a.png"}}]}]`), "messages.content.image_url.detail"},
		{"calls and results", talk(user + `,{"role":"assistant","content":"I look.","reasoning_content":"Hm.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": [1]}"}},` +
			`{"id":"b","function":{"name":"g","arguments":""}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"2"}]},` + user),
			body(`"messages":[` + hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":""},{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"f","input":{"x": [1]}},` +
				`{"type":"tool_use","id":"b","name":"g","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"2"}]}]},` + hi + `]`), ""},
		{"a result without content", talk(`{"role":"tool","tool_call_id":"a"}`), body(`"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":""}]}]`), ""},
		{"cut calls", talk(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1,\"y\":\"ha"}},{"id":"b","function":{"name":"f","arguments":"{"}},{"id":"c","function":{"name":"f","arguments":"{\"x\":\"ha"}}]}`),
			body(`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":1}},{"type":"tool_use","id":"b","name":"f","input":{}},{"type":"tool_use","id":"c","name":"f","input":{}}]}]`), ""},
		{"arguments that are no object", talk(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"Oslo"}},{"id":"b","function":{"name":"f","arguments":"[1]"}},` +
			`{"id":"c","function":{"name":"f","arguments":"{\"x\":1,\"x\":2}"}},{"id":"d","function":{"name":"f","arguments":"{'x': 1}"}},{"id":"e","function":{"name":"f","arguments":"{\"x\":1} and"}}]}`),
			body(`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}},{"type":"tool_use","id":"c","name":"f","input":{"x":1}},` +
				`{"type":"tool_use","id":"d","name":"f","input":{}},{"type":"tool_use","id":"e","name":"f","input":{"x":1}}]}]`), "messages.tool_calls.function.arguments"},
		{"an id again", talk(strings.Repeat(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"a","name":"f","content":"1"},`, 2) + user),
			body(`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"a.1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a.1","content":"1"}]},` + hi + `]`), ""},
		{"refusal", talk(`{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]},{"role":"assistant","refusal":"No!"}`),
			body(`"messages":[{"role":"assistant","content":[{"type":"text","text":"No."}]},{"role":"assistant","content":[{"type":"text","text":"No!"}]}]`), ""},
		{"tools", with(`"tools":[` + f + `,` + g + `,{"type":"custom","custom":{"name":"c"}}]`), and(fg), "tools.custom"},
		{"a schema without a type", with(`"tools":[{"type":"function","function":{"name":"f","parameters":{}}},{"type":"function","function":{"name":"h","parameters":{"properties":{}}}}]`),
			and(`"tools":[{"name":"f","input_schema":{"type":"object"}},{"name":"h","input_schema":{"type":"object","properties":{}}}]`), ""},
		{"choice auto", chosen(`"auto"`, ""), choice(`{"type":"auto"}`), ""},
		{"choice none", chosen(`"none"`, `,"parallel_tool_calls":false`), choice(`{"type":"none"}`), ""},
		{"choice required", chosen(`"required"`, `,"parallel_tool_calls":true`), choice(`{"type":"any"}`), ""},
		{"choice of one", chosen(`{"type":"function","function":{"name":"g"}}`, `,"parallel_tool_calls":false`), choice(`{"type":"tool","name":"g","disable_parallel_tool_use":true}`), ""},
		{"one call", with(`"tools":[` + f + `,` + g + `],"parallel_tool_calls":false`), choice(`{"type":"auto","disable_parallel_tool_use":true}`), ""},
		{"one call, no tools", with(`"tools":[],"parallel_tool_calls":false`), body(`"messages":[]`), ""},
		{"one allowed", chosen(`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"g"}}]}}`, ""), choice(`{"type":"tool","name":"g"}`), ""},
		{"all allowed", chosen(`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"g"}},{"type":"function","function":{"name":"f"}}]}}`, ""), choice(`{"type":"any"}`), ""},
		{"some allowed", chosen(`{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}}`, ""), choice(`{"type":"auto"}`), "tool_choice.allowed_tools.tools"},
		{"any object", with(`"response_format":{"type":"json_object"}`), and(`"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`), ""},
		{"a schema", with(`"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"array"}}}`),
			and(`"output_config":{"format":{"type":"json_schema","schema":{"type":"array"}}}`), ""},
		{"any text", with(`"response_format":{"type":"text"}`), body(`"messages":[]`), ""},
		{"effort", with(`"reasoning_effort":"high"`), and(`"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`), ""},
		{"the least effort", with(`"reasoning_effort":"minimal"`), and(`"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}`), ""},
		{"no effort", with(`"reasoning_effort":"none"`), body(`"messages":[]`), ""},
		{"effort before a forced call", chosen(`"required"`, `,"reasoning_effort":"low"`), and(fg + `,"tool_choice":{"type":"any"},"output_config":{"effort":"low"}`), ""},
		{"defaults", with(`"n":1,"frequency_penalty":0,"presence_penalty":0.0,"logprobs":false,"logit_bias":{},"functions":[],"modalities":["text"],"store":false,"metadata":{}`), body(`"messages":[]`), ""},
		{"what has no counterpart", with(`"n":2,"seed":0,"frequency_penalty":1,"presence_penalty":1,"logprobs":true,"top_logprobs":3,"logit_bias":{"5":1},"audio":{"voice":"a"},"modalities":["audio"],` +
			`"functions":[{}],"function_call":"auto","user":"u","metadata":{"a":"b"},"store":true,"verbosity":"low","web_search_options":{},"zeal.x":1`), body(`"messages":[]`),
			"audio frequency_penalty function_call functions logit_bias logprobs metadata modalities n presence_penalty seed store top_logprobs user verbosity web_search_options zeal_x"},
		{"in messages", talk(`{"role":"user","name":"Ann","content":[{"type":"text","text":"Hi"},{"type":"input_audio","input_audio":{"data":"x"}},{"type":"file","file":{}}]},{"role":"function","name":"f","content":"1"}`),
			body(`"messages":[` + hi + `]`), "messages.content.file messages.content.input_audio messages.function messages.name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := FromChat(t.Context(), []byte(tt.from))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.to, string(c.Body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := strings.Join(c.Dropped, " "); got != tt.dropped {
				t.Errorf("dropped %s, want %s", got, tt.dropped)
			}
			if open := strings.HasPrefix(tt.to, `{"max_tokens":4096`); c.HasOpenLength() != open {
				t.Errorf("open length: %v", c.HasOpenLength())
			}
		})
	}
}

// Errors use the client's names of fields, whoever finds them.
func TestChatErrors(t *testing.T) {
	talk := func(list string) string {
		return `{"model":"m","messages":[{"role":"system","content":"s"},` + list + `]}`
	}
	user := func(part string) string {
		return talk(`{"role":"user","content":[{"type":"text","text":""},` + part + `]}`)
	}
	with := func(members string) string {
		return `{"model":"m","messages":[{"role":"user","content":"Hi"}],` + members + `}`
	}
	const f = `"tools":[{"type":"custom"},{"type":"function","function":{"name":"f"}}]`
	call := func(function string) string {
		return talk(`{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":` + function + `}]},{"role":"tool","tool_call_id":"a","content":"1"}`)
	}
	tests := []struct{ body, want string }{
		{`null`, "Input should be a valid dictionary"},
		{`{"model":"m"}`, "messages: Field required"},
		{`{"model":"m","messages":[]}`, "messages: at least one message is required"},
		{`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}]}`, "messages: At least one message should have a text"},
		{`{"model":"m","messages":{}}`, "messages: This should be a list."},
		{with(`"Stream":true`), `Stream: This field is not supported here; did you mean "stream"?`},
		{with(`"max_tokens":-1`), "max_tokens: Input should be greater"},
		{with(`"max_tokens":5,"max_completion_tokens":-1`), "max_completion_tokens: Input should be greater"},
		{with(`"temperature":2.5`), "temperature: Input should be less than or equal to 2"},
		{with(`"stop":[""]`), "stop: each stop sequence"},
		{with(`"stop":5`), "stop: Input should be a valid list"},
		{with(`"n":0`), "n: This should be a whole number"},
		{with(`"n":"2"`), "n: This should be a whole number"},
		{with(`"response_format":{"type":"xml"}`), "response_format.type: This should be text"},
		{with(`"response_format":{"type":"json_schema","json_schema":{"schema":5}}`), "response_format.json_schema.schema: Input should be a valid dictionary"},
		{with(`"tools":[{"type":"function"}]`), "tools.0.function: Field required"},
		{with(`"tools":[{"type":"custom"},{"type":"function","function":{"name":"a b"}}]`), "tools.1.function.name: String should match"},
		{with(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"array"}}}]`), "tools.0.function.parameters.type: Input should be 'object'"},
		{with(`"tool_choice":"required"`), "tool_choice: The value `required` may only"},
		{with(f + `,"tool_choice":"any"`), "tool_choice: This should be none, auto"},
		{with(f + `,"tool_choice":{"type":"tool"}`), "tool_choice.type: This should be function"},
		{with(f + `,"tool_choice":{"type":"function","function":{"name":"g"}}`), "tool_choice.function.name: Tool 'g' not found"},
		{with(f + `,"tool_choice":{"type":"function"}`), "tool_choice.function.name: Field required"},
		{with(f + `,"tool_choice":{"type":"allowed_tools","mode":"auto"}`), "tool_choice.allowed_tools: Field required"},
		{with(f + `,"parallel_tool_calls":1`), "parallel_tool_calls: This should be a boolean."},
		{talk(`{"role":"robot","content":""}`), "messages.1.role: This should be system"},
		{talk(`{"role":"user","content":5}`), "messages.1.content: This should be a list."},
		{talk(`5`), "messages.1: This should be an object."},
		{user(`{"type":"text","text":5}`), "messages.1.content.1.text: This should be a string."},
		{user(`{}`), "messages.1.content.1.type: Field required"},
		{user(`{"type":"image_url","image_url":{"url":"file:///x"}}`), "messages.1.content.1.image_url.url: Input should begin with 'https://' or 'http://'. For the file's bytes, use a data URL ('data:image/png;base64,…')"},
		{user(`{"type":"image_url","image_url":{"url":"data:image/bmp;base64,AA=="}}`), "messages.1.content.1.image_url.url: Input should be 'image/jpeg'"},
		{user(`{"type":"image_url","image_url":{"url":"data:image/png;base64,A"}}`), "messages.1.content.1.image_url.url: Input should be the base64"},
		{`{"model":"m","messages":[{"role":"system","content":[{"type":"text","text":""},{"type":"image_url","image_url":{"url":"https://x.test"}}]},{"role":"user","content":"Hi"}]}`,
			"messages.0.content.1: Input tag 'image'"},
		{talk(`{"role":"tool","tool_call_id":"a","content":"1"}`), "messages.1: unexpected `tool_call_id` found in `tool` messages: a."},
		{talk(`{"role":"user","content":"Hi"},{"role":"tool","content":"1"}`), "messages.2.tool_call_id: Field required"},
		{talk(`{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"1"},{"type":"image_url","image_url":{"url":"x"}}]}`), "messages.3.content.1.image_url.url: Input should begin"},
		{talk(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"f","arguments":"{}"}}]}`), "messages: ids of `tool_calls` must be unique"},
		{call(`{"name":"f","arguments":{}}`), "messages.2.tool_calls.0.function.arguments: This should be a string."},
		{call(`{"name":"","arguments":"{}"}`), "messages.2.tool_calls.0.function.name: String should have"},
		{talk(`{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"Hi"}`),
			"messages.2: ids of `tool_calls` were found without `tool` messages immediately after: a."},
	}
	for _, tt := range tests {
		_, err := decodeChat(t, []byte(tt.body))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s:\n%v\nwant %s", tt.body, err, tt.want)
		}
	}
}

// decodeChat converts and decodes a request. The error is in the client's terms.
func decodeChat(t *testing.T, body []byte) (*messages.Request, error) {
	t.Helper()
	c, err := FromChat(t.Context(), body)
	if err != nil {
		return nil, err
	}
	r, err := messages.Decode(c.Body, messages.DecodeOptions{WideValues: true})
	return r, c.Error(err)
}

// chatRequest returns an agent's request: its tools, and turns with calls and their results.
func chatRequest(tools, turns, size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":"m","max_tokens":100,"messages":[{"role":"system","content":"You are a careful programmer."},{"role":"user","content":"Write it."}`)
	for i := range turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"a%d","type":"function","function":{"name":"write","arguments":"{\"path\":\"f%d.go\",\"text\":\"%s\"}"}}]}`, i, i, strings.Repeat("x", size))
		fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"a%d","content":%q}`, i, strings.Repeat("y", size))
	}
	b.WriteString(`],"tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"function","function":{"name":"write_%d","parameters":{"properties":{"path":{"type":"string"}}}}}`, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// The conversion takes time and memory linear in the request.
func TestChatGrowth(t *testing.T) {
	for name, request := range map[string]func(n int) []byte{
		"turns": func(n int) []byte { return chatRequest(1, n, 10) },
		"tools": func(n int) []byte { return chatRequest(n, 1, 10) },
		"texts": func(n int) []byte { return chatRequest(1, 1, 100*n) },
		"results": func(n int) []byte {
			return []byte(`{"messages":[` + strings.TrimSuffix(strings.Repeat(`{"role":"tool","content":"x"},`, n), ",") + `]}`)
		},
		"unknown": func(n int) []byte {
			return []byte(`{"messages":[` + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x","zeal":1},`, n), ",") + `]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			small, large := request(500), request(16*500)
			convert := func(body []byte) func() {
				return func() {
					if _, err := FromChat(t.Context(), body); err != nil {
						t.Fatal(err)
					}
				}
			}
			if ratio := testcost.Ratio(64, convert(small), convert(large)); ratio > 64 {
				t.Errorf("16 times the request takes %.1f times as long", ratio)
			}
		})
	}
}

// FuzzChat converts any body: the result is JSON, or the error is about the request. A second conversion is the same.
func FuzzChat(f *testing.F) {
	f.Add(string(chatRequest(2, 2, 10)))
	f.Add(`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"function":{"name":"f"}}]}},"response_format":{"type":"json_object"},"n":2}`)
	f.Add(`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\":1,\"b"}}]}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		c, err := FromChat(t.Context(), []byte(body))
		if err != nil {
			if _, ok := errors.AsType[*messages.InvalidRequestError](err); !ok {
				t.Fatal(err)
			}
			return
		}
		if !jsontext.Value(c.Body).IsValid() {
			t.Fatalf("not JSON: %s", c.Body)
		}
		again, err := FromChat(t.Context(), []byte(body))
		if err != nil || !bytes.Equal(c.Body, again.Body) {
			t.Fatalf("%s, %v", again.Body, err)
		}
		_, err = messages.Decode(c.Body, messages.DecodeOptions{WideValues: true})
		if err := c.Error(err); err != nil && strings.Contains(err.Error(), "tool_use.") {
			t.Errorf("not in the client's terms: %v", err)
		}
	})
}
