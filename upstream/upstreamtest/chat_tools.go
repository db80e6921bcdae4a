package upstreamtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// ChatTools says what a [Chat] does with tools, and with calls that its model writes as
// <tool_call>{"name":…,"arguments":…}</tool_call>.
type ChatTools struct {
	// Refuses is the message with which it rejects a request with tools; "" accepts them. Status is the HTTP
	// status; 0 is 400.
	Refuses string
	Status  int
	// Reads makes the server parse calls in answers to requests with tools. Unasked makes it parse them in
	// all answers, as Ollama does for some models.
	Reads, Unasked bool
	// Loses removes the calls from the text without returning them. Leaves returns them and leaves the text
	// unchanged.
	Loses, Leaves bool
	// AtOnce sends each call of a stream in one piece and without a number, as Ollama does. Function sends
	// the only call as function_call, as older servers do.
	AtOnce, Function bool
}

// chatSegment is a part of a completion: text, or a call that the server has parsed.
type chatSegment struct {
	text string
	call *translate.ToolUse
}

// The tags around calls.
const (
	callBegins = "<tool_call>"
	callEnds   = "</tool_call>"
)

// read returns the parts of a completion. If a call has no end, it has the arguments up to the end of the
// text.
func (t *ChatTools) read(text string, asked bool) (parts []chatSegment) {
	if !t.Unasked && !(t.Reads && asked) {
		return []chatSegment{{text: text}}
	}
	for {
		before, rest, found := strings.Cut(text, callBegins)
		if before != "" {
			parts = append(parts, chatSegment{text: before})
		}
		if !found {
			return parts
		}
		var said string
		said, text, _ = strings.Cut(rest, callEnds)
		if t.Leaves {
			parts = append(parts, chatSegment{text: callBegins + said + callEnds})
		}
		if !t.Loses {
			parts = append(parts, chatSegment{call: callIn(said)})
		}
	}
}

// callIn returns the call in a text, which may be cut.
func callIn(said string) *translate.ToolUse {
	said = strings.TrimSpace(said)
	const member = `"arguments":`
	head, arguments, _ := strings.Cut(said, member)
	name := rawjson.StringOf(rawjson.Lookup(jsontext.Value(strings.TrimRight(head, ", ")+"}"), "name"))
	arguments = strings.TrimSpace(arguments)
	if jsontext.Value(said).IsValid() {
		arguments = strings.TrimSpace(strings.TrimSuffix(arguments, "}"))
	}
	return &translate.ToolUse{Name: name, Input: jsontext.Value(arguments)}
}

// says reports whether the answer has parsed calls.
func (t *ChatTools) says(parts []chatSegment) bool {
	return slices.ContainsFunc(parts, func(part chatSegment) bool { return part.call != nil })
}

// pieces returns the deltas of the nth call of a stream.
func (t *ChatTools) pieces(c *translate.ToolUse, n int) []string {
	name, id := quote(c.Name), fmt.Sprintf("call_%d", n)
	switch {
	case t.Function:
		return []string{fmt.Sprintf(`{"function_call":{"name":%s,"arguments":""}}`, name), fmt.Sprintf(`{"function_call":{"arguments":%s}}`, quote(string(c.Input)))}
	case t.AtOnce:
		return []string{fmt.Sprintf(`{"content":"","tool_calls":[{"id":%q,"index":0,"type":"function","function":{"name":%s,"arguments":%s}}]}`, id, name, quote(string(c.Input)))}
	}
	list := []string{fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%s,"arguments":""}}]}`, n, id, name)}
	for piece := range slices.Chunk([]rune(string(c.Input)), 5) {
		list = append(list, fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, n, quote(string(piece))))
	}
	return list
}

// whole returns the members with the calls of an answer in one piece, with a comma after them; "" for none.
func (t *ChatTools) whole(parts []chatSegment) string {
	var list []string
	for _, part := range parts {
		if part.call == nil {
			continue
		}
		function := fmt.Sprintf(`{"name":%s,"arguments":%s}`, quote(part.call.Name), quote(string(part.call.Input)))
		if t.Function {
			return `"function_call":` + function + `,`
		}
		list = append(list, fmt.Sprintf(`{"id":"call_%d","type":"function","function":%s}`, len(list), function))
	}
	if list == nil {
		return ""
	}
	return `"tool_calls":[` + strings.Join(list, ",") + `],`
}

// chatToolsBody are the members about tools in a body.
type chatToolsBody struct {
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Parameters  jsontext.Value `json:"parameters"`
			Strict      bool           `json:"strict"`
		} `json:"function"`
	} `json:"tools"`
	Choice   jsontext.Value `json:"tool_choice"`
	Parallel *bool          `json:"parallel_tool_calls"`
}

// addTo checks the members, and adds their tools and choice to a prompt.
func (b *chatToolsBody) addTo(p *translate.Prompt) *malformed {
	if b.Tools == nil {
		if b.Choice != nil || b.Parallel != nil {
			return &malformed{text: "'tool_choice' is only allowed when 'tools' are specified."}
		}
		return nil
	}
	p.ToolAPI = &translate.ToolAPI{Single: b.Parallel != nil && !*b.Parallel}
	for _, tool := range b.Tools {
		f := &tool.Function
		if tool.Type != "function" || f.Name == "" || f.Parameters.Kind() != '{' {
			return &malformed{key: "tools", missing: true}
		}
		p.ToolAPI.Tools = append(p.ToolAPI.Tools, translate.OfferedTool{Name: f.Name, Description: f.Description, InputSchema: f.Parameters, Strict: f.Strict})
	}
	switch choice := rawjson.StringOf(b.Choice); {
	case b.Choice == nil, choice == messages.ChoiceAuto, choice == messages.ChoiceNone:
		p.ToolAPI.Choice = choice
	case choice == "required", choice == "any":
		p.ToolAPI.Choice = messages.ChoiceAny
	default:
		p.ToolAPI.Choice, p.ToolAPI.Name = messages.ChoiceTool, rawjson.StringOf(rawjson.Lookup(rawjson.Lookup(b.Choice, "function"), "name"))
		if !slices.ContainsFunc(p.ToolAPI.Tools, func(t translate.OfferedTool) bool { return t.Name == p.ToolAPI.Name }) {
			return &malformed{text: "Invalid value for 'tool_choice': no function of that name was specified."}
		}
	}
	return nil
}

// chatCall is a past call.
type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// part checks the call and returns it as a part. Like the templates of Mistral, it checks the id.
func (c *chatCall) part() (translate.Part, *malformed) {
	input := jsontext.Value(c.Function.Arguments)
	odd := strings.Trim(c.ID, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" || len(c.ID) != 9
	if odd && !strings.HasPrefix(c.ID, "functions.") || c.Type != "function" || c.Function.Name == "" || !input.IsValid() || input.Kind() != '{' {
		return translate.Part{}, &malformed{key: "tool_calls", missing: true}
	}
	return translate.Part{Type: translate.PartToolUse, CallPart: &translate.CallPart{ID: c.ID, Name: c.Function.Name, Input: input}}, nil
}

// addResult adds the message as the result of a call. The message must name a call of the assistant message
// before it.
func (m *chatMessage) addResult(p *translate.Prompt) *malformed {
	calls := len(p.Turns) - 1
	if calls >= 0 && endsInResult(p) {
		calls--
	}
	if calls < 0 || !slices.ContainsFunc(p.Turns[calls].Parts, func(part translate.Part) bool {
		return part.Type == translate.PartToolUse && part.ID == m.CallID
	}) {
		return &malformed{text: "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."}
	}
	result := translate.Part{Type: translate.PartToolResult, CallPart: &translate.CallPart{ID: m.CallID}}
	for i := range m.Content {
		part, ok := m.Content[i].part()
		if !ok || part.Type != translate.PartText {
			return &malformed{text: "Invalid content of a message with role 'tool': expected text"}
		}
		result.Content = append(result.Content, part)
	}
	if !endsInResult(p) {
		p.Turns = append(p.Turns, translate.Turn{Role: messages.RoleUser})
	}
	last := &p.Turns[len(p.Turns)-1]
	last.Parts = append(last.Parts, result)
	return nil
}

// endsInResult reports whether the last part so far is the result of a call.
func endsInResult(p *translate.Prompt) bool {
	if len(p.Turns) == 0 {
		return false
	}
	parts := p.Turns[len(p.Turns)-1].Parts
	return len(parts) > 0 && parts[len(parts)-1].Type == translate.PartToolResult
}
