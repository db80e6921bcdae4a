package simulated

import (
	"cmp"
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// conversation is what the simulated model reads in a prompt.
type conversation struct {
	prompt   *translate.Prompt
	req      *messages.Request // the request behind the prompt
	tools    []messages.Tool   // tools that the model may call
	question question          // from the last text of the user
	results  []result          // the results of the last user turn
	prefill  string            // the prompt's last assistant turn, which the answer continues
}

// result is the result of a tool call.
type result struct {
	order      int    // the position of its call among all calls
	tool, text string // tool is "" if the conversation has no call for the result
	failed     bool
}

// newConversation returns the conversation in a prompt.
func newConversation(p *translate.Prompt) *conversation {
	c := &conversation{prompt: p, req: p.Request()}
	if c.req == nil {
		c.req = plainRequest(p)
	}
	if c.req.MayCall() {
		c.tools = c.req.Tools
	}
	c.readMessages()
	return c
}

// plainRequest returns a request with the turns of a prompt that has no request behind it.
func plainRequest(p *translate.Prompt) *messages.Request {
	req := new(messages.Request)
	for _, turn := range p.Turns {
		m := messages.MessageParam{Role: turn.Role}
		for _, part := range turn.Parts {
			m.Content = append(m.Content, messages.BlockParam{Type: part.Type, Text: part.Text})
		}
		req.Messages = append(req.Messages, m)
	}
	return req
}

// readMessages finds the prefill, the results and the question. If the last user turn has only results, the
// question is in an earlier turn.
func (c *conversation) readMessages() {
	list := c.req.Messages
	if n := len(list); n > 0 && list[n-1].Role == messages.RoleAssistant {
		c.prefill = wordsOf(list[n-1].Content)
		list = list[:n-1]
	}
	turn := len(list) // index of the first message of the last user turn
	for turn > 0 && list[turn-1].Role != messages.RoleAssistant {
		turn--
	}
	c.readResults(list[turn:])
	var said []string // the texts of one user turn
	for _, m := range slices.Backward(list) {
		if m.Role == messages.RoleAssistant && len(said) > 0 {
			break
		}
		if words := strings.TrimSpace(wordsOf(m.Content)); m.Role == messages.RoleUser && words != "" {
			said = append(said, words)
		}
	}
	slices.Reverse(said)
	c.question = newQuestion(strings.Join(said, "\n"))
}

// readResults finds the results in the messages of the last user turn, and sorts them in the order of their
// calls.
func (c *conversation) readResults(turn []messages.MessageParam) {
	order, tools := map[string]int{}, map[string]string{} // of all calls, by their ids
	for _, m := range c.req.Messages {
		for i := range m.Content {
			if b := &m.Content[i]; b.Type == messages.BlockToolUse {
				order[b.ID], tools[b.ID] = len(order), b.Name
			}
		}
	}
	for _, m := range turn {
		for i := range m.Content {
			if b := &m.Content[i]; b.Type == messages.BlockToolResult {
				at, known := order[b.ToolUseID]
				if !known {
					at = len(order)
				}
				c.results = append(c.results, result{at, tools[b.ToolUseID], strings.TrimSpace(wordsOf(b.Content)), b.IsError})
			}
		}
	}
	slices.SortStableFunc(c.results, func(a, b result) int { return cmp.Compare(a.order, b.order) })
}

// wordsOf returns the text of blocks, including search results and documents, with line breaks between them.
func wordsOf(blocks []messages.BlockParam) string {
	var texts []string
	for i := range blocks {
		switch b := &blocks[i]; b.Type {
		case messages.BlockText:
			texts = append(texts, b.Text)
		case messages.BlockSearchResult, messages.BlockDocument:
			texts = append(texts, wordsOf(b.Content))
		}
	}
	return strings.Join(texts, "\n")
}
