package messages

import (
	"errors"
	"strings"
	"testing"
)

// inConversation returns a request with the tools a, b and d and these messages. Tool d is
// deferred.
func inConversation(messages, rest string) string {
	tool := func(name, more string) string {
		return `{"name":"` + name + `",` + more + `"input_schema":{"type":"object"}}`
	}
	return withMessages(messages, `"tools":[`+tool("a", "")+`,`+tool("d", `"defer_loading":true,`)+`,`+tool("b", "")+`,`+tool("e", `"defer_loading":true,`)+`]`+rest)
}

// changed returns a user message and then a system message that changes tools. Each block is a sign
// and a name: + adds a tool by reference, - removes it, * adds a tool by definition.
func changed(blocks ...string) string {
	var list []string
	for _, b := range blocks {
		typ, tool := "tool_addition", `{"type":"tool_reference","name":"`+b[1:]+`"}`
		switch b[0] {
		case '-':
			typ = "tool_removal"
		case '*':
			tool = `{"type":"tool_definition","definition":{"name":"` + b[1:] + `","description":"new","input_schema":{"type":"object"}}}`
		}
		list = append(list, `{"type":"`+typ+`","tool":`+tool+`,"cache_control":{"type":"ephemeral"}}`)
	}
	return `{"role":"user","content":"x"},{"role":"system","content":[` + strings.Join(list, ",") + `]}`
}

// found returns the client's own tool search: a call, and a result that names tools.
func found(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, `{"type":"tool_reference","tool_name":"`+name+`"}`)
	}
	return `{"role":"user","content":"x"},{"role":"assistant","content":[` + use("s") + `]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"s","content":[` + strings.Join(list, ",") + `]}]}`
}

// The model is shown the tools that are valid at the end of the conversation. Tools that were added
// later come last.
func TestShownTools(t *testing.T) {
	const hi = `{"role":"user","content":"x"}`
	search := `,{"type":"tool_search_tool_bm25","name":"s"}]`
	for _, tt := range []struct{ name, body, want string }{
		{"deferred tools that nothing names", inConversation(hi, ""), "a b"},
		{"as they were found", inConversation(found("e", "d"), ""), "a b e d"},
		{"found once more", inConversation(found("e", "a", "e", "gone"), ""), "a b e"},
		{"chosen", inConversation(hi, `,"tool_choice":{"type":"tool","name":"e"}`), "a b e"},
		{"a search of the upstream's", strings.Replace(inConversation(hi, ""), `]}`, search+`}`, 1), "a d b e"},
		{"all are deferred", withMessages(hi, `"tools":[{"name":"d","input_schema":{"type":"object"},"defer_loading":true}]`), "d"},
		{"deferred, and added", inConversation(changed("+d"), ""), "a b d"},
		{"removed", inConversation(changed("-a"), ""), "b"},
		{"removed and added", inConversation(changed("-a", "+a"), ""), "b a"},
		{"added in a later message", inConversation(changed("-a", "-b")+`,{"role":"assistant","content":"y"},`+changed("+a"), ""), "a"},
		{"defined", inConversation(changed("*n"), ""), "a b n"},
		{"defined, removed and added", inConversation(changed("*n", "*m", "-n", "+n"), ""), "a b m n"},
		{"defined anew", inConversation(changed("-a", "*a"), ""), "b a"},
		{"removed twice", inConversation(changed("-a", "-a", "-e"), ""), "b"},
		{"defined, with defer_loading", strings.Replace(withMessages(changed("*n"), `"tools":[{"name":"a","input_schema":{"type":"object"}}]`), `"description"`, `"defer_loading":true,"description"`, 1), "a n"},
		{"defined without a list", withMessages(changed("*n"), ""), "n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Decode([]byte(tt.body), DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "defined, with defer_loading" && len(r.Dropped) != 1 {
				t.Errorf("dropped %q", r.Dropped)
			}
			var names []string
			for _, tool := range r.Tools {
				if names = append(names, tool.Name); tool.DefinedAt != "" && tool.Description != "new" {
					t.Errorf("%+v", tool)
				}
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("shown %s, want %s", got, tt.want)
			}
			for _, m := range r.Messages {
				if m.Role == RoleSystem {
					t.Errorf("the system says %+v", m)
				}
			}
		})
	}
}

func TestToolChangeErrors(t *testing.T) {
	strict := DecodeOptions{Strict: true}
	blocks := func(list string) string {
		return inConversation(`{"role":"user","content":"x"},{"role":"system","content":[`+list+`]}`, "")
	}
	for _, c := range []struct {
		decodeErrorCase
		code string
	}{
		{decodeErrorCase{"unknown", inConversation(changed("-a", "+n"), ""), strict, "messages.1.content.1.tool_addition.tool: Tool 'n' not found in provided tools"}, "tool_reference_unresolved"},
		{decodeErrorCase{"unknown removal", inConversation(changed("-n"), ""), strict, "messages.1.content.0.tool_removal.tool: Tool 'n' not found in provided tools"}, "tool_reference_unresolved"},
		{decodeErrorCase{"added before it is defined", inConversation(changed("+n", "*n"), ""), strict, "messages.1.content.0.tool_addition.tool: Tool 'n' not found in provided tools"}, "tool_reference_unresolved"},
		{decodeErrorCase{"defined twice", inConversation(changed("*a"), ""), strict, "messages.1.content.0.tool_addition.tool: There is a tool 'a' already"}, "tool_name_conflict"},
		{decodeErrorCase{"a choice that was removed", inConversation(changed("-a"), `,"tool_choice":{"type":"tool","name":"a"}`), strict, "tool_choice.name: Tool 'a' not found in provided tools"}, ""},
		{decodeErrorCase{"no tool", blocks(`{"type":"tool_addition"}`), strict, "messages.1.content.0.tool_addition.tool: Field required"}, ""},
		{decodeErrorCase{"no name", blocks(`{"type":"tool_removal","tool":{"type":"tool_reference"}}`), strict, "messages.1.content.0.tool_removal.tool.name: Field required"}, ""},
		{decodeErrorCase{"a removal that defines", blocks(`{"type":"tool_removal","tool":{"type":"tool_definition","definition":{}}}`), strict,
			"messages.1.content.0.tool_removal.tool: Input tag 'tool_definition' found using 'type' does not match any of the expected tags: " +
				"'tool_reference', 'tool_definition', 'mcp_tool_reference', 'mcp_toolset_reference'"}, ""},
		{decodeErrorCase{"a definition without a schema", blocks(`{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"n"}}}`), strict,
			"messages.1.content.0.tool_addition.tool.definition.input_schema: Field required"}, ""},
		{decodeErrorCase{"in another case", blocks(`{"type":"tool_addition","tool":{"type":"tool_definition","Definition":{}}}`), strict,
			`messages.1.content.0.tool.Definition: Extra inputs are not permitted; did you mean "definition"?`}, ""},
		{decodeErrorCase{"a user's", inConversation(`{"role":"user","content":[{"type":"tool_removal","tool":{}}]}`, ""), strict, "messages.0.content.0: `tool_removal` blocks can only be in `system` messages"}, ""},
		{decodeErrorCase{"of an MCP server", blocks(`{"type":"tool_addition","tool":{"type":"mcp_toolset_reference","server_name":"s"}}`), strict,
			"messages.1.content.0.tool_addition.tool: The tools of MCP servers run in the upstream, and this model only completes text. Remove the block, or use a model with a tool API."}, ""},
		{decodeErrorCase{"clear_at of another kind", inConversation(`{"role":"user","content":"x"},{"role":"system","content":"y","clear_at":"now"}`, ""), strict,
			"messages.1.clear_at: Input should be 'never' or 'next_user_message'"}, ""},
		{decodeErrorCase{"clear_at of a user", inConversation(`{"role":"user","content":"x","clear_at":"never"}`, ""), strict, "messages.0.clear_at: Extra inputs are not permitted"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantDecodeError(t, c.decodeErrorCase)
			_, err := Decode([]byte(c.body), c.opt)
			details := ""
			if c.code != "" {
				details = `{"error_code":"` + c.code + `"}`
			}
			if invalid, ok := errors.AsType[*InvalidRequestError](err); !ok || string(invalid.Details) != details {
				t.Errorf("details %s", invalid.Details)
			}
		})
	}
}

// Tools that run in the upstream are left out and listed in Dropped, wherever they come from.
func TestServerToolChanges(t *testing.T) {
	r, err := Decode([]byte(withMessages(`{"role":"user","content":"x"},{"role":"system","output_config":{"effort":"low"},"content":[`+
		`{"type":"tool_addition","tool":{"type":"mcp_toolset_reference","server_name":"s"}},{"type":"tool_removal","tool":{"type":"mcp_tool_reference","server_name":"s","name":"n"}},`+
		`{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"type":"web_fetch_20250910","name":"web_fetch"}}},`+
		`{"type":"tool_removal","tool":{"type":"tool_reference","name":"web_search"}}]}`, `"tools":[{"type":"web_search_20250305","name":"web_search"}]`)), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "messages.content.mcp_tool_reference messages.content.mcp_toolset_reference messages.output_config.effort tools.web_fetch tools.web_search"
	if got := strings.Join(r.Dropped, " "); got != want || len(r.Tools) > 0 {
		t.Errorf("dropped %s, shown %+v", got, r.Tools)
	}
}

// A system message may say that the next user message clears it.
func TestClearedMessages(t *testing.T) {
	says := func(text, more string) string { return `{"role":"system","content":"` + text + `"` + more + `}` }
	const next, never = `,"clear_at":"next_user_message"`, `,"clear_at":"never"`
	user, model := `{"role":"user","content":"u"}`, `{"role":"assistant","content":"m"}`
	for _, tt := range []struct{ messages, want string }{
		{user + "," + says("s", next), "u0 s1"},
		{user + "," + says("s", next) + "," + model, "u0 s1 m2"},
		{user + "," + says("s", next) + "," + says("t", never) + "," + model + "," + user, "u0 t2 m3 u4"},
		{user + "," + says("s", next) + "," + model + "," + user + "," + says("t", next), "u0 m2 u3 t4"},
		{says("s", next) + "," + user + "," + says("t", "") + "," + says("s", next) + "," + user, "u1 t2 u4"},
	} {
		r, err := Decode([]byte(withMessages(tt.messages, "")), DecodeOptions{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, m := range r.Messages {
			got = append(got, m.Content[0].Text+string(rune('0'+i+m.Skipped)))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.messages, got, tt.want)
		}
	}
}
