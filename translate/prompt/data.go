package prompt

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file has what a program that plays a model needs from a prompt, so that it need not parse
// the text.

// Request returns the request that [Render] made the prompt from. It returns nil for a prompt made
// by hand, and for a prompt that asks the model to continue ([ReasonStopped]). The caller must not
// change the request.
func (p *Prompt) Request() *messages.Request { return p.Source }

// ToolUse is a call: one that [Prompt.WriteCalls] writes, or one that an upstream has read itself.
type ToolUse struct {
	Name  string         // of the tool
	Input jsontext.Value // a JSON object
}

// WriteCalls returns the calls as a model writes them in the prompt's format, with all the text
// that the format has around them. If the prompt ends with the start of a forced call, WriteCalls
// leaves this start out. [Events] reads the same calls back (G5), with one exception: if a value
// spells a tag that the prompt did not have to escape, the value keeps its escape.
func (p *Prompt) WriteCalls(calls []ToolUse) string {
	schemas := p.Schemas
	if schemas == nil {
		schemas = new(ToolSchemas)
	}
	w := turnWriter{Buffer: markup.Buffer{Escape: p.escaper()}, format: cmp.Or(p.Declared, format.List[0])}
	text := w.callsText(calls, p.pastCalls, schemas)
	if rest, ok := strings.CutPrefix(text, p.Opening); ok {
		return rest
	}
	return strings.TrimPrefix(text, strings.TrimPrefix(p.Opening, w.format.CallOpener)) // a tag that past calls do not have
}

// callsText returns the calls as a model writes them after n earlier ones.
func (w *turnWriter) callsText(calls []ToolUse, n int, schemas *ToolSchemas) string {
	for i, c := range calls {
		w.writeCall(c.Name, n+i, c.Input, schemas.named(c.Name))
	}
	var text strings.Builder
	parts, _ := w.takeParts()
	for _, part := range parts {
		text.WriteString(part.Text)
	}
	return text.String()
}

// Escape returns a text of the client's request as it appears in the prompt. A model that repeats
// the text writes it that way, and [Events] removes the escapes. A prompt made by hand has no
// escapes.
func (p *Prompt) Escape(text string) string {
	if p.Source == nil {
		return text
	}
	return p.escaper().Text(text)
}

// Written returns the text of a value as the prompt shows it in a call, in the element parameter; "" if the format has
// none. A text has no escapes that the parser would not remove from the answer.
func (p *Prompt) Written(text, parameter string) string {
	b := markup.Buffer{Escape: p.escaper()}
	escaped := string(b.WriteValue(text, parameter).Out)
	if markup.Unescape(escaped, markup.Escapes{Tags: p.Escaped.Tags &^ markup.TagOpener}, parameter) != text {
		return text
	}
	return escaped
}

// escaper returns a new escaper with the escape policy of the prompt.
func (p *Prompt) escaper() *markup.Escaper {
	e := NewEscaper(cmp.Or(p.Declared, format.List[0]), p.Reads, p.Source, p.Target.UnaskedThinking, p.textWire)
	return &e
}

// NewEscaper returns the escape policy for a prompt in format f. reads is how the answer is read,
// unasked is [Target.UnaskedThinking], and textWire [Target.TextWire]. For a prompt made by hand, reads and req are nil.
func NewEscaper(f *format.Format, reads *format.Reads, req *messages.Request, unasked string, textWire bool) markup.Escaper {
	e := markup.Escaper{TurnMarkers: textWire, Tags: f.Protects}
	if req != nil && (req.ShowsTools() || req.Thinking != messages.ThinkingOff || unasked == format.UnaskedBlock || unasked == format.UnaskedHide) {
		e.Tags |= markup.TagThinking // else the marks are text
	}
	if reads == nil || reads.Openers == nil {
		return e
	}
	e.Openers = reads.Openers
	if req != nil {
		tools := format.ToolNames{List: req.Tools}
		e.Calls = tools.MayOpen
	}
	return e
}

// PastCalls returns the number of earlier calls in the conversation.
func (p *Prompt) PastCalls() int { return p.pastCalls }
