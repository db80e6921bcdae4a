package messages

import (
	"strconv"
	"strings"
	"testing"
)

// use and result return blocks of a history.
func use(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"t","input":{}}` }

func result(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `"}` }

const prose = `{"type":"text","text":"x"}`

// history returns a request with messages. Each message is a role and its blocks: "user",
// prose+","+result("a"), "assistant", prose.
func history(rolesAndBlocks ...string) string {
	var messages []string
	for i := 0; i < len(rolesAndBlocks); i += 2 {
		messages = append(messages, `{"role":"`+rolesAndBlocks[i]+`","content":[`+rolesAndBlocks[i+1]+`]}`)
	}
	return withMessages(strings.Join(messages, ","), "")
}

func TestDecodeRefusesHistory(t *testing.T) {
	const (
		thinking   = `{"type":"thinking","thinking":"t","signature":"s"}`
		unanswered = ": `tool_use` ids were found without `tool_result` blocks immediately after: "
		mustAnswer = ". Each `tool_use` block must have a corresponding `tool_result` block in the next message."
		orphan     = ": unexpected `tool_use_id` found in `tool_result` blocks: "
		mustAsk    = ". Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
		badID      = ": String should match pattern '^[a-zA-Z0-9_-]+$'"
		empty      = ": all messages must have non-empty content except for the optional final assistant message"
	)
	for _, c := range []decodeErrorCase{
		{name: "no messages member", body: `{"model":"m","max_tokens":1}`, want: "messages: Field required"},
		{name: "messages null", body: `{"model":"m","max_tokens":1,"messages":null}`, want: "messages: Input should be a valid list"},
		{name: "messages a string", body: `{"model":"m","max_tokens":1,"messages":"hi"}`, want: "messages: Input should be a valid list"},
		{name: "a system message ends the turn", body: history("user", prose, "assistant", use("a"), "system", prose, "assistant", prose, "user", result("a")),
			want: "messages.1" + unanswered + "a" + mustAnswer},
		{name: "no message", body: history(), want: "messages: at least one message is required"},
		{name: "a message that is a string", body: withMessages(`"hi"`, ""), want: "messages.0: Input should be a valid dictionary"},
		{name: "a message that is null", body: withMessages(`null`, ""), want: "messages.0: Input should be a valid dictionary"},
		{name: "no role", body: withMessages(`{"content":"x"}`, ""), want: "messages.0.role: Field required"},
		{name: "another role", body: history("tool", prose), want: "messages.0.role: Input should be 'user', 'assistant' or 'system'"},
		{name: "no content", body: withMessages(`{"role":"user"}`, ""), want: "messages.0.content: Field required"},
		{name: "content null", body: withMessages(`{"role":"user","content":null}`, ""), want: "messages.0.content: Input should be a valid string or list"},
		{name: "content an object", body: withMessages(`{"role":"user","content":{}}`, ""), want: "messages.0.content: Input should be a valid string or list"},

		{name: "nothing once blocks are left out", body: history("user", `{"type":"container_upload"}`), want: "messages: at least one message is required"},
		{name: "empty string", body: withMessages(`{"role":"user","content":""}`, ""), want: "messages.0" + empty},
		{name: "empty list", body: history("user", prose, "user", ""), want: "messages.1" + empty},
		{name: "empty in the middle", opt: DecodeOptions{Strict: true}, body: history("user", prose, "assistant", "", "user", prose), want: "messages.1" + empty},
		{name: "empty at the end", body: history("user", prose, "system", ""), want: "messages.1" + empty},
		{name: "empty text at the end", body: history("user", prose, "assistant", `{"type":"text","text":""}`), want: "messages: text content blocks must be non-empty"},
		{name: "a prefill with a newline", body: withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":"y\n"}`, ""),
			want: "messages: final assistant content cannot end with trailing whitespace"},
		{name: "a prefill with a wide blank", body: history("user", prose, "assistant", prose+`,{"type":"text","text":"y\u2003"}`),
			want: "messages: final assistant content cannot end with trailing whitespace"},
		{name: "a prefill once blocks are left out", body: history("user", prose, "assistant", `{"type":"text","text":"y "}`, "user", `{"type":"container_upload"}`),
			want: "messages: final assistant content cannot end with trailing whitespace"},

		{name: "unanswered at the end", body: history("user", prose, "assistant", prose+","+use("a")), want: "messages.1" + unanswered + "a" + mustAnswer},
		{name: "unanswered by text", body: history("user", prose, "assistant", use("a")+","+use("b"), "user", prose), want: "messages.1" + unanswered + "a, b" + mustAnswer},
		{name: "one of two unanswered", body: history("user", prose, "assistant", use("a"), "assistant", use("b"), "user", result("a"), "assistant", prose),
			want: "messages.2" + unanswered + "b" + mustAnswer},
		{name: "answered too late", body: history("user", prose, "assistant", use("a"), "user", prose, "assistant", prose, "user", result("a")),
			want: "messages.1" + unanswered + "a" + mustAnswer},
		{name: "unanswered with the answer left out", body: history("user", prose, "assistant", use("a"), "user", `{"type":"container_upload"}`),
			want: "messages.1" + unanswered + "a" + mustAnswer},
		{name: "an answer to nothing", body: history("user", prose+","+result("a")), want: "messages.0.content.1" + orphan + "a" + mustAsk},
		{name: "an answer to another id", body: history("user", prose, "assistant", use("a"), "user", result("A")), want: "messages.2.content.0" + orphan + "A" + mustAsk},
		{name: "an answer to a call of long ago", body: history("user", prose, "assistant", use("a"), "user", result("a"), "assistant", prose, "user", result("a")),
			want: "messages.4.content.0" + orphan + "a" + mustAsk},
		{name: "an answer to what was left out", body: history("user", prose, "assistant", prose+`,{"type":"mcp_tool_use","id":"a"}`, "user", thinking+","+result("a")),
			want: "messages.2.content.1" + orphan + "a" + mustAsk},
		{name: "two answers", body: history("user", prose, "assistant", use("a"), "user", result("a")+","+result("a")),
			want: "messages.2.content.1: each `tool_use` must have a single result. Found multiple `tool_result` blocks with id: a"},
		{name: "an answer after text", body: history("user", prose, "assistant", use("a"), "user", prose+","+result("a")),
			want: "messages.2.content.1: `tool_result` blocks must come before all other blocks of their message"},
		{name: "an answer amid text", body: history("user", prose, "assistant", use("a")+","+use("b"), "user", result("b")+","+prose+","+result("a")),
			want: "messages.2.content.2: `tool_result` blocks must come before all other blocks of their message"},
		{name: "same id in a turn", body: history("user", prose, "assistant", use("a")+","+use("a")), want: "messages: `tool_use` ids must be unique"},
		{name: "same id in a later turn", body: history("user", prose, "assistant", use("a"), "user", result("a"), "assistant", use("a"), "user", result("a")),
			want: "messages: `tool_use` ids must be unique"},

		{name: "id empty", body: history("user", prose, "assistant", use("")), want: "messages.1.content.0.tool_use.id" + badID},
		{name: "id with a blank", opt: DecodeOptions{Strict: true}, body: history("user", prose, "assistant", use("a b")), want: "messages.1.content.0.tool_use.id" + badID},
		{name: "id with a letter beyond ASCII", opt: DecodeOptions{Strict: true}, body: history("user", prose, "assistant", use("é")), want: "messages.1.content.0.tool_use.id" + badID},
		{name: "id missing", body: history("user", prose, "assistant", `{"type":"tool_use","name":"t","input":{}}`), want: "messages.1.content.0.tool_use.id: Field required"},
		{name: "tool_use_id with a slash", opt: DecodeOptions{Strict: true}, body: history("user", prose, "assistant", use("a"), "user", result("a/")), want: "messages.2.content.0.tool_result.tool_use_id" + badID},
		{name: "tool_use_id missing", body: history("user", `{"type":"tool_result"}`), want: "messages.0.content.0.tool_result.tool_use_id: Field required"},
		{name: "is_error a string", body: history("user", prose, "assistant", use("a"), "user", `{"type":"tool_result","tool_use_id":"a","is_error":"no"}`),
			want: "messages.2.content.0.tool_result.is_error: Input should be a valid boolean"},
		{name: "result a number", body: history("user", prose, "assistant", use("a"), "user", `{"type":"tool_result","tool_use_id":"a","content":1}`),
			want: "messages.2.content.0.tool_result.content: Input should be a valid string or list"},
		{name: "result with a call", body: history("user", prose, "assistant", use("a"), "user", `{"type":"tool_result","tool_use_id":"a","content":[`+use("b")+`]}`),
			want: "messages.2.content.0.tool_result.content.0: Input tag 'tool_use' found using 'type' does not match any of the expected tags: " +
				"'text', 'image', 'search_result', 'document', 'tool_reference', 'browser_state'"},
		{name: "reference without a name", body: history("user", prose, "assistant", use("a"), "user", `{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_reference"}]}`),
			want: "messages.2.content.0.tool_result.content.0.tool_reference.tool_name: Field required"},
		{name: "name missing", body: history("user", prose, "assistant", `{"type":"tool_use","id":"a","input":{}}`), want: "messages.1.content.0.tool_use.name: Field required"},
		{name: "name empty", body: history("user", prose, "assistant", `{"type":"tool_use","id":"a","name":"","input":{}}`),
			want: "messages.1.content.0.tool_use.name: String should have at least 1 character"},
		{name: "name too long", body: history("user", prose, "assistant", `{"type":"tool_use","id":"a","name":"`+strings.Repeat("é", 201)+`","input":{}}`),
			want: "messages.1.content.0.tool_use.name: String should have at most 200 characters"},
		{name: "input missing", body: history("user", prose, "assistant", `{"type":"tool_use","id":"a","name":"t"}`), want: "messages.1.content.0.tool_use.input: Field required"},
		{name: "input a string", body: history("user", prose, "assistant", `{"type":"tool_use","id":"a","name":"t","input":"{}"}`),
			want: "messages.1.content.0.tool_use.input: Input should be a valid dictionary"},
		{name: "input null", body: history("user", prose, "assistant", `{"type":"tool_use","id":"a","name":"t","input":null}`),
			want: "messages.1.content.0.tool_use.input: Input should be a valid dictionary"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, version := range []string{"", "2023-06-01", Version20261021} {
				c.opt.Version = version
				wantDecodeError(t, c)
			}
		})
	}
}

func TestDecodeTakesHistory(t *testing.T) {
	for name, body := range map[string]string{
		"answers in another order":        history("user", prose, "assistant", use("a")+","+use("b"), "user", result("b")+","+result("a")+","+prose),
		"answers in several messages":     history("user", prose, "assistant", use("a")+","+use("b"), "user", result("a"), "user", result("b")+","+prose),
		"calls in several messages":       history("user", prose, "assistant", use("a"), "assistant", prose+","+use("b"), "user", result("a")+","+result("b")),
		"a message of text, then answers": history("user", prose, "assistant", use("a"), "user", prose, "user", result("a")),
		"the system between":              history("user", prose, "assistant", use("a"), "system", prose, "user", result("a"), "system", prose, "assistant", prose),
		"several of one role":             history("user", prose, "user", prose, "assistant", prose, "assistant", prose),
		"an answer after what is left out": history("user", prose, "assistant", use("a"),
			"user", `{"type":"container_upload"},`+result("a")),
		"the model speaks first":                  history("assistant", prose, "user", prose),
		"the model calls first":                   history("assistant", use("a"), "user", result("a")),
		"the model speaks first after the system": history("system", prose, "assistant", prose),
		"only the system speaks":                  history("system", prose),
		"first once blocks are left out":          history("user", `{"type":"container_upload"}`, "assistant", prose),
		"an empty prefill":                        history("user", prose, "assistant", ""),
		"an empty prefill of text":                withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":""}`, ""),
		"an empty answer":                         history("user", prose, "assistant", "", "user", prose),
		"an empty answer to results":              history("user", prose, "assistant", use("a"), "user", result("a"), "assistant", "", "user", prose),
		"an empty answer that is a string":        withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":""},{"role":"user","content":"y"}`, ""),
		"a turn that is left out":                 history("user", prose, "assistant", `{"type":"thinking"}`, "user", prose),
		"blanks in an earlier turn":               history("user", prose, "assistant", `{"type":"text","text":"y "}`, "user", prose),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Decode([]byte(body), DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range r.Messages {
				if len(m.Content) == 0 {
					t.Errorf("message %d of the request is empty", i)
				}
			}
		})
	}
}

// A history may have the ids of another model or gateway. Dragoman does not show ids to a model, so
// it accepts them.
func TestDecodeForeignIDs(t *testing.T) {
	for _, id := range []string{"functions.Bash:0", "call_1|fc_2", "a b", "é", "tool/1#x"} {
		r, err := Decode([]byte(history("user", prose, "assistant", use(id), "user", result(id))), DecodeOptions{})
		if err != nil || r.Messages[1].Content[0].ID != id || r.Messages[2].Content[0].ToolUseID != id {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Base64 may have line breaks, and JSON may escape its slashes.
func TestDecodeBase64(t *testing.T) {
	for _, data := range []string{"aGk=", `aGk\/`, `aGkh\r\naGk=`, ""} {
		body := history("user", `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+data+`"}}`)
		if _, err := Decode([]byte(body), DecodeOptions{Strict: true}); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// TestDecodeLongHistory would take minutes if finding a call took longer the more calls there are.
func TestDecodeLongHistory(t *testing.T) {
	const n = 49_000
	var uses, results strings.Builder
	for i := range n {
		id := "toolu_" + strconv.Itoa(i)
		if i > 0 {
			uses.WriteByte(',')
			results.WriteByte(',')
		}
		uses.WriteString(use(id))
		results.WriteString(result(id))
	}
	r, err := Decode([]byte(history("user", prose, "assistant", uses.String(), "user", results.String())), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(r.Messages[1].Content); got != n {
		t.Errorf("%d calls, want %d", got, n)
	}
}
