package prompt

import (
	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// RawPrompt is a prompt as one string, in a chat template.
type RawPrompt struct {
	// BOS is the text of the token that begins the prompt, or "". Text does not contain it, because
	// some servers add the token themselves.
	BOS  string `json:"bos,omitzero"`
	Text string `json:"text"`
	// Stops are the texts that the model ends its turn with, then [Prompt.StopSequences], each
	// once.
	Stops []string `json:"stops"`
	// Parts are the turns of Text, in their order.
	Parts []RawPart `json:"parts"`
	// OpensThinking: Text ends inside thinking, so the completion begins there.
	OpensThinking bool `json:"opens_thinking,omitzero"`
}

// RawPart is where a turn begins in a [RawPrompt]. It ends where the next one begins.
type RawPart struct {
	Offset int    `json:"offset"` // in bytes
	Role   string `json:"role"`   // one of the roles of Raw
}

// The roles of a [RawPart].
const (
	RawSystem    = "system"
	RawUser      = "user"
	RawAssistant = "assistant"
	RawTool      = "tool" // tools, and results of calls
)

// chat is how to write a prompt in a chat template.
type chat struct {
	template *format.ChatTemplate
	own      bool // calls and results are written as in the template
	ownTools bool // tools are written as in the template
	hasTools bool // the prompt describes tools
	prefills bool // the prompt ends with text of the assistant
	thinks   bool // the model is asked to think
	date     string
}

// newChat returns how to write a prompt in the template of a target with format f. Without a
// template, it returns nil.
func newChat(t *format.ChatTemplate, f *format.Format, req *messages.Request, target *Target) *chat {
	if t == nil {
		return nil
	}
	c := &chat{template: t, own: f == t.Own, hasTools: req.ShowsTools(), prefills: endsInPrefill(req)}
	c.ownTools = c.own && c.hasTools && target.Template == "" // an operator's template is part of the system text
	c.prefills = c.prefills || req.MustCall() && (target.Prefill || target.TryPrefill)
	c.thinks = t.Thinking != nil && (t.Thinking.Always || req.Thinking != messages.ThinkingOff) && !c.prefills
	if c.date = t.Date; t.Layout != "" && target.Date != "" {
		c.date = t.FormatDate(target.Date)
	}
	return c
}

// endsInPrefill reports whether the last message with content is the assistant's.
func endsInPrefill(req *messages.Request) bool {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if m := &req.Messages[i]; !isEmpty(m) {
			return m.Role == messages.RoleAssistant
		}
	}
	return false
}

// opensThinking reports whether the prompt ends inside thinking.
func (c *chat) opensThinking() bool { return c.thinks && c.template.Thinking.On != "" }

// framesOwn reports whether the template writes tools, calls and results itself.
func (c *chat) framesOwn() bool { return c != nil && c.own }

// marksThinking reports whether the template marks thinking.
func (c *chat) marksThinking() bool { return c != nil && c.template.Thinking != nil }

// Raw returns the prompt as one string, for an upstream that completes text. It returns nil if the
// prompt was rendered without [Target.ChatTemplate].
func (p *Prompt) Raw() *RawPrompt {
	if p.chat == nil {
		return nil
	}
	w := p.write(p.chat)
	raw := &RawPrompt{BOS: p.chat.template.BOS, Text: w.text.String(), Parts: w.parts, OpensThinking: p.chat.opensThinking()}
	seen := map[string]bool{}
	for _, list := range [...][]string{p.chat.template.Stops, p.StopSequences} {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				raw.Stops = append(raw.Stops, s)
			}
		}
	}
	return raw
}
