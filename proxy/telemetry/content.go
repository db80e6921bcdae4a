package telemetry

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// Texts of clients and models. A span has them only if OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT asks for
// them. The JSON follows the conventions' schemas (docs/gen-ai/gen-ai-input-messages.json and its neighbours).

// longestContent limits the texts of one attribute, in bytes. The newest messages are kept.
const longestContent = 64 << 10

// partCost is what a part costs in addition to its texts.
const partCost = 64

// part is a part of a message. Images and documents have only their type.
type part struct {
	Type      string         `json:"type"`
	Content   string         `json:"content,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"` // tool_call
	Response  []part         `json:"response,omitzero"`  // tool_call_response
}

// chatMessage is one message. Only an answer has a FinishReason.
type chatMessage struct {
	Role         string `json:"role"`
	Parts        []part `json:"parts"`
	FinishReason string `json:"finish_reason,omitzero"`
}

// definition is a tool.
type definition struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters,omitzero"`
}

// contents are the attributes of a model's request, as JSON.
type contents struct {
	system, messages, tools string
	truncated               bool
}

// contentsOf returns the contents of a request.
func contentsOf(req *messages.Request) *contents {
	c := &contents{}
	var room room
	room = newRoom()
	c.system = encode(room.parts(req.System))
	c.truncated = room.full

	room = newRoom()
	var all []chatMessage
	for _, m := range slices.Backward(req.Messages) {
		if room.left <= 0 {
			room.full = true
			break
		}
		all = append(all, chatMessage{Role: roleOf(m), Parts: room.parts(m.Content)})
	}
	slices.Reverse(all)
	c.messages = encode(all)
	c.truncated = c.truncated || room.full

	room = newRoom()
	var tools []definition
	for _, t := range req.Tools {
		if room.left <= 0 {
			room.full = true
			break
		}
		room.left -= partCost
		tools = append(tools, definition{"function", t.Name, room.text(t.Description), room.raw(t.InputSchema)})
	}
	c.tools = encode(tools)
	c.truncated = c.truncated || room.full
	return c
}

func (c *contents) set(s span) {
	s.set(attrSystem, c.system)
	s.set(attrInputMessages, c.messages)
	s.set(attrTools, c.tools)
	if c.truncated {
		s.set(attrTruncated, true)
	}
}

// roleOf returns the role of a message. A user message that has only tool results has the role of a tool.
func roleOf(m messages.MessageParam) string {
	if m.Role == messages.RoleUser && len(m.Content) > 0 &&
		!slices.ContainsFunc(m.Content, func(b messages.BlockParam) bool { return b.Type != messages.BlockToolResult }) {
		return "tool"
	}
	return m.Role
}

// room is the space that is left in an attribute.
type room struct {
	left int
	full bool // something did not fit
}

func newRoom() room { return room{left: longestContent} }

// text returns as much of a text as fits.
func (r *room) text(s string) string {
	if n := max(r.left, 0); len(s) > n {
		s, r.full = s[:n], true
	}
	r.left -= len(s)
	return valid(s)
}

// raw returns a value, or nothing if it does not fit as a whole.
func (r *room) raw(v jsontext.Value) jsontext.Value {
	if len(v) > r.left {
		r.full = true
		return nil
	}
	r.left -= len(v)
	return v
}

// parts returns the parts of a message.
func (r *room) parts(blocks []messages.BlockParam) []part {
	all := make([]part, 0, len(blocks))
	for _, b := range blocks {
		if r.left <= 0 {
			r.full = true
			break
		}
		r.left -= partCost
		switch b.Type {
		case messages.BlockText:
			all = append(all, part{Type: "text", Content: r.text(b.Text)})
		case messages.BlockThinking:
			all = append(all, part{Type: "reasoning", Content: r.text(b.Text)})
		case messages.BlockToolUse:
			all = append(all, part{Type: "tool_call", ID: b.ID, Name: b.Name, Arguments: r.raw(b.Input)})
		case messages.BlockToolResult:
			all = append(all, part{Type: "tool_call_response", ID: b.ToolUseID, Response: r.parts(b.Content)})
		default:
			all = append(all, part{Type: b.Type})
		}
	}
	return all
}

// output is the model's answer, collected from its events.
type output struct {
	parts []part
	text  []byte // of the last part
	room  room
	begun bool
}

// add adds the text of an event.
func (o *output) add(e *messages.Event) {
	if !o.begun {
		o.begun, o.room = true, newRoom()
	}
	switch e.Type {
	case messages.ContentBlockStart:
		if o.room.left <= 0 {
			o.room.full = true
			return
		}
		o.room.left -= partCost
		o.end()
		b := e.Block
		if b == nil {
			b = &messages.ContentBlock{} // a block of an unknown kind
		}
		switch b.Type {
		case messages.BlockText:
			o.parts = append(o.parts, part{Type: "text", Content: o.room.text(b.Text)})
		case messages.BlockThinking:
			o.parts = append(o.parts, part{Type: "reasoning", Content: o.room.text(b.Thinking)})
		case messages.BlockToolUse:
			o.parts = append(o.parts, part{Type: "tool_call", ID: b.ID, Name: b.Name})
		default:
			o.parts = append(o.parts, part{Type: b.Type})
		}
	case messages.ContentBlockDelta:
		if e.Delta == messages.TextDelta || e.Delta == messages.ThinkingDelta || e.Delta == messages.InputJSONDelta {
			o.text = append(o.text, o.room.text(string(e.Text))...)
		}
	}
}

// end moves the collected text into its part. The arguments of a cut call are not valid JSON, so they are omitted.
func (o *output) end() {
	if len(o.parts) == 0 {
		return
	}
	p := &o.parts[len(o.parts)-1]
	switch {
	case p.Type != "tool_call":
		p.Content += string(o.text)
	case jsontext.Value(o.text).IsValid():
		p.Arguments = slices.Clone(o.text)
	}
	o.text = o.text[:0]
}

func (o *output) set(s span, stop string) {
	o.end()
	if len(o.parts) == 0 {
		return
	}
	s.set(attrOutputMessages, encode([]chatMessage{{Role: messages.RoleAssistant, Parts: o.parts, FinishReason: clip(stop)}}))
	if o.room.full {
		s.set(attrTruncated, true)
	}
}

// encode returns a list as JSON, or "" for an empty list.
func encode[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	text, err := json.Marshal(list, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "" // cannot happen: the values come from valid JSON
	}
	return string(text)
}
