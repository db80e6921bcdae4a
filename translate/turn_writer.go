package translate

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// turnWriter makes the parts of one turn, in the order in which it is given them:
//
//   - text blocks of the client, each a part of its own (addText);
//   - markup of the format with text of the client in it, which is gathered in buf (write)
//     until it is made a part (endPart);
//   - images and documents (addSource).
//
// It also makes the parts of the client's system text.
type turnWriter struct {
	escape                  *markup.Escaper  // of the whole prompt
	language                func() *language // of the prompt's sentences
	beforeCalls, afterCalls string           // of the format
	origins                 *origins         // of the prompt; nil unless they are asked for

	parts []Part
	// pending are text blocks of the client that are not parts yet. There is more than
	// one only while each but the last may end in the beginning of a tag: the block after
	// it could complete the tag, and then they are escaped as one text.
	pending []string
	// buf is markup and escaped text that is not a part yet.
	buf []byte
	// callsOpen says that buf ends in a list of calls without its end, so that the next
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
		w.parts[len(w.parts)-1].Text += "\n\n"
		w.origins.extendPart(len("\n\n"))
	}
	if n := len(w.pending); n == 0 || !mayOpenTag(w.pending[n-1]) {
		w.endPart()
	}
	w.pending = append(w.pending, s)
	w.origins.addPending()
}

// mayOpenTag reports whether s ends in what may be the beginning of a tag, so that the
// text after it has to be escaped together with it.
func mayOpenTag(s string) bool {
	i := strings.LastIndexByte(s, '<')
	return i >= 0 && !strings.ContainsFunc(s[i+1:], func(r rune) bool {
		return r < 0x80 && r != '/' && r != '%' && !markup.IsBlank(byte(r)) && !markup.IsNameByte(byte(r))
	})
}

// addPending makes a part of each pending text block, or one part of all of them where
// they spell a tag together.
func (w *turnWriter) addPending() {
	if len(w.pending) > 1 && spellTogether(w.pending) {
		w.origins.joinPending(w.pending)
		w.pending = append(w.pending[:0], strings.Join(w.pending, "\n"))
	}
	for i, s := range w.pending {
		w.origins.takePending(i, len(s))
		w.addPart(w.escape.Text(s))
	}
	w.pending = w.pending[:0]
	w.origins.dropPending()
}

// spellTogether reports whether a tag runs from one text into the next. It looks at the
// texts joined by a newline, as [Prompt.Text] joins them, and by nothing, as an upstream
// may do: a tag that neither has alone makes the escaped text longer.
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
	w.origins.endPart(len(text))
}

// write adds strings to buf as they are: markup, or text that is escaped.
func (w *turnWriter) write(s ...string) {
	for _, s := range s {
		w.buf = append(w.buf, s...)
	}
}

// writeEscaped adds text of the client to buf.
func (w *turnWriter) writeEscaped(s string) { w.buf = w.escape.AppendText(w.buf, s) }

// beginCalls begins a list of calls, unless one is open that the next call joins. An
// empty line stands before it.
func (w *turnWriter) beginCalls() {
	if !w.callsOpen {
		w.endPart()
		w.write(emptyLine(w.parts), w.beforeCalls)
		w.callsOpen = true
	}
}

// endList writes the end of a list of calls or of results. In a format that has none, it
// takes off the newline after the last element instead.
func (w *turnWriter) endList(end string) {
	if end == "" {
		w.buf = bytes.TrimSuffix(w.buf, []byte("\n"))
	}
	w.write(end)
}

// endPart makes parts of all that is pending and in buf.
func (w *turnWriter) endPart() {
	w.addPending()
	if w.callsOpen {
		w.endList(w.afterCalls)
		w.origins.fillOn(len(w.buf))
		w.callsOpen = false
	}
	if len(w.buf) > 0 {
		w.addPart(string(w.buf))
		w.buf = w.buf[:0]
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
