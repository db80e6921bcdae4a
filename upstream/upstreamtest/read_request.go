package upstreamtest

import (
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// A server receives only text, but the simulated model needs a request. So these functions reconstruct the
// request from a prompt in the legacy format, as far as the simulated model needs it: the tools, the results,
// and whether a call is forced or forbidden. They do not contain the words for forcing a call. They find them
// by rendering a small request with the same choice. They do not read $refs or a schema for the answer.

// withRequest returns a prompt with the text of p and with the request behind p.
func withRequest(p *translate.Prompt) *translate.Prompt {
	req, prefill := readRequest(p)
	made, err := translate.Render(req, translate.Target{Prefill: prefill})
	if err != nil {
		return p // not a rendered prompt: the model gets only the turns
	}
	made.System, made.Turns, made.StopSequences, made.MaxTokens = p.System, p.Turns, p.StopSequences, p.MaxTokens
	return made
}

// readRequest returns the request behind a prompt, and whether the prompt ends in a prefill.
func readRequest(p *translate.Prompt) (req *messages.Request, prefill bool) {
	req = new(messages.Request)
	var system strings.Builder
	for _, t := range p.System {
		system.WriteString(t.Text + "\n")
	}
	for text := range elements(system.String(), "tool_description") {
		req.Tools = append(req.Tools, readTool(text))
	}
	for _, choice := range []messages.ToolChoice{{Type: messages.ChoiceNone}, {Type: messages.ChoiceAuto, DisableParallelToolUse: true}} {
		if probe := render("f", choice, false); strings.Contains(system.String(), probe.System[len(probe.System)-1].Text) {
			req.ToolChoice = choice
		}
	}

	texts := make([]string, len(p.Turns))
	for i, t := range p.Turns {
		texts[i] = wordsOf(t)
	}
	last := len(texts) - 1
	prefill = last >= 0 && p.Turns[last].Role == messages.RoleAssistant
	if last >= 0 {
		for _, choice := range forcible(req.Tools) {
			if rest, found := strings.CutSuffix(texts[last], lastPart(render(choice.Name, choice, prefill))); found {
				req.ToolChoice, texts[last] = choice, rest
				break
			}
		}
	}
	for i, t := range p.Turns {
		req.Messages = appendTurn(req.Messages, t.Role, texts[i])
	}
	return req, prefill
}

// forcible returns the tool choices that force a call of one of the tools.
func forcible(tools []messages.Tool) (list []messages.ToolChoice) {
	for _, t := range tools {
		list = append(list, messages.ToolChoice{Type: messages.ChoiceTool, Name: t.Name})
	}
	if len(tools) > 0 {
		list = append(list, messages.ToolChoice{Type: messages.ChoiceAny})
	}
	return list
}

// render returns the prompt for a request with this choice, a tool of that name, and another tool.
func render(name string, choice messages.ToolChoice, prefill bool) *translate.Prompt {
	p, err := translate.Render(&messages.Request{
		Tools: []messages.Tool{{Name: name}, {Name: "g"}}, ToolChoice: choice,
		Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{textBlock("Hi")}}},
	}, translate.Target{Prefill: prefill})
	if err != nil {
		panic(err) // the request is valid
	}
	return p
}

// lastPart returns the last text of a prompt.
func lastPart(p *translate.Prompt) string {
	parts := p.Turns[len(p.Turns)-1].Parts
	return parts[len(parts)-1].Text
}

// readTool returns the tool in the text of its element (docs/reference/legacy-format.md §2).
func readTool(text string) messages.Tool {
	head, body, _ := strings.Cut(text, "<parameters>")
	var properties, required []string
	for parameter := range elements(body, "parameter") {
		name := string(quote(content(parameter, "name")))
		schema := content(parameter, "schema")
		if schema == "" {
			schema = `{"type":` + string(quote(content(parameter, "type")))
			if values := content(parameter, "enum"); values != "" {
				schema += `,"enum":` + values
			}
			schema += "}"
		}
		properties = append(properties, name+":"+schema)
		if content(parameter, "required") != "false" {
			required = append(required, name)
		}
	}
	return messages.Tool{
		Name: content(head, "tool_name"), Description: content(head, "description"),
		InputSchema: jsontext.Value(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`),
	}
}

// appendTurn appends the message for a turn. Results at its beginning become blocks, and the message before
// gets a call for each.
func appendTurn(list []messages.MessageParam, role, text string) []messages.MessageParam {
	m := messages.MessageParam{Role: role}
	if end := strings.LastIndex(text, resultsEnd); len(list) > 0 && strings.HasPrefix(text, resultsStart) && end > 0 {
		before := &list[len(list)-1]
		for _, r := range readResults(text[:end]) {
			if r.tool != "" {
				r.block.ToolUseID = fmt.Sprintf("%d.%d", len(list), len(before.Content))
				before.Content = append(before.Content, messages.BlockParam{Type: messages.BlockToolUse, ID: r.block.ToolUseID, Name: r.tool, Input: jsontext.Value("{}")})
			}
			m.Content = append(m.Content, r.block)
		}
		text = text[end+len(resultsEnd):]
	}
	if text = strings.TrimSpace(text); text != "" {
		m.Content = append(m.Content, textBlock(text))
	}
	return append(list, m)
}

// The tags around results (docs/reference/legacy-format.md §7).
const resultsStart, resultsEnd = "<function_results>", "</function_results>"

// toolResult is a tool_result block, and the name of the tool; "" for an error.
type toolResult struct {
	tool  string
	block messages.BlockParam
}

// readResults returns the results in a text, in their order.
func readResults(text string) (list []toolResult) {
	for text != "" {
		result, failure := strings.Index(text, "<result>"), strings.Index(text, "<error>")
		name := "result"
		if result < 0 || failure >= 0 && failure < result {
			name = "error"
		}
		element := content(text, name)
		_, text, _ = strings.Cut(text, "</"+name+">")
		switch {
		case max(result, failure) < 0:
			return list
		case name == "error":
			list = append(list, toolResult{"", resultBlock(element, true)})
		default:
			list = append(list, toolResult{content(element, "tool_name"), resultBlock(content(element, "stdout"), false)})
		}
	}
	return list
}

// resultBlock returns a tool_result block with a text.
func resultBlock(text string, failed bool) messages.BlockParam {
	b := messages.BlockParam{Type: messages.BlockToolResult, IsError: failed}
	if text != "" {
		b.Content = []messages.BlockParam{textBlock(text)}
	}
	return b
}

// textBlock returns a text block with a text of a prompt, without the escapes of the prompt.
func textBlock(text string) messages.BlockParam {
	return messages.BlockParam{Type: messages.BlockText, Text: markup.Unescape(text, markup.Escapes{Tags: markup.InTurns}, "")}
}

// wordsOf returns the text parts of a turn, with line breaks between them.
func wordsOf(t translate.Turn) string {
	var texts []string
	for _, part := range t.Parts {
		if part.Type == translate.PartText {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// elements ranges over the contents of the elements with this name in a text.
func elements(text, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, rest := range strings.Split(text, "<"+name+">")[1:] {
			if inside, _, _ := strings.Cut(rest, "</"+name+">"); !yield(inside) {
				return
			}
		}
	}
}

// content returns the content of the first element with this name, or "".
func content(text, name string) string {
	for inside := range elements(text, name) {
		return strings.TrimSpace(inside)
	}
	return ""
}
