package messages

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// with returns a valid request with more members.
func with(members string) string {
	return withMessages(`{"role":"user","content":"hi"}`, members)
}

// withMessages returns a request with these messages and more members.
func withMessages(messages, members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"model":"m","max_tokens":9,"messages":[` + messages + `]` + members + `}`
}

// withBlock returns a request with one message of one block.
func withBlock(block string) string {
	return withMessages(`{"role":"user","content":[`+block+`]}`, "")
}

const weather = `{"name":"weather","input_schema":{"type":"object"}}`

func TestDecode(t *testing.T) {
	half, whole, five := 0.5, 1.0, 5
	body := `{
		"model": "claude-2.1", "max_tokens": 1024.0, "stream": true, "temperature": 0.5, "top_p": 1, "top_k": 5,
		"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["x"],
		"system": [{"type": "text", "text": "Be brief.", "cache_control": null}],
		"stop_sequences": ["END\n"],
		"tools": [
			{"name": "weather", "description": "The \"weather\".", "input_schema": {"type" : "object", "properties": {"n": {"const": 1.00}}},
				"input_examples": [{"n" : 1.00}, {}]},
			{"type": "bash_20250124", "name": "bash", "input_examples": null}],
		"tool_choice": {"type": "tool", "name": "weather", "disable_parallel_tool_use": true},
		"messages": [
			{"role": "system", "content": "Early."},
			{"role": "user", "content": "Caf\u00e9 \ud83c\udf0d?"},
			{"role": "user", "content": [
				{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
				{"type": "document", "title": "T", "context": "C", "source": {"type": "text", "media_type": "text/plain", "data": "D"}},
				{"type": "document", "title": null, "source": {"type": "content", "content": "one"}},
				{"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "two"}]}},
				{"type": "search_result", "source": "S", "title": "R", "content": [{"type": "text", "text": "found"}]}]},
			{"role": "assistant", "content": [
				{"type": "text", "text": "Looking.", "citations": null},
				{"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"n" : 12345678901234567890}, "caller": {"type": "direct"}},
				{"type": "tool_use", "id": "tooluse_2.a:b", "name": "gone!", "input": {}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "tooluse_2.a:b", "is_error": true}]},
			{"role": "user", "content": [
				{"type": "tool_result", "tool_use_id": "toolu_1", "content": [
					{"type": "text", "text": "sunny"}, {"type": "image", "source": {"type": "url", "url": "https://u.test"}}, {"type": "tool_reference", "tool_name": "weather"}]},
				{"type": "text", "text": "And?"}]},
			{"role": "system", "content": [{"type": "text", "text": "Hurry."}]},
			{"role": "assistant", "content": "It is"}]}`
	want := &Request{
		Model: "claude-2.1", MaxTokens: 1024, Stream: true, Temperature: &half, TopP: &whole, TopK: &five,
		System:        []BlockParam{{Type: BlockText, Text: "Be brief."}},
		StopSequences: []string{"END\n"},
		Tools: []Tool{
			{Name: "weather", Description: `The "weather".`, InputSchema: []byte(`{"type" : "object", "properties": {"n": {"const": 1.00}}}`),
				InputExamples: []jsontext.Value{[]byte(`{"n" : 1.00}`), []byte(`{}`)}},
			{Index: 1, Type: "bash_20250124", Name: "bash", Description: bashDescription, InputSchema: []byte(bashSchema)},
		},
		ToolChoice: ToolChoice{Type: ChoiceTool, Name: "weather", DisableParallelToolUse: true},
		Messages: []MessageParam{
			{Role: RoleSystem, Content: []BlockParam{{Type: BlockText, Text: "Early."}}},
			{Role: RoleUser, Content: []BlockParam{{Type: BlockText, Text: "Café 🌍?"}}},
			{Role: RoleUser, Content: []BlockParam{
				{Type: BlockImage, Source: &Source{Type: SourceBase64, JSON: []byte(`{"type": "base64", "media_type": "image/png", "data": "aGk="}`)}},
				{Type: BlockDocument, Source: &Source{Type: SourceText, Text: "D", Title: "T", Context: "C"}},
				{Type: BlockDocument, Source: &Source{Type: SourceContent}, Content: []BlockParam{{Type: BlockText, Text: "one"}}},
				{Type: BlockDocument, Source: &Source{Type: SourceContent}, Content: []BlockParam{{Type: BlockText, Text: "two"}}},
				{Type: BlockSearchResult, Source: &Source{Text: "S", Title: "R"}, Content: []BlockParam{{Type: BlockText, Text: "found"}}},
			}},
			{Role: RoleAssistant, Content: []BlockParam{
				{Type: BlockText, Text: "Looking."},
				{Type: BlockToolUse, ID: "toolu_1", Name: "weather", Input: []byte(`{"n" : 12345678901234567890}`)},
				{Type: BlockToolUse, ID: "tooluse_2.a:b", Name: "gone!", Input: []byte(`{}`)},
			}},
			{Role: RoleUser, Content: []BlockParam{{Type: BlockToolResult, ToolUseID: "tooluse_2.a:b", IsError: true}}},
			{Role: RoleUser, Content: []BlockParam{
				{Type: BlockToolResult, ToolUseID: "toolu_1", Content: []BlockParam{
					{Type: BlockText, Text: "sunny"},
					{Type: BlockImage, Source: &Source{Type: SourceURL, JSON: []byte(`{"type": "url", "url": "https://u.test"}`)}},
					{Type: BlockToolReference, Name: "weather"},
				}},
				{Type: BlockText, Text: "And?"},
			}},
			{Role: RoleSystem, Content: []BlockParam{{Type: BlockText, Text: "Hurry."}}},
			{Role: RoleAssistant, Content: []BlockParam{{Type: BlockText, Text: "It is"}}},
		},
	}
	for _, strict := range []bool{false, true} {
		got, err := Decode([]byte(body), DecodeOptions{Strict: strict})
		if err != nil {
			t.Fatalf("strict %v: %v", strict, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("strict %v: Decode differs (-want +got):\n%s", strict, diff)
		}
	}
}

// TestDecodeAccepts has valid requests that an overly strict decoder would reject.
func TestDecodeAccepts(t *testing.T) {
	use := `{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]}`
	for name, c := range map[string]struct {
		body string
		opt  DecodeOptions
	}{
		"nulls for optional fields": {with(`"system":null,"tools":null,"tool_choice":null,"stop_sequences":null,"stream":null,` +
			`"temperature":null,"thinking":null,"mcp_servers":null,"thread":null`), DecodeOptions{Strict: true, Version: Version20261021}},
		"empty lists":          {with(`"system":[],"tools":[],"stop_sequences":[],"mcp_servers":[]`), DecodeOptions{Strict: true}},
		"empty system":         {with(`"system":""`), DecodeOptions{Strict: true}},
		"max_tokens 0":         {`{"model":"m","max_tokens":0,"messages":[{"role":"user","content":"x"}]}`, DecodeOptions{Strict: true}},
		"space around":         {" \n" + with("") + "\r\n\t ", DecodeOptions{Strict: true}},
		"an unknown version":   {with(`"temperature":1`), DecodeOptions{Version: "2027-01-01"}},
		"what thinking is not": {with(`"thinking":{ "type": "disabled" }`), DecodeOptions{Strict: true}},
		"tools named freely":   {with(`"tools":[{"name":"GET::a/b c","input_schema":{"type":"object"}}]`), DecodeOptions{LooseNames: true}},
		"values of other APIs": {`{"model":"m","max_tokens":9,"temperature":2,"stop_sequences":["\n"],"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y "}]}`,
			DecodeOptions{WideValues: true, Strict: true}},
		"tool_result with a string":   {withMessages(use+`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}`, ""), DecodeOptions{Strict: true}},
		"tool_result with null":       {withMessages(use+`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":null,"is_error":null}]}`, ""), DecodeOptions{Strict: true}},
		"tool_result with nothing":    {withMessages(use+`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":""}]}`, ""), DecodeOptions{Strict: true}},
		"choice none without tools":   {with(`"tool_choice":{"type":"none"}`), DecodeOptions{Strict: true}},
		"choice auto without tools":   {with(`"tool_choice":{"type":"auto"}`), DecodeOptions{Strict: true}},
		"depth at the limit":          {with(`"metadata":` + strings.Repeat("[", 199) + strings.Repeat("]", 199)), DecodeOptions{}},
		"brackets in strings":         {with(`"metadata":"` + strings.Repeat(`[{\"\\`, 999) + `"`), DecodeOptions{}},
		"values of fields left out":   {with(`"container":[[{"x":1e999}]],"messages2":"x"`), DecodeOptions{}},
		"document of the model's":     {withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"document","source":{"type":"url","url":"https://u.test"}}]}`, ""), DecodeOptions{}},
		"document of the user's":      {withBlock(`{"type":"document","source":{"type":"url","url":"https://u.test"}}`), DecodeOptions{Version: Version20261021}},
		"no citations in 2026":        {withBlock(`{"type":"text","text":"x","citations":[]}`), DecodeOptions{Version: Version20261021, Strict: true}},
		"the model's own citations":   {withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"x","citations":[{}]}]}`, ""), DecodeOptions{Version: Version20261021}},
		"a client's copy of an error": {withBlock(`{"type":"text","text":"\u0000\uFFFD\"\\\/\b\f\n\r\t"}`), DecodeOptions{Strict: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode([]byte(c.body), c.opt); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDecodeDrops(t *testing.T) {
	body := `{"model":"m","max_tokens":9,
		"thinking":{"type":"enabled","budget_tokens":2048},"context_management":{"edits":[]},"output_config":{"effort":"low"},
		"metadata":{"user_id":"u"},"service_tier":"auto","speed":"fast","cache_control":{"type":"ephemeral"},"temper":3,"inference_geo":null,
		"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],
		"tools":[
			{"name":"a","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"},"strict":true,"eager_input_streaming":null},
			{"name":"b","input_schema":{"type":"object"},"strict":true,"defer_loading":false,"nickname":"x"},
			{"type":"web_search_20260318","name":"web_search","max_uses":3},{"type":"web_fetch_20250910","name":"web_fetch"},
			{"type":"code_execution_20260521","name":"code_execution"},{"type":"mcp_toolset","mcp_server_name":"x"},
			{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"}],
		"mcp_servers":[{"type":"url","name":"x","url":"u"}],
		"tool_choice":{"type":"none","disable_parallel_tool_use":true},
		"messages":[
			{"role":"user","content":"x","id":"msg_1"},
			{"role":"user","content":[{"type":"container_upload","file_id":"f"}]},
			{"role":"assistant","content":[
				{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"d"},
				{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},
				{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":1,"source":[]},5]},
				{"type":"mcp_tool_use","id":"x","name":"n","input":"odd"},
				{"type":"text","text":"found","citations":[{"type":"web_search_result_location"}],"input":1},
				{"type":"tool_use","id":"c","name":"a","input":{},"caller":{"type":"code_execution_20250825","tool_id":"s"},"toolset_name":"t"}]},
			{"role":"assistant","content":[{"type":"redacted_thinking","data":"d"}]},
			{"role":"user","content":[
				{"type":"tool_result","tool_use_id":"c","content":[{"type":"browser_state"},{"type":"text","text":"r","cache_control":{}},
					{"type":"image","source":{"type":"url","url":"https://u.test","extra":1},"transformations":{"oversized_image":"error"}}]},
				{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d","extra":1},"citations":{"enabled":true}}]}]}`
	r, err := Decode([]byte(body), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cache_control", "context_management", "mcp_servers",
		"messages.content.caller", "messages.content.citations", "messages.content.container_upload",
		"messages.content.content.browser_state", "messages.content.content.transformations", "messages.content.input",
		"messages.content.mcp_tool_use", "messages.content.redacted_thinking", "messages.content.server_tool_use",
		"messages.content.source.extra", "messages.content.toolset_name",
		"messages.content.web_search_tool_result", "messages.id",
		"metadata", "output_config.effort", "service_tier", "speed", "system.cache_control", "temper",
		"tool_choice.disable_parallel_tool_use", "tools.cache_control",
		"tools.code_execution", "tools.mcp_toolset", "tools.nickname", "tools.tool_search_tool", "tools.web_fetch", "tools.web_search",
	}
	if diff := cmp.Diff(want, r.Dropped); diff != "" {
		t.Errorf("Dropped differs (-want +got):\n%s", diff)
	}
	if len(r.Tools) != 2 || len(r.Messages) != 3 || len(r.Messages[1].Content) != 3 {
		t.Errorf("wrong things were left out: %+v", r)
	}
	image := r.Messages[2].Content[0].Content[1]
	if got := string(image.Source.JSON); got != `{"type":"url","url":"https://u.test","extra":1}` {
		t.Errorf("the image's source is %s", got)
	}
}

func TestDecodeDropsNothingByDefault(t *testing.T) {
	r, err := Decode([]byte(with("")), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Dropped != nil || r.ToolChoice != (ToolChoice{Type: ChoiceAuto}) {
		t.Errorf("Decode gives Dropped %q, ToolChoice %+v", r.Dropped, r.ToolChoice)
	}
}

func TestDecodeTooManyMessages(t *testing.T) {
	many := strings.Repeat(`{"role":"user","content":"x"},`, 100_000)
	if _, err := Decode([]byte(withMessages(strings.TrimSuffix(many, ","), "")), DecodeOptions{}); err != nil {
		t.Error(err)
	}
	wantDecodeError(t, decodeErrorCase{
		body: withMessages(many+`{"role":"user","content":"x"}`, ""),
		want: "messages: List should have at most 100000 items",
	})
}

// The limit is for the schemas of all tools and of the answer together.
func TestDecodeTooManySchemaValues(t *testing.T) {
	schema := func(values int) string {
		return `{"type":"object","properties":{"a":{"enum":[` + strings.TrimSuffix(strings.Repeat("0,", values), ",") + `]}}}`
	}
	tools := func(first, second int) string {
		return with(`"tools":[{"name":"f","input_schema":` + schema(first) + `},{"name":"g","input_schema":` + schema(second) + `}]`)
	}
	const half = maxSchemaValues / 2
	if _, err := Decode([]byte(tools(half-20, half-20)), DecodeOptions{}); err != nil {
		t.Error(err)
	}
	wantDecodeError(t, decodeErrorCase{body: tools(half, half), want: "tools.1.custom.input_schema: The schemas of a request should hold at most 100000 values together"})
	wantDecodeError(t, decodeErrorCase{
		body: with(`"output_config":{"format":{"type":"json_schema","schema":` + schema(2*half) + `}}`),
		want: "output_config.format.schema: The schemas of a request should hold at most 100000 values together",
	})
}

// A name may be empty.
func TestDecodeEmptyName(t *testing.T) {
	r, err := Decode([]byte(withBlock(`{"":[1],"type":"text","text":"x"}`)), DecodeOptions{})
	if err != nil || r.Messages[0].Content[0].Text != "x" || len(r.Dropped) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBodyTwice reads a body both as Request and as Native, in either order.
func TestBodyTwice(t *testing.T) {
	const body = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],
		"tools":[{"type":"web_search_20260101","name":"web_search"},{"name":"f","input_schema":{"type":"object"}},{"type":"computer_20250124","name":"computer","display_width_px":1,"display_height_px":1}],
		"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true}}`
	once, err := Decode([]byte(strings.Replace(body, `{"type":"web_search_20260101","name":"web_search"},`, "", 1)), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadBody(t.Context(), []byte(strings.Replace(body, `{"type":"web_search_20260101","name":"web_search"},`, "", 1)), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		native, err := b.Native(t.Context())
		if err != nil || len(native.Tools) != 2 || native.ToolChoice.Name != "f" {
			t.Errorf("native: %+v, %v", native, err)
		}
		again, err := b.Request(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(once, again); diff != "" {
			t.Error(diff)
		}
	}
	if b, err = ReadBody(t.Context(), []byte(body), DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if native, err := b.Native(t.Context()); err != nil || len(native.Tools) != 2 {
		t.Errorf("beside a tool of the model's own: %+v, %v", native, err)
	}
}

// TestNullInSchema checks that null properties and null required count as missing, for all models,
// and that a model never sees them.
func TestNullInSchema(t *testing.T) {
	b, err := ReadBody(t.Context(), []byte(with(`"tools":[{"name":"a","input_schema":{"type":"object","properties":null,"required":null,"title":"A"}}]`)), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(context.Context) (*Request, error){"prompt": b.Request, "native": b.Native} {
		r, err := read(t.Context())
		if err != nil || r.OtherTools || len(r.Tools) != 1 {
			t.Errorf("%s: %+v, %v", name, r, err)
			continue
		}
		if got, want := string(r.Tools[0].InputSchema), `{"type":"object","title":"A"}`; got != want {
			t.Errorf("%s: the schema is %s, want %s", name, got, want)
		}
	}
}

// TestHints checks that strict mode leaves hints out, names them, and does not fail.
func TestHints(t *testing.T) {
	mark := `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	body := `{"model":"m","max_tokens":9,"metadata":{"user_id":"u"},"service_tier":"auto","speed":"fast","output_config":{"effort":"low"},` + mark + `,
		"system":[{"type":"text","text":"s",` + mark + `}],
		"tools":[{"name":"f","input_schema":{"type":"object"},` + mark + `}],
		"messages":[{"role":"user","content":[{"type":"text","text":"x",` + mark + `}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{},` + mark + `}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"r",` + mark + `}],` + mark + `}]}]}`
	r, err := Decode([]byte(body), DecodeOptions{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cache_control", "messages.content.cache_control", "messages.content.content.cache_control", "metadata", "output_config.effort",
		"service_tier", "speed", "system.cache_control", "tools.cache_control",
	}
	if diff := cmp.Diff(want, r.Dropped); diff != "" {
		t.Errorf("Dropped differs (-want +got):\n%s", diff)
	}
}

// TestBillingHeader checks that only the agent's line for the API's own servers is removed.
func TestBillingHeader(t *testing.T) {
	const line = "x-anthropic-billing-header: cc_version=2.1; cch=00000;"
	for system, want := range map[string][]string{
		`[{"type":"text","text":"` + line + `"},{"type":"text","text":"You are an agent."}]`: {"You are an agent."},
		`[{"type":"text","text":"You are an agent."},{"type":"text","text":"` + line + `"}]`: {"You are an agent."},
		`"` + line + `"`: nil,
		`"` + line + `\n\nYou are an agent.\nBe kind."`:                {"You are an agent.\nBe kind."},
		`[{"type":"text","text":"` + line + `\r\nYou are an agent."}]`: {"You are an agent."},
	} {
		for _, strict := range []bool{false, true} {
			r, err := Decode([]byte(with(`"system":`+system)), DecodeOptions{Strict: strict})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range r.System {
				got = append(got, b.Text)
			}
			if !slices.Equal(got, want) || !slices.Equal(r.Dropped, []string{"system.billing_header"}) {
				t.Errorf("strict %v: %s: %q, dropped %q", strict, system, got, r.Dropped)
			}
		}
	}
	about := "What is x-anthropic-billing-header: for?"
	r, err := Decode([]byte(`{"model":"m","max_tokens":9,"system":"`+about+`","messages":[{"role":"user","content":"`+line+`"}]}`), DecodeOptions{})
	if err != nil || r.System[0].Text != about || r.Messages[0].Content[0].Text != line || r.Dropped != nil {
		t.Errorf("elsewhere: %+v, %v", r, err)
	}
}
