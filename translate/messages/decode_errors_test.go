package messages

import (
	"errors"
	"strings"
	"testing"
)

type decodeErrorCase struct {
	name string
	body string
	opt  DecodeOptions
	want string
}

func TestDecodeErrors(t *testing.T) {
	strict := DecodeOptions{Strict: true}
	version := DecodeOptions{Version: Version20261021}
	groups := map[string][]decodeErrorCase{
		"json": {
			{"empty", "", strict, "The request body is empty: it should be a JSON object."},
			{"blank", " \n", strict, "The request body is empty: it should be a JSON object."},
			{"null", "null", strict, "Input should be a valid dictionary"},
			{"array", "[1]", strict, "Input should be a valid dictionary"},
			{"string", `"x"`, strict, "Input should be a valid dictionary"},
			{"cut", `{"model":"m","messages":[{"role"`, strict, "messages.0.role: The request body is not valid JSON: it ends too early (at byte 32)."},
			{"trailing bytes", with("") + " x", strict, "The request body is not valid JSON: invalid character 'x' after top-level value (at byte 73)."},
			{"second value", with("") + "{}", strict, "The request body is not valid JSON: invalid character '{' after top-level value (at byte 72)."},
			{"byte order mark", "\ufeff" + with(""), strict, `The request body is not valid JSON: invalid character '\ufeff' at start of value (at byte 0).`},
			{"single quotes", `{'model':"m"}`, strict, `The request body is not valid JSON: invalid character '\'' at start of value (at byte 1).`},
			{"trailing comma", `{"model":"m",}`, strict, `The request body is not valid JSON: invalid character ',' at start of value (at byte 12).`},
			{"comment", `{"model":"m"/**/}`, strict, `The request body is not valid JSON: invalid character '/' after object value (expecting ',' or '}') (at byte 12).`},
			{"leading zero", `{"max_tokens":01}`, strict, `The request body is not valid JSON: invalid character '1' after object value (expecting ',' or '}') (at byte 15).`},
			{"NaN", `{"max_tokens":NaN}`, strict, `max_tokens: The request body is not valid JSON: invalid character 'N' at start of value (at byte 14).`},
			{"control character", "{\"model\":\"a\nb\"}", strict, `model: The request body is not valid JSON: invalid character '\n' in string (expecting non-control character) (at byte 11).`},
			{"invalid UTF-8", "{\"model\":\"a\xffb\"}", strict, `model: The request body is not valid JSON: invalid UTF-8 (at byte 11).`},
			{"invalid UTF-8 in a name", "{\"mod\xffel\":1}", strict, `The request body is not valid JSON: invalid UTF-8 (at byte 5).`},
			{"lone surrogate", `{"model":"\ud800"}`, strict, "model: The request body is not valid JSON: invalid surrogate pair `\\ud800\"}` in string (at byte 10)."},
			{"reversed surrogates", `{"model":"\udc00\ud800"}`, strict, "model: The request body is not valid JSON: invalid surrogate pair `\\udc00\\ud800` in string (at byte 10)."},
			{"duplicate", `{"model":"m","model":"m"}`, strict, "model: The name occurs more than once in its object."},
			{"duplicate by escape", `{"model":"m","\u006dodel":"m"}`, strict, "model: The name occurs more than once in its object."},
			{"duplicate in a message", withMessages(`{"role":"user","role":"user","content":"x"}`, ""), strict, "messages.0.role: The name occurs more than once in its object."},
			{"duplicate in an input", withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{"p":[{"q":1,"q":2}]}}]}`, ""), strict,
				"messages.1.content.0.input.p.0.q: The name occurs more than once in its object."},
			{"duplicate in a schema", with(`"tools":[{"name":"a","input_schema":{"type":"object","properties":{"x":{},"x":{}}}}]`), strict,
				"tools.0.input_schema.properties.x: The name occurs more than once in its object."},
			{"duplicate in a field left out", with(`"metadata":{"user_id":"a","user_id":"b"}`), DecodeOptions{},
				"metadata.user_id: The name occurs more than once in its object."},
			{"duplicate in a source", withBlock(`{"type":"image","source":{"type":"url","url":"https://u.test","url":"v"}}`), strict,
				"messages.0.content.0.source.url: The name occurs more than once in its object."},
			{"deep input", with(`"metadata":` + strings.Repeat("[", 200) + strings.Repeat("]", 200)), DecodeOptions{}, "The request body is nested deeper than 200 levels."},
			{"deep objects", strings.Repeat(`{"a":`, 201), DecodeOptions{}, "The request body is nested deeper than 200 levels."},
			{"very deep blocks", strings.Repeat(`{"content":[`, 1<<20), DecodeOptions{}, "The request body is nested deeper than 200 levels."},
			{"name by case", `{"Model":"m","max_tokens":1,"messages":[]}`, DecodeOptions{}, `Model: Extra inputs are not permitted; did you mean "model"?`},
			{"role by case", withMessages(`{"Role":"user","content":"x"}`, ""), DecodeOptions{}, `messages.0.Role: Extra inputs are not permitted; did you mean "role"?`},
			{"long name", `{"` + strings.Repeat("n", 999) + `":1,"` + strings.Repeat("n", 999) + `":2}`, strict,
				strings.Repeat("n", 256) + "...: The name occurs more than once in its object."},
		},
		"fields": {
			{"no model", `{"max_tokens":1,"messages":[]}`, strict, "model: Field required"},
			{"model of another kind", `{"model":1,"max_tokens":1,"messages":[]}`, strict, "model: Input should be a valid string"},
			{"model null", `{"model":null,"max_tokens":1,"messages":[]}`, strict, "model: Input should be a valid string"},
			{"model empty", `{"model":"","max_tokens":1,"messages":[]}`, strict, "model: String should have at least 1 character"},
			{"no max_tokens", `{"model":"m","messages":[]}`, strict, "max_tokens: Field required"},
			{"max_tokens negative", `{"model":"m","max_tokens":-1,"messages":[]}`, strict, "max_tokens: Input should be greater than or equal to 0"},
			{"max_tokens not whole", `{"model":"m","max_tokens":1.5,"messages":[]}`, strict, "max_tokens: Input should be a valid integer"},
			{"max_tokens too large", `{"model":"m","max_tokens":1e30,"messages":[]}`, strict, "max_tokens: Input should be a valid integer"},
			{"max_tokens beyond numbers", `{"model":"m","max_tokens":1e999,"messages":[]}`, strict, "max_tokens: Input should be a valid integer"},
			{"max_tokens a string", `{"model":"m","max_tokens":"9","messages":[]}`, strict, "max_tokens: Input should be a valid integer"},
			{"max_tokens null", `{"model":"m","max_tokens":null,"messages":[]}`, strict, "max_tokens: Input should be a valid integer"},
			{"stream", with(`"stream":1`), strict, "stream: Input should be a valid boolean"},
			{"temperature low", with(`"temperature":-0.1`), strict, "temperature: Input should be greater than or equal to 0"},
			{"temperature high", with(`"temperature":1.1`), strict, "temperature: Input should be less than or equal to 1"},
			{"temperature of other APIs", with(`"temperature":2.1`), DecodeOptions{WideValues: true}, "temperature: Input should be less than or equal to 2"},
			{"stop sequence empty", with(`"stop_sequences":[""]`), DecodeOptions{WideValues: true}, "stop_sequences: each stop sequence must contain non-whitespace"},
			{"temperature a string", with(`"temperature":"1"`), strict, "temperature: Input should be a valid number"},
			{"top_p high", with(`"top_p":2`), strict, "top_p: Input should be less than or equal to 1"},
			{"top_k low", with(`"top_k":-1`), strict, "top_k: Input should be greater than or equal to 0"},
			{"top_k not whole", with(`"top_k":0.5`), strict, "top_k: Input should be a valid integer"},
			{"temperature in 2026", with(`"temperature":1`), version, "temperature: Not accepted under API version 2026-10-21. Remove the field, or send an earlier version."},
			{"top_p in 2026", with(`"top_p":1`), version, "top_p: Not accepted under API version 2026-10-21. Remove the field, or send an earlier version."},
			{"top_k in 2026", with(`"top_k":1`), version, "top_k: Not accepted under API version 2026-10-21. Remove the field, or send an earlier version."},
			{"stop sequence blank", with(`"stop_sequences":["a"," \n"]`), strict, "stop_sequences: each stop sequence must contain non-whitespace"},
			{"stop sequences too long", with(`"stop_sequences":["` + strings.Repeat("a", 40<<10) + `","` + strings.Repeat("b", 40<<10) + `"]`), strict,
				"stop_sequences: the stop sequences have more than 65536 bytes in all"},
			{"stop sequence a number", with(`"stop_sequences":["a",1]`), strict, "stop_sequences.1: Input should be a valid string"},
			{"stop sequences a string", with(`"stop_sequences":"a"`), strict, "stop_sequences: Input should be a valid list"},
			{"system a number", with(`"system":1`), strict, "system: Input should be a valid string or list"},
			{"system image", with(`"system":[{"type":"image"}]`), strict, "system.0: Input tag 'image' found using 'type' does not match any of the expected tags: 'text'"},
			{"system empty block", with(`"system":[{"type":"text","text":""}]`), strict, "system: text content blocks must be non-empty"},
			{"system text a number", with(`"system":[{"type":"text","text":1}]`), strict, "system.0.text: Input should be a valid string"},
			{"thread", with(`"thread":{"type":"create"}`), DecodeOptions{}, "thread: Threads are not kept here: send the whole conversation in `messages`."},
			{"MCP server", with(`"mcp_servers":[{"type":"url","name":"jira","url":"u"}]`), strict,
				"mcp_servers.0: The tools of the MCP server 'jira' run in the upstream, and this model only completes text. Remove the server, or use a model with a tool API."},
			{"MCP servers an object", with(`"mcp_servers":{}`), DecodeOptions{}, "mcp_servers: Input should be a valid list"},
			{"MCP server a string", with(`"mcp_servers":["x"]`), DecodeOptions{}, "mcp_servers.0: Input should be a valid dictionary"},
		},
		"strict": {
			{"unknown", with(`"foo":1`), strict, "foo: Extra inputs are not permitted"},
			{"unknown null", with(`"foo":null`), strict, "foo: Extra inputs are not permitted"},
			{"case variant", with(`"Stream":true`), strict, `Stream: Extra inputs are not permitted; did you mean "stream"?`},
			{"first by name", with(`"b":1,"a":1`), strict, "a: Extra inputs are not permitted"},
			{"thinking otherwise", with(`"thinking":{"type":"deep"}`), strict,
				"thinking: Input tag 'deep' found using 'type' does not match any of the expected tags: 'enabled', 'adaptive', 'between_tools', 'disabled'"},
			{"thinking a number", with(`"thinking":5`), strict, "thinking: Input should be a valid dictionary"},
			{"thinking and a forced call", with(`"thinking":{"type":"adaptive"},"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}`), strict,
				"Thinking may not be enabled when tool_choice forces tool use."},
			{"defer_loading on all tools", with(`"tools":[{"name":"a","input_schema":{"type":"object"},"defer_loading":true}]`), strict,
				"tools: All tools have `defer_loading`. Remove it from at least one tool."},
			{"unknown in a tool", with(`"tools":[{"name":"a","input_schema":{"type":"object"},"parameters":{}}]`), strict, "tools.0.custom.parameters: Extra inputs are not permitted"},
			{"unknown in a message", withMessages(`{"role":"user","content":"x","name":"n"}`, ""), strict, "messages.0.name: Extra inputs are not permitted"},
			{"unknown behind blocks", withMessages(`{"role":"user","content":[{"type":"text","text":"x"}] , "name":"n"},{"role":"user","content":"y"}`, ""), strict, "messages.0.name: Extra inputs are not permitted"},
			{"unknown around blocks", withMessages(`{"zeta":1,"role":"user","content":[{"type":"text","text":"x"}],"alpha":"n"}`, ""), strict, "messages.0.alpha: Extra inputs are not permitted"},
			{"case variant behind blocks", withMessages(`{"role":"user","content":[{"type":"text","text":"x"}],"Role":"user"}`, ""), strict, `messages.0.Role: Extra inputs are not permitted; did you mean "role"?`},
			{"blocks before the role", withMessages(`{"content":[{"type":"text","text":"x"},{}],"role":"user"}`, ""), strict, "messages.0.content.1.type: Field required"},
			{"message behind blocks", withMessages(`{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"robot"}`, ""), strict, "messages.1.role: Input should be 'user', 'assistant' or 'system'"},
			{"unknown in a block", withBlock(`{"type":"text","text":"x","foo":1}`), strict, "messages.0.content.0.text.foo: Extra inputs are not permitted"},
			{"member of another block", withBlock(`{"type":"text","text":"x","id":1}`), strict, "messages.0.content.0.text.id: Extra inputs are not permitted"},
			{"citations", withBlock(`{"type":"document","source":{"type":"file","file_id":"f"},"citations":{"enabled":true}}`), strict,
				"messages.0.content.0.document.citations: Not supported: this model only completes text. Remove the field, or use a model with a tool API."},
			{"unknown in a source", withBlock(`{"type":"image","source":{"type":"url","url":"https://u.test","foo":1}}`), strict, "messages.0.content.0.image.source.foo: Extra inputs are not permitted"},
			{"member of another source", withBlock(`{"type":"image","source":{"type":"url","url":"https://u.test","data":"x"}}`), strict, "messages.0.content.0.image.source.data: Extra inputs are not permitted"},
			{"thinking block", withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"}]}`, ""), strict,
				"messages.1.content.0: `thinking` blocks are not supported: this model only completes text. Remove the block, or use a model with a tool API."},
			{"browser_state", withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"browser_state"}]}]}`, ""), strict,
				"messages.2.content.0.tool_result.content.0: `browser_state` blocks are not supported: this model only completes text. Remove the block, or use a model with a tool API."},
			{"tool search", with(`"tools":[{"type":"tool_search_tool_regex","name":"t"}]`), strict,
				"tools.0: `tool_search_tool_regex` runs in the upstream, and this model only completes text. Remove the tool, or use a model with a tool API."},
			{"tool_choice", with(`"tool_choice":{"type":"auto","foo":1}`), strict, "tool_choice.foo: Extra inputs are not permitted"},
			{"tool_choice none", with(`"tool_choice":{"type":"none","disable_parallel_tool_use":true}`), strict, "tool_choice.disable_parallel_tool_use: Extra inputs are not permitted"},
			{"schema of a built-in tool", with(`"tools":[{"type":"bash_20250124","name":"bash","input_schema":{"type":"object"}}]`), strict,
				"tools.0.bash_20250124.input_schema: Extra inputs are not permitted"},
		},
		"blocks": {
			{"no type", withBlock(`{"text":"x"}`), strict, "messages.0.content.0.type: Field required"},
			{"type a number", withBlock(`{"type":1}`), strict, "messages.0.content.0.type: Input should be a valid string"},
			{"not an object", withBlock(`"x"`), strict, "messages.0.content.0: Input should be a valid dictionary"},
			{"null", withBlock(`null`), strict, "messages.0.content.0: Input should be a valid dictionary"},
			{"unknown type", withBlock(`{"type":"video"}`), DecodeOptions{}, "messages.0.content.0: Input tag 'video' found using 'type' does not match any of the expected tags: " +
				"'text', 'image', 'document', 'search_result', 'tool_result', 'thinking', 'redacted_thinking', 'server_tool_use', 'web_search_tool_result', " +
				"'web_fetch_tool_result', 'code_execution_tool_result', 'bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'tool_search_tool_result', " +
				"'container_upload', 'mcp_tool_use', 'mcp_tool_result', 'mcp_tool_listing', 'compaction', 'fallback', 'advisor_tool_result'"},
			{"no text", withBlock(`{"type":"text"}`), strict, "messages.0.content.0.text: Field required"},
			{"text a number", withMessages(`{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"user","content":"c"},{"role":"user","content":[{"type":"text","text":1}]}`, ""), strict,
				"messages.3.content.0.text: Input should be a valid string"},
			{"empty text", withBlock(`{"type":"text","text":""}`), strict, "messages: text content blocks must be non-empty"},
			{"no source", withBlock(`{"type":"image"}`), strict, "messages.0.content.0.image.source: Field required"},
			{"source a string", withBlock(`{"type":"image","source":"x"}`), strict, "messages.0.content.0.image.source: Input should be a valid dictionary"},
			{"source without type", withBlock(`{"type":"image","source":{}}`), strict, "messages.0.content.0.image.source.type: Field required"},
			{"image from text", withBlock(`{"type":"image","source":{"type":"text"}}`), strict,
				"messages.0.content.0.image.source: Input tag 'text' found using 'type' does not match any of the expected tags: 'base64', 'url', 'file'"},
			{"document from nowhere", withBlock(`{"type":"document","source":{"type":"x"}}`), strict,
				"messages.0.content.0.document.source: Input tag 'x' found using 'type' does not match any of the expected tags: 'base64', 'text', 'content', 'url', 'file'"},
			{"image media type", withBlock(`{"type":"image","source":{"type":"base64","media_type":"image/bmp","data":""}}`), strict,
				"messages.0.content.0.image.source.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif', 'image/webp'"},
			{"document media type", withBlock(`{"type":"document","source":{"type":"base64","media_type":"image/png","data":""}}`), strict,
				"messages.0.content.0.document.source.media_type: Input should be 'application/pdf'"},
			{"text media type", withBlock(`{"type":"document","source":{"type":"text","media_type":"text/html","data":""}}`), strict,
				"messages.0.content.0.document.source.media_type: Input should be 'text/plain'"},
			{"image of no base64", withBlock(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"data:image/png;base64,aGk="}}`), DecodeOptions{},
				"messages.0.content.0.image.source.data: Input should be the base64 of the file's bytes: letters, digits, '+', '/' and padding with '=', without a `data:` URL before them"},
			{"document of half a base64", withBlock(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk"}}`), DecodeOptions{},
				"messages.0.content.0.document.source.data: Input should be the base64 of the file's bytes: letters, digits, '+', '/' and padding with '=', without a `data:` URL before them"},
			{"no data", withBlock(`{"type":"image","source":{"type":"base64","media_type":"image/png"}}`), strict, "messages.0.content.0.image.source.data: Field required"},
			{"an address of a file", withBlock(`{"type":"image","source":{"type":"url","url":"file:///etc/passwd"}}`), strict,
				"messages.0.content.0.image.source.url: Input should begin with 'https://' or 'http://'. For the file's bytes, use a source of the type 'base64'"},
			{"an address with data", withBlock(`{"type":"image","source":{"type":"url","url":"data:image/png;base64,AAAA"}}`), strict,
				"messages.0.content.0.image.source.url: Input should begin with 'https://' or 'http://'. For the file's bytes, use a source of the type 'base64'"},
			{"an address in a result", withBlock(`{"type":"document","source":{"type":"url","url":"ftp://a.test/x.pdf"}}`), strict,
				"messages.0.content.0.document.source.url: Input should begin with 'https://' or 'http://'. For the file's bytes, use a source of the type 'base64'"},
			{"url a number", withBlock(`{"type":"image","source":{"type":"url","url":1}}`), strict, "messages.0.content.0.image.source.url: Input should be a valid string"},
			{"no file_id", withBlock(`{"type":"document","source":{"type":"file"}}`), strict, "messages.0.content.0.document.source.file_id: Field required"},
			{"content source with a document", withBlock(`{"type":"document","source":{"type":"content","content":[{"type":"document"}]}}`), strict,
				"messages.0.content.0.document.source.content.0: Input tag 'document' found using 'type' does not match any of the expected tags: 'text', 'image'"},
			{"title a number", withBlock(`{"type":"document","title":1,"source":{"type":"url","url":"https://u.test"}}`), strict, "messages.0.content.0.document.title: Input should be a valid string"},
			{"search_result without source", withBlock(`{"type":"search_result","title":"t","content":[]}`), strict, "messages.0.content.0.search_result.source: Field required"},
			{"search_result with an object", withBlock(`{"type":"search_result","source":{},"title":"t","content":[]}`), strict, "messages.0.content.0.search_result.source: Input should be a valid string"},
			{"search_result without title", withBlock(`{"type":"search_result","source":"s","content":[]}`), strict, "messages.0.content.0.search_result.title: Field required"},
			{"search_result with a string", withBlock(`{"type":"search_result","source":"s","title":"t","content":"c"}`), strict, "messages.0.content.0.search_result.content: Input should be a valid list"},
			{"search_result without content", withBlock(`{"type":"search_result","source":"s","title":"t"}`), strict, "messages.0.content.0.search_result.content: Field required"},
			{"citations in 2026", withBlock(`{"type":"text","text":"x","citations":[{"type":"char_location"}]}`), version,
				"messages.0.content.0.text.citations: Not accepted in user messages under API version 2026-10-21"},
			{"citations in a search_result in 2026", withBlock(`{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"x","citations":[{}]}]}`), version,
				"messages.0.content.0.search_result.content.0.text.citations: Not accepted in user messages under API version 2026-10-21"},
			{"document of the model's in 2026", withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"document","source":{"type":"url","url":"https://u.test"}}]}`, ""), version,
				"messages.1.content.0: `document` blocks can only be in `user` messages under API version 2026-10-21"},
			{"tool_use of the user's", withBlock(`{"type":"tool_use","id":"a","name":"b","input":{}}`), strict, "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages"},
			{"tool_result of the model's", withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_result"}]}`, ""), strict,
				"messages.1.content.0: `tool_result` blocks can only be in `user` messages"},
			{"image of the model's", withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"image"}]}`, ""), strict,
				"messages.1.content.0: `image` blocks can only be in `user` messages"},
			{"thinking in a system message", withMessages(`{"role":"user","content":"x"},{"role":"system","content":[{"type":"thinking"}]}`, ""), DecodeOptions{},
				"messages.1.content.0: Input tag 'thinking' found using 'type' does not match any of the expected tags: 'text', 'tool_addition', 'tool_removal'"},
			{"image in a system message", withMessages(`{"role":"user","content":"x"},{"role":"system","content":[{"type":"image"}]}`, ""), strict,
				"messages.1.content.0: `image` blocks can only be in `user` messages"},
		},
		"tools": {
			{"an object", with(`"tools":{}`), strict, "tools: Input should be a valid list"},
			{"of strings", with(`"tools":["weather"]`), strict, "tools.0: Input should be a valid dictionary"},
			{"no name", with(`"tools":[{"input_schema":{"type":"object"}}]`), strict, "tools.0.custom.name: Field required"},
			{"name a number", with(`"tools":[{"name":1,"input_schema":{"type":"object"}}]`), strict, "tools.0.custom.name: Input should be a valid string"},
			{"name with a dot", with(`"tools":[{"name":"a.b","input_schema":{"type":"object"}}]`), strict, "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
			{"name with a newline", with(`"tools":[{"name":"a\n","input_schema":{"type":"object"}}]`), strict, "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
			{"name too long", with(`"tools":[{"name":"` + strings.Repeat("a", 129) + `","input_schema":{"type":"object"}}]`), strict, "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
			{"name empty", with(`"tools":[{"name":"","input_schema":{"type":"object"}}]`), DecodeOptions{LooseNames: true}, "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
			{"same name", with(`"tools":[` + weather + `,` + weather + `]`), strict, "tools: Tool names must be unique."},
			{"same name as a built-in tool", with(`"tools":[{"name":"bash","input_schema":{"type":"object"}},{"type":"bash_20250124","name":"bash"}]`), strict, "tools: Tool names must be unique."},
			{"description a number", with(`"tools":[{"name":"a","description":1,"input_schema":{"type":"object"}}]`), strict, "tools.0.custom.description: Input should be a valid string"},
			{"no schema", with(`"tools":[` + weather + `,{"name":"a","type":"custom"}]`), strict, "tools.1.custom.input_schema: Field required"},
			{"schema null", with(`"tools":[{"name":"a","input_schema":null}]`), strict, "tools.0.custom.input_schema: Input should be a valid dictionary"},
			{"schema a boolean", with(`"tools":[{"name":"a","input_schema":true}]`), strict, "tools.0.custom.input_schema: Input should be a valid dictionary"},
			{"schema without type", with(`"tools":[{"name":"a","input_schema":{"properties":{"type":{}}}}]`), strict, "tools.0.custom.input_schema.type: Field required"},
			{"schema of an array", with(`"tools":[{"name":"a","input_schema":{"type":"array"}}]`), strict, "tools.0.custom.input_schema.type: Input should be 'object'"},
			{"examples that are no list", with(`"tools":[{"name":"a","input_schema":{"type":"object"},"input_examples":{}}]`), strict, "tools.0.input_examples: Input should be a valid list"},
			{"an example that is no object", with(`"tools":[` + weather + `,{"type":"bash_20250124","name":"bash","input_examples":[{},"ls"]}]`), strict, "tools.1.input_examples.1: Input should be a valid dictionary"},
			{"examples without end", with(`"tools":[{"name":"a","input_schema":{"type":"object"},"input_examples":[` + strings.Repeat("{},", MaxExamples-1) + `{}]},
				{"name":"b","input_schema":{"type":"object"},"input_examples":[{}]}]`), strict, "tools.1.input_examples: The tools of a request should have at most 10000 examples in all"},
			{"schema of many types", with(`"tools":[{"name":"a","input_schema":{"type":["object"]}}]`), strict, "tools.0.custom.input_schema.type: Input should be 'object'"},
			{"properties an array", with(`"tools":[{"name":"a","input_schema":{"type":"object","properties":[]}}]`), strict,
				"tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12: `properties` is not an object."},
			{"required a string", with(`"tools":[{"name":"a","input_schema":{"type":"object","required":"x"}}]`), strict,
				"tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12: `required` is not an array."},
			{"type null", with(`"tools":[{"name":"a","input_schema":{"type":null}}]`), strict, "tools.0.custom.input_schema.type: Input should be 'object'"},
			{"type a number", with(`"tools":[{"type":1}]`), strict, "tools.0.type: Input should be a valid string"},
			{"type unknown", with(`"tools":[{"type":"function","name":"f"}]`), DecodeOptions{}, "tools.0: Input tag 'function' found using 'type' does not match any of the expected tags: " +
				"'custom', 'bash_20250124', 'bash_20241022', 'text_editor_20250728', 'text_editor_20250429', 'text_editor_20250124', 'text_editor_20241022', " +
				"'memory_20250818', 'computer_20251124', 'computer_20250124', 'computer_20241022'"},
			{"web search", with(`"tools":[` + weather + `,{"type":"web_search_20250305","name":"web_search"}]`), strict,
				"tools.1: `web_search_20250305` runs in the upstream, and this model only completes text. Remove the tool, or use a model with a tool API."},
			{"MCP toolset", with(`"tools":[{"type":"mcp_toolset","mcp_server_name":"x"}]`), strict,
				"tools.0: `mcp_toolset` runs in the upstream, and this model only completes text. Remove the tool, or use a model with a tool API."},
			{"computer toolset", with(`"tools":[{"type":"computer_toolset_20260801"}]`), DecodeOptions{},
				"tools.0: `computer_toolset_20260801` has no schemas, so a model that only completes text cannot use it. Remove it, or use a model with a tool API."},
			{"built-in name", with(`"tools":[{"type":"bash_20250124","name":"shell"}]`), strict, "tools.0.bash_20250124.name: Input should be 'bash'"},
			{"built-in without name", with(`"tools":[{"type":"memory_20250818"}]`), strict, "tools.0.memory_20250818.name: Field required"},
			{"no display", with(`"tools":[{"type":"computer_20250124","name":"computer","display_width_px":800}]`), strict, "tools.0.computer_20250124.display_height_px: Field required"},
			{"display too small", with(`"tools":[{"type":"computer_20250124","name":"computer","display_width_px":0,"display_height_px":1}]`), strict,
				"tools.0.computer_20250124.display_width_px: Input should be greater than or equal to 1"},
		},
		"tool_choice": {
			{"a string", with(`"tool_choice":"auto"`), strict, "tool_choice: Input should be a valid dictionary"},
			{"no type", with(`"tool_choice":{}`), strict, "tool_choice.type: Field required"},
			{"unknown", with(`"tool_choice":{"type":"required"}`), strict,
				"tool_choice: Input tag 'required' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'"},
			{"any without tools", with(`"tool_choice":{"type":"any"}`), strict, "tool_choice: Type `any` may only be specified while providing `tools`."},
			{"tool without tools", with(`"tool_choice":{"type":"tool","name":"a"}`), strict, "tool_choice: Type `tool` may only be specified while providing `tools`."},
			{"any with nothing but tool search", with(`"tools":[{"type":"tool_search_tool_bm25","name":"t"}],"tool_choice":{"type":"any"}`), DecodeOptions{},
				"tools.0: `tool_search_tool_bm25` runs in the upstream, and this model only completes text. Remove the tool, or use a model with a tool API."},
			{"a tool that runs in the upstream", with(`"tools":[` + weather + `,{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"tool","name":"web_search"}`), DecodeOptions{},
				"tools.1: `web_search_20250305` runs in the upstream, and this model only completes text. Remove the tool, or use a model with a tool API."},
			{"a tool of an MCP server", with(`"tools":[` + weather + `,{"type":"mcp_toolset","mcp_server_name":"x"}],"tool_choice":{"type":"tool","name":"find"}`), DecodeOptions{},
				"tool_choice.name: Tool 'find' not found in provided tools"},
			{"no name", with(`"tools":[` + weather + `],"tool_choice":{"type":"tool"}`), strict, "tool_choice.name: Field required"},
			{"another name", with(`"tools":[` + weather + `],"tool_choice":{"type":"tool","name":"Weather"}`), strict, "tool_choice.name: Tool 'Weather' not found in provided tools"},
			{"parallel a number", with(`"tool_choice":{"type":"auto","disable_parallel_tool_use":1}`), strict, "tool_choice.disable_parallel_tool_use: Input should be a valid boolean"},
		},
	}
	for group, cases := range groups {
		for _, c := range cases {
			t.Run(group+"/"+c.name, func(t *testing.T) { wantDecodeError(t, c) })
		}
	}
}

func wantDecodeError(t *testing.T, c decodeErrorCase) {
	t.Helper()
	r, err := Decode([]byte(c.body), c.opt)
	var invalid *InvalidRequestError
	if !errors.As(err, &invalid) {
		t.Fatalf("Decode gives %+v, error %v; want an *InvalidRequestError", r, err)
	}
	if got := err.Error(); got != c.want {
		t.Errorf("Decode fails with\n%s\nwant\n%s", got, c.want)
	}
}

// TestThreadDetails checks the error that makes SDKs go on without a thread.
func TestThreadDetails(t *testing.T) {
	_, err := Decode([]byte(with(`"thread":{"type":"create"}`)), DecodeOptions{})
	var invalid *InvalidRequestError
	if !errors.As(err, &invalid) || string(invalid.Details) != `{"error_code":"thread_unsupported_request","unsupported":["thread"]}` {
		t.Errorf("error %#v", err)
	}
}
