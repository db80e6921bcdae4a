package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"slices"
	"strings"
)

// turnWriter gathers the parts of one turn.
type turnWriter struct {
	escape   *markup.Escaper
	language func() *language
	// callsEnd stands after the calls of one turn.
	afterCalls string

	parts []Part
	// texts are blocks of the client's, not yet parts: more than one only where
	// a tag could be spelled across the seam.
	pending []string
	// markup is text of ours around text of the client's, not yet a part.
	buf []byte
	// calling says that the markup is a <function_calls> that more calls may join.
	listOpen bool
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

// text adds a text block of the client's.
func (w *turnWriter) addText(s string) {
	if s == "" {
		return
	}
	if w.listOpen {
		w.endPart()
		w.parts[len(w.parts)-1].Text += "\n\n"
	}
	if n := len(w.pending); n == 0 || !mayOpenTag(w.pending[n-1]) {
		w.endPart()
	}
	w.pending = append(w.pending, s)
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
func (w *turnWriter) endPart() {
	w.addPending()
	if w.listOpen {
		w.endList(w.afterCalls)
		w.listOpen = false
	}
	if len(w.buf) > 0 {
		w.addPart(string(w.buf))
		w.buf = w.buf[:0]
	}
}

// close ends a list of elements of ours. With no tag to end it, the newline behind the
// last one goes.
func (w *turnWriter) endList(end string) {
	if end == "" {
		w.buf = bytes.TrimSuffix(w.buf, []byte("\n"))
	}
	w.write(end)
}

// sealTexts makes a part of each text, or one of all where they spell a tag
// together.
func (w *turnWriter) addPending() {
	if len(w.pending) > 1 && spellTogether(w.pending) {
		w.pending = append(w.pending[:0], strings.Join(w.pending, "\n"))
	}
	for _, s := range w.pending {
		w.addPart(w.escape.Text(s))
	}
	w.pending = w.pending[:0]
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

func (w *turnWriter) addPart(text string) {
	w.parts = append(w.parts, Part{Type: PartText, Text: text})
}

// end returns the parts of the turn.
func (w *turnWriter) takeParts() []Part {
	w.endPart()
	parts := w.parts
	w.parts = nil
	return parts
}

// raw writes markup of ours.
func (w *turnWriter) write(s ...string) {
	for _, s := range s {
		w.buf = append(w.buf, s...)
	}
}

// emptyLine returns the newlines that, written after parts, leave one empty
// line after their text.
func emptyLine(parts []Part) string {
	if len(parts) == 0 || parts[len(parts)-1].Type != PartText {
		return ""
	}
	text := parts[len(parts)-1].Text
	end := text[len(strings.TrimRight(text, " \t\r\n")):]
	return "\n\n"[min(2, strings.Count(end, "\n")):]
}
