package prompt

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// turnWriter makes the parts of one turn, in order:
//
//   - text blocks of the client, each as a part of its own (addText);
//   - markup of the format with the client's text in it, which collects in the buffer
//     until it becomes a part (endPart);
//   - images and documents (addSource).
//
// It also makes the parts of the client's system text.
type turnWriter struct {
	// Buffer is markup and escaped text that is not a part yet.
	markup.Buffer
	language func() *language.Language // of the prompt's sentences
	format   *format.Format
	framed   bool // a chat template writes the text around calls and results
	results  bool // results are in progress

	parts   []Part
	origins []PartOrigins // origins of the parts, if the buffer has labels
	// pending are text blocks of the client that are not parts yet. There are several only while
	// each of them, except the last, may end in the start of a tag that the next block completes.
	// Such blocks are escaped as one text.
	pending []pendingText
	// tagBegun: pending, without its last text, may end in the start of a tag.
	tagBegun bool
	// callsOpen: the buffer ends in a list of calls that the next call can join.
	callsOpen bool
}

// pendingText is a text block of the client and its path in the request.
type pendingText struct{ text, source string }

// reserve makes room for the parts of the messages' text blocks.
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

// takeParts returns the parts of the turn and resets the writer.
func (w *turnWriter) takeParts() ([]Part, []PartOrigins) {
	w.endPart()
	parts, origins := w.parts, w.origins
	w.parts, w.origins = nil, nil
	return parts, origins
}

// addText adds a text block of the client. After calls, it adds an empty line first.
func (w *turnWriter) addText(s string) {
	if s == "" {
		return
	}
	if w.callsOpen && w.framed {
		w.endPart()
	}
	if w.callsOpen { // endPart marks the part as calls
		w.endCalls()
		w.Write("\n\n")
	}
	n := len(w.pending)
	if w.tagBegun = n > 0 && w.mayOpenTag(w.pending[n-1].text, w.tagBegun); !w.tagBegun {
		w.endPart()
	}
	w.pending = append(w.pending, pendingText{s, w.Source})
}

// mayOpenTag reports whether text may end in the start of a tag, so that the next text must be
// escaped together with it. begun: the text before it may.
func (w *turnWriter) mayOpenTag(text string, begun bool) bool {
	bracketed := w.Escape.Tags&markup.TagBracket != 0
	if w.Escape.Openers.MayEnd(text) {
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

// addPending makes a part from each pending text block, or one part from all of them if they spell
// a tag together.
func (w *turnWriter) addPending() {
	if len(w.pending) > 1 && w.spellTogether() {
		raw := w.newRaw()
		for i, p := range w.pending {
			if raw.At(p.source); i > 0 {
				raw.Write("\n")
			}
			raw.WriteClient(p.text)
		}
		w.addTextPart(w.WriteRaw(raw.Take()).Take())
	} else {
		for _, p := range w.pending {
			w.addTextPart(w.Escape.TextFrom(p.text, p.source))
		}
	}
	clear(w.pending)
	w.pending = w.pending[:0]
}

// spellTogether reports whether a tag spans two pending texts. It checks the texts joined by a
// newline, as in [Prompt.Text], and joined directly, as an upstream may do. If a tag spans them,
// the escaped text is longer.
func (w *turnWriter) spellTogether() bool {
	probe := markup.Escaper{Tags: w.Escape.Tags, Spared: w.Escape.Spared, Openers: w.Escape.Openers, Calls: w.Escape.Calls}
	alone := 0
	texts := make([]string, len(w.pending))
	for i, p := range w.pending {
		texts[i] = p.text
		alone += len(probe.Text(p.text))
	}
	return len(probe.Text(strings.Join(texts, "\n"))) > alone+len(texts)-1 || len(probe.Text(strings.Join(texts, ""))) > alone
}

// addTextPart adds a text as a part.
func (w *turnWriter) addTextPart(text markup.Sourced) {
	w.addPart(Part{Type: PartText, Text: text.Text, Results: w.results}, PartOrigins{Text: text.Origins})
}

func (w *turnWriter) addPart(part Part, origins PartOrigins) {
	w.parts = append(w.parts, part)
	if w.Escape.Labels {
		w.origins = append(w.origins, origins)
	}
}

// ErrorLabel returns the label before the content of an error.
func (w *turnWriter) ErrorLabel() string { return w.language().ErrorLabel }

// writeCall adds a call to the open list of calls: see [format.Format.WriteCall]. If no list is
// open, it begins one after an empty line.
func (w *turnWriter) writeCall(name string, n int, input jsontext.Value, s *schema.Schema) {
	if !w.callsOpen {
		w.endPart()
		if !w.framed {
			w.Write(emptyLine(w.parts))
		}
		w.Write(w.format.BeforeCalls)
		w.callsOpen = true
	}
	w.format.WriteCall(&w.Buffer, name, n, rawjson.Plain(input), s)
}

// endCalls ends the open list of calls, if there is one.
func (w *turnWriter) endCalls() {
	if !w.callsOpen {
		return
	}
	w.callsOpen = false
	w.TrimSuffix(w.format.BetweenCalls)
	outer := w.At(w.LastSource())
	w.endList(w.format.AfterCalls)
	w.At(outer)
}

// endList writes the end of a list of calls or results. If the format has none, it removes the
// newlines after the last element.
func (w *turnWriter) endList(end string) {
	if end == "" {
		w.Truncate(len(bytes.TrimRight(w.Out, "\n")))
	}
	w.Write(end)
}

// endPart makes parts from all pending and collected text.
func (w *turnWriter) endPart() {
	w.addPending()
	calls := w.callsOpen
	w.endCalls()
	if len(w.Out) > 0 {
		w.addTextPart(w.Take())
		w.parts[len(w.parts)-1].Calls = calls
	}
}

// emptyLine returns the newlines that leave one empty line after the text of parts. It is "" if
// there is no text.
func emptyLine(parts []Part) string {
	if len(parts) == 0 || parts[len(parts)-1].Type != PartText {
		return ""
	}
	text := parts[len(parts)-1].Text
	end := text[len(strings.TrimRight(text, " \t\r\n")):]
	return "\n\n"[min(2, strings.Count(end, "\n")):]
}
