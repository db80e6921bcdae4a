package prompt

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// turnWriter makes the parts of one turn, in the order in which it is given them:
//
//   - text blocks of the client, each a part of its own (addText);
//   - markup of the format with text of the client in it, which is gathered in text (write)
//     until it is made a part (endPart);
//   - images and documents (addSource).
//
// It also makes the parts of the client's system text.
type turnWriter struct {
	escape   *markup.Escaper           // of the whole prompt
	language func() *language.Language // of the prompt's sentences
	format   *format.Format
	origins  *origins // of the prompt; nil unless they are asked for

	parts []Part
	// pending are text blocks of the client that are not parts yet. There is more than
	// one only while all but the last may end in the beginning of a tag: the block after
	// them could complete the tag, and then they are escaped as one text.
	pending []string
	// tagBegun says that pending, without its last text, may end in the beginning of a tag.
	tagBegun bool
	// text is markup and escaped text that is not a part yet.
	text []byte
	// callsOpen says that text ends in a list of calls without its end, so that the next
	// call can join it.
	callsOpen bool
}

// reserve makes room for the parts that the text blocks of messages will be.
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

// takeParts returns the parts of the turn and is ready for the next turn.
func (w *turnWriter) takeParts() []Part {
	w.endPart()
	parts := w.parts
	w.parts = nil
	return parts
}

// addText adds a text block of the client. After calls, an empty line stands before it.
func (w *turnWriter) addText(s string) {
	if s == "" {
		return
	}
	if w.callsOpen {
		w.endPart()
		last := &w.parts[len(w.parts)-1]
		last.Text += "\n\n"
		w.origins.extendPart(len("\n\n"))
	}
	n := len(w.pending)
	if w.tagBegun = n > 0 && w.mayOpenTag(w.pending[n-1], w.tagBegun); !w.tagBegun {
		w.endPart()
	}
	w.pending = append(w.pending, s)
	w.origins.addPending()
}

// mayOpenTag reports whether text ends in what may be the beginning of a tag, so that the
// text after it has to be escaped together with it. begun says that the text before it does.
func (w *turnWriter) mayOpenTag(text string, begun bool) bool {
	bracketed := w.escape.Tags&markup.TagBracket != 0
	if w.escape.Openers.MayEnd(text) {
		return true
	}
	i := strings.LastIndexByte(text, '<')
	if bracketed {
		i = max(i, strings.LastIndexByte(text, '['))
	}
	return (i >= 0 || begun) && !strings.ContainsFunc(text[i+1:], func(r rune) bool {
		return r < 0x80 && r != '/' && r != '%' && r != '|' && !markup.IsBlank(byte(r)) && !markup.IsNameByte(byte(r))
	})
}

// addPending makes a part of each pending text block, or one part of all of them where
// they spell a tag together.
func (w *turnWriter) addPending() {
	if len(w.pending) > 1 {
		if w.spellTogether(w.pending) {
			w.origins.joinPending(w.pending)
			w.pending = append(w.pending[:0], strings.Join(w.pending, "\n"))
		}
	}
	for i, s := range w.pending {
		w.origins.takePending(i, len(s))
		w.addPart(w.escape.Text(s))
	}
	clear(w.pending)
	w.pending = w.pending[:0]
	w.origins.dropPending()
}

// spellTogether reports whether a tag runs from one text into the next. It looks at the
// texts joined by a newline, as [Prompt.Text] joins them, and by nothing, as an upstream
// may do: a tag that neither has alone makes the escaped text longer.
func (w *turnWriter) spellTogether(texts []string) bool {
	probe := markup.Escaper{Tags: w.escape.Tags, Openers: w.escape.Openers, Calls: w.escape.Calls}
	alone := 0
	for _, s := range texts {
		alone += len(probe.Text(s))
	}
	return len(probe.Text(strings.Join(texts, "\n"))) > alone+len(texts)-1 || len(probe.Text(strings.Join(texts, ""))) > alone
}

func (w *turnWriter) addPart(text string) {
	w.parts = append(w.parts, Part{Type: PartText, Text: text})
	if w.origins != nil {
		w.origins.endPart(len(text))
	}
}

// Write adds strings to the text as they are: markup, or text that is escaped.
func (w *turnWriter) Write(s ...string) {
	for _, s := range s {
		w.text = append(w.text, s...)
	}
}

// ErrorLabel stands before the content of an error.
func (w *turnWriter) ErrorLabel() string { return w.language().ErrorLabel }

// WriteEscaped adds text of the client to the text.
func (w *turnWriter) WriteEscaped(s string) {
	w.text = w.escape.AppendText(w.text, s)
}

// beginCalls begins a list of calls, unless one is open that the next call joins. An
// empty line stands before it.
func (w *turnWriter) beginCalls() {
	if !w.callsOpen {
		w.endPart()
		w.Write(emptyLine(w.parts), w.format.BeforeCalls)
		w.callsOpen = true
	}
}

// writeCall adds a call to the list that is open, or to a new one: see [format.Format.AppendCall].
func (w *turnWriter) writeCall(name string, n int, input jsontext.Value, s *schema.Schema) {
	w.beginCalls()
	w.text = w.format.AppendCall(w.escape, w.text, name, n, input, s)
}

// endList writes the end of a list of calls or of results. In a format that has none, it
// takes off the newlines after the last element instead.
func (w *turnWriter) endList(end string) {
	if end == "" {
		w.text = bytes.TrimRight(w.text, "\n")
	}
	w.Write(end)
}

// endPart makes parts of all that is pending and gathered.
func (w *turnWriter) endPart() {
	w.addPending()
	if w.callsOpen {
		w.text = bytes.TrimSuffix(w.text, []byte(w.format.BetweenCalls))
		w.endList(w.format.AfterCalls)
		w.origins.fillOn(len(w.text))
		w.callsOpen = false
	}
	if len(w.text) > 0 {
		w.addPart(string(w.text))
		w.text = w.text[:0]
	}
}

// emptyLine returns the newlines that, written after parts, leave one empty line after
// their text. It is "" where there is no text before.
func emptyLine(parts []Part) string {
	if len(parts) == 0 || parts[len(parts)-1].Type != PartText {
		return ""
	}
	text := parts[len(parts)-1].Text
	end := text[len(strings.TrimRight(text, " \t\r\n")):]
	return "\n\n"[min(2, strings.Count(end, "\n")):]
}
