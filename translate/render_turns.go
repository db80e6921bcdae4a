package translate

import (
	"bytes"
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"fmt"
	"slices"
	"strings"
)

// system renders the system prompt: the tools, what tool_choice asks for, the
// client's own text.
func (r *renderer) system() error {
	if r.req.OffersTools() {
		tools, err := r.tools()
		if err != nil {
			return err
		}
		r.prompt.System = append(r.prompt.System, Text{tools})
		if r.req.ToolChoice.DisableParallelToolUse {
			r.prompt.System = append(r.prompt.System, Text{instructSingle})
		}
	}
	if r.req.Thinking != messages.ThinkingOff {
		r.prompt.System = append(r.prompt.System, Text{instructThinking})
	}
	w := turnWriter{renderer: r}
	w.parts = make([]Part, 0, len(r.req.System))
	for i := range r.req.System {
		w.text(r.req.System[i].Text)
	}
	r.prompt.System = slices.Grow(r.prompt.System, len(w.parts)+1)
	for _, part := range w.end() {
		r.prompt.System = append(r.prompt.System, Text{part.Text})
	}
	if r.req.Format != nil {
		r.prompt.System = append(r.prompt.System, Text{instructFormat + r.escape.Text(rawjson.CompactString(r.req.Format))})
	}
	return nil
}

// turns renders the messages. Those of one role that follow each other are one
// turn; a system message is text in the user turn at its place.
func (r *renderer) turns() error {
	list := r.req.Messages
	for i := 0; i < len(list); {
		if isEmpty(&list[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(list) && (isEmpty(&list[end]) || turnRole(&list[end]) == turnRole(&list[i])) {
			end++
		}
		if err := r.turn(i, end); err != nil {
			return err
		}
		i = end
	}
	switch turns := r.prompt.Turns; {
	case len(turns) == 0:
		return &messages.InvalidRequestError{Path: "messages", Message: noMessages}
	case turns[0].Role != messages.RoleUser:
		return &messages.InvalidRequestError{Path: "messages", Message: firstNotUser}
	}
	return nil
}

// isEmpty tells whether a message says nothing: one whose blocks were all
// dropped, or the empty beginning of an answer.
func isEmpty(m *messages.MessageParam) bool {
	return !slices.ContainsFunc(m.Content, func(b messages.BlockParam) bool { return b.Type != messages.BlockText || b.Text != "" })
}

func turnRole(m *messages.MessageParam) string {
	if m.Role == messages.RoleSystem {
		return messages.RoleUser
	}
	return m.Role
}

// turn renders the messages from first until end as one turn.
func (r *renderer) turn(first, end int) error {
	w := turnWriter{renderer: r}
	role := turnRole(&r.req.Messages[first])
	if role == messages.RoleUser {
		if err := w.results(first, end); err != nil {
			return err
		}
	}
	clear(r.calls)
	w.reserve(r.req.Messages[first:end])
	for i := first; i < end; i++ {
		m := &r.req.Messages[i]
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if m.Role == messages.RoleSystem {
			w.systemMessage(m)
			continue
		}
		for j := range m.Content {
			if r.ctx.Err() != nil {
				return context.Cause(r.ctx)
			}
			if !w.block(m.Role, &m.Content[j]) {
				return &messages.InvalidRequestError{
					Path:    fmt.Sprintf("messages.%d.content.%d", i, j),
					Message: fmt.Sprintf(unexpectedBlock, m.Content[j].Type, m.Role),
				}
			}
		}
	}
	r.prompt.Turns = append(r.prompt.Turns, Turn{Role: role, Parts: w.end()})
	return nil
}

// reserve makes room for the parts that the texts of messages will be.
func (w *turnWriter) reserve(list []messages.MessageParam) {
	texts := 0
	for i := range list {
		for j := range list[i].Content {
			if list[i].Content[j].Type == messages.BlockText {
				texts++
			}
		}
	}
	w.parts = slices.Grow(w.parts, texts)
}

// turnWriter gathers the parts of one turn.
type turnWriter struct {
	*renderer
	parts []Part
	// texts are blocks of the client's, not yet parts: more than one only where
	// a tag could be spelled across the seam.
	texts []string
	// calling says that the markup is a <function_calls> that more calls may join.
	calling bool
}

// block renders a block of a message; it reports whether it may stand there.
func (w *turnWriter) block(role string, b *messages.BlockParam) bool {
	switch {
	case b.Type == messages.BlockText:
		w.text(b.Text)
	case b.Type == messages.BlockToolUse && role == messages.RoleAssistant:
		w.call(b)
	case b.Type == messages.BlockThinking && role == messages.RoleAssistant:
		if b.Text == "" { // the client was not shown it
			return true
		}
		w.seal()
		w.raw("<thinking>\n", w.escape.Text(b.Text), "\n</thinking>\n")
		w.seal()
	case b.Type == messages.BlockToolResult && role == messages.RoleUser: // see results
	case b.Type == messages.BlockImage, b.Type == messages.BlockDocument, b.Type == messages.BlockSearchResult:
		w.seal()
		w.content([]messages.BlockParam{*b})
		w.seal()
	default:
		return false
	}
	return true
}

// text adds a text block of the client's.
func (w *turnWriter) text(s string) {
	if s == "" {
		return
	}
	if w.calling {
		w.seal()
		w.parts[len(w.parts)-1].Text += "\n\n"
	}
	if n := len(w.texts); n == 0 || !mayOpenTag(w.texts[n-1]) {
		w.seal()
	}
	w.texts = append(w.texts, s)
}

// mayOpenTag tells whether s ends in what may be the beginning of a tag, so
// that the text after it has to be escaped together with it.
func mayOpenTag(s string) bool {
	i := strings.LastIndexByte(s, '<')
	return i >= 0 && !strings.ContainsFunc(s[i+1:], func(r rune) bool {
		return r < 0x80 && r != '/' && r != '%' && !markup.IsBlank(byte(r)) && !markup.IsNameByte(byte(r))
	})
}

// seal makes a part of what is gathered.
func (w *turnWriter) seal() {
	w.sealTexts()
	if w.calling {
		w.close(w.format.end)
		w.calling = false
	}
	if len(w.markup) > 0 {
		w.part(string(w.markup))
		w.markup = w.markup[:0]
	}
}

// close ends a list of elements of ours. With no tag to end it, the newline behind the
// last one goes.
func (w *turnWriter) close(end string) {
	if end == "" {
		w.markup = bytes.TrimSuffix(w.markup, []byte("\n"))
	}
	w.raw(end)
}

// sealTexts makes a part of each text, or one of all where they spell a tag
// together.
func (w *turnWriter) sealTexts() {
	if len(w.texts) > 1 && spellTogether(w.texts) {
		w.texts = append(w.texts[:0], strings.Join(w.texts, "\n"))
	}
	for _, s := range w.texts {
		w.part(w.escape.Text(s))
	}
	w.texts = w.texts[:0]
}

// spellTogether tells whether texts have a tag across their seams, be they
// joined by a newline, as Text does, or by nothing, as an upstream may do.
func spellTogether(texts []string) bool {
	var probe markup.Escaper
	alone := 0
	for _, s := range texts {
		alone += len(probe.Text(s))
	}
	return len(probe.Text(strings.Join(texts, "\n"))) > alone+len(texts)-1 || len(probe.Text(strings.Join(texts, ""))) > alone
}

func (w *turnWriter) part(text string) {
	w.parts = append(w.parts, Part{Type: PartText, Text: text})
}

// end returns the parts of the turn.
func (w *turnWriter) end() []Part {
	w.seal()
	return w.parts
}

// raw writes markup of ours.
func (w *turnWriter) raw(s ...string) {
	for _, s := range s {
		w.markup = append(w.markup, s...)
	}
}

// systemMessage writes a system message that stands among the others.
func (w *turnWriter) systemMessage(m *messages.MessageParam) {
	w.seal()
	w.raw("<system>\n")
	w.content(m.Content)
	w.raw("\n</system>")
	w.seal()
}

// call writes a call as the model would have written it. Calls that follow each
// other stand in one block.
func (w *turnWriter) call(b *messages.BlockParam) {
	if !w.calling {
		w.seal()
		w.raw(emptyLine(w.parts), w.format.begin)
		w.calling = true
	}
	w.markup = w.format.call(&w.escape, w.markup, w.escape.Text(b.Name), b.Input, w.schemaOf(b.Name))
	if w.calls == nil {
		w.calls = make(map[string]pastCall)
	}
	w.calls[b.ID] = pastCall{order: len(w.calls), name: b.Name}
}

// toolSchema is the schema of a tool, compiled once it is needed.
type toolSchema struct {
	tool     *messages.Tool
	compiled *schema.Schema
}

// schemaOf returns the schema of the named tool; one that allows anything if it
// is not offered any more.
func (r *renderer) schemaOf(name string) *schema.Schema {
	if r.schemas == nil {
		r.schemas = make(map[string]*toolSchema, len(r.req.Tools))
		for i := range r.req.Tools {
			r.schemas[r.req.Tools[i].Name] = &toolSchema{tool: &r.req.Tools[i]}
		}
	}
	s := r.schemas[name]
	switch {
	case s == nil:
		return schema.Compile(nil)
	case s.compiled == nil:
		s.compiled = schema.Compile(s.tool.InputSchema)
	}
	return s.compiled
}
