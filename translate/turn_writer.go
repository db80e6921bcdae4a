package translate

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
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
	escape   *markup.Escaper  // of the whole prompt
	language func() *language // of the prompt's sentences
	format   *format
	origins  *origins // of the prompt; nil unless they are asked for

	parts []Part
	// pending are text blocks of the client that are not parts yet. There is more than
	// one only while all but the last may end in the beginning of a tag: the block after
	// them could complete the tag, and then they are escaped as one text.
	pending []rawjson.Text
	// tagBegun says that pending, without its last text, may end in the beginning of a tag.
	tagBegun bool
	// text is markup and escaped text that is not a part yet.
	text rawjson.TextBuilder
	// scratch is reused to decode texts.
	scratch []byte
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
func (w *turnWriter) addText(s rawjson.Text) {
	if s.IsZero() {
		return
	}
	if w.callsOpen {
		w.endPart()
		last := &w.parts[len(w.parts)-1]
		last.Text = last.Text.Then("\n\n")
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
func (w *turnWriter) mayOpenTag(text rawjson.Text, begun bool) bool {
	bracketed := w.escape.Tags&markup.TagBracket != 0
	if inside, ok := text.InJSON(); ok && !begun && bytes.IndexByte(inside, '<') < 0 && !(bracketed && bytes.IndexByte(inside, '[') >= 0) {
		return false
	}
	s := text.String()
	i := strings.LastIndexByte(s, '<')
	if bracketed {
		i = max(i, strings.LastIndexByte(s, '['))
	}
	return (i >= 0 || begun) && !strings.ContainsFunc(s[i+1:], func(r rune) bool {
		return r < 0x80 && r != '/' && r != '%' && r != '|' && !markup.IsBlank(byte(r)) && !markup.IsNameByte(byte(r))
	})
}

// addPending makes a part of each pending text block, or one part of all of them where
// they spell a tag together.
func (w *turnWriter) addPending() {
	if len(w.pending) > 1 {
		if texts := asStrings(w.pending); w.spellTogether(texts) {
			w.origins.joinPending(texts)
			w.pending = append(w.pending[:0], rawjson.Plain(strings.Join(texts, "\n")))
		}
	}
	for i, s := range w.pending {
		if !w.keeps(s) {
			text := w.decode(s)
			w.origins.takePending(i, len(text))
			s = rawjson.Plain(w.escape.Text(text))
		}
		w.addPart(s)
	}
	clear(w.pending)
	w.pending = w.pending[:0]
	w.origins.dropPending()
}

// spellTogether reports whether a tag runs from one text into the next. It looks at the
// texts joined by a newline, as [Prompt.Text] joins them, and by nothing, as an upstream
// may do: a tag that neither has alone makes the escaped text longer.
func (w *turnWriter) spellTogether(texts []string) bool {
	probe := markup.Escaper{Tags: w.escape.Tags}
	alone := 0
	for _, s := range texts {
		alone += len(probe.Text(s))
	}
	return len(probe.Text(strings.Join(texts, "\n"))) > alone+len(texts)-1 || len(probe.Text(strings.Join(texts, ""))) > alone
}

// asStrings returns texts decoded.
func asStrings(texts []rawjson.Text) []string {
	list := make([]string, len(texts))
	for i := range texts {
		list[i] = texts[i].String()
	}
	return list
}

// keeps reports whether a text of the client is known to need no escape without being decoded. Whoever
// asks for origins has all texts decoded: they are told in bytes of what is made.
func (w *turnWriter) keeps(s rawjson.Text) bool {
	if w.origins != nil {
		return false
	}
	inside, ok := s.InJSON()
	return ok && w.escape.KeepsQuoted(inside)
}

// decode returns a text of the client as a string.
func (w *turnWriter) decode(s rawjson.Text) string {
	if _, ok := s.InJSON(); !ok {
		return s.String()
	}
	w.scratch = s.Append(w.scratch[:0])
	return string(w.scratch)
}

func (w *turnWriter) addPart(text rawjson.Text) {
	w.parts = append(w.parts, Part{Type: PartText, Text: text})
	if w.origins != nil {
		w.origins.endPart(text.Len())
	}
}

// write adds strings to the text as they are: markup, or text that is escaped.
func (w *turnWriter) write(s ...string) {
	for _, s := range s {
		w.text.Plain = append(w.text.Plain, s...)
	}
}

// writeEscaped adds text of the client to the text.
func (w *turnWriter) writeEscaped(s rawjson.Text) {
	if w.keeps(s) {
		w.text.Add(s)
		return
	}
	w.text.Plain = w.escape.AppendText(w.text.Plain, w.decode(s))
}

// beginCalls begins a list of calls, unless one is open that the next call joins. An
// empty line stands before it.
func (w *turnWriter) beginCalls() {
	if !w.callsOpen {
		w.endPart()
		w.write(emptyLine(w.parts), w.format.beforeCalls)
		w.callsOpen = true
	}
}

// endList writes the end of a list of calls or of results. In a format that has none, it
// takes off the newlines after the last element instead.
func (w *turnWriter) endList(end string) {
	if end == "" {
		w.text.Plain = bytes.TrimRight(w.text.Plain, "\n")
	}
	w.write(end)
}

// endPart makes parts of all that is pending and gathered.
func (w *turnWriter) endPart() {
	w.addPending()
	if w.callsOpen {
		w.text.Plain = bytes.TrimSuffix(w.text.Plain, []byte(w.format.betweenCalls))
		w.endList(w.format.afterCalls)
		w.origins.fillOn(len(w.text.Plain))
		w.callsOpen = false
	}
	if !w.text.IsEmpty() {
		w.addPart(w.text.Take())
	}
}

// emptyLine returns the newlines that, written after parts, leave one empty line after
// their text. It is "" where there is no text before.
func emptyLine(parts []Part) string {
	if len(parts) == 0 || parts[len(parts)-1].Type != PartText {
		return ""
	}
	last := &parts[len(parts)-1].Text
	if !slices.ContainsFunc([]byte(" \t\r\n"), last.EndsWith) {
		return "\n\n"
	}
	text := last.String()
	end := text[len(strings.TrimRight(text, " \t\r\n")):]
	return "\n\n"[min(2, strings.Count(end, "\n")):]
}
