package scoreboard

import (
	"encoding/json"
	"fmt"
	"iter"
	"testing"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// dragoman reads the completions with Dragoman's own parser.
func dragoman(t *testing.T, list []item) []answer {
	answers := make([]answer, len(list))
	for i := range list {
		c := &list[i]
		answers[i] = parse(t, c.request(), &translate.Prompt{}, c.Completion, messages.Stop(c.Stop), c.StopSequence)
	}
	return answers
}

// rewritten reads the expected calls in a format, as a model would see them in the history of a conversation.
func rewritten(format string) reader {
	return func(t *testing.T, list []item) []answer {
		answers := make([]answer, len(list))
		for i := range list {
			req, prompt, text := list[i].written(t, format)
			answers[i] = parse(t, req, prompt, text, messages.StopEndTurn, "")
		}
		return answers
	}
}

// written returns a request and a prompt with the expected calls as history, and the text of the calls in the
// prompt.
func (c *item) written(t *testing.T, format string) (*messages.Request, *translate.Prompt, string) {
	t.Helper()
	said := messages.MessageParam{Role: messages.RoleAssistant}
	var results []messages.BlockParam
	for n, m := range c.Accepted[0] {
		id := fmt.Sprintf("toolu_%d", n)
		said.Content = append(said.Content, messages.BlockParam{Type: messages.BlockToolUse, ID: id, Name: m.Name, Input: []byte(m.Input)})
		results = append(results, messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: id})
	}
	req := c.request()
	req.Messages = []messages.MessageParam{asking(), said, {Role: messages.RoleUser, Content: results}}
	prompt, err := translate.Render(req, translate.Target{ModelOptions: translate.ModelOptions{Format: format}})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, part := range prompt.Turns[1].Parts {
		text += part.Text
	}
	return req, prompt, text
}

// native reads each completion in its own format, which the prompt asked for.
func native(t *testing.T, list []item) []answer {
	answers := make([]answer, len(list))
	for i := range list {
		c := &list[i]
		req := c.request()
		req.Messages = []messages.MessageParam{asking()}
		prompt, err := translate.Render(req, translate.Target{ModelOptions: translate.ModelOptions{Format: c.Format}})
		if err != nil {
			t.Fatal(err)
		}
		answers[i] = parse(t, req, prompt, c.Completion, messages.Stop(c.Stop), "")
	}
	return answers
}

func asking() messages.MessageParam {
	return messages.MessageParam{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Go."}}}
}

func (c *item) request() *messages.Request {
	req := &messages.Request{MaxTokens: 1}
	for _, tool := range c.Tools {
		req.Tools = append(req.Tools, messages.Tool{Name: tool.Name, InputSchema: []byte(tool.InputSchema)})
	}
	return req
}

// parse reads a text as the answer to a prompt.
func parse(t *testing.T, req *messages.Request, prompt *translate.Prompt, text string, stop messages.Stop, sequence string) (a answer) {
	t.Helper()
	began := time.Now()
	m, err := messages.Collect(translate.Events(req, prompt, func(*translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{Text: text}, nil) && yield(translate.Chunk{Stop: stop, StopSequence: sequence}, nil)
		}
	}))
	a.MS = time.Since(began).Seconds() * 1000
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range m.Content {
		switch b.Type {
		case messages.BlockText:
			a.Text += b.Text
		case messages.BlockToolUse:
			a.Calls = append(a.Calls, call{Name: b.Name, Input: json.RawMessage(b.Input)})
		}
	}
	return a
}
