package prompt

import (
	"cmp"
	"slices"
	"strings"

	"dragoman/translate/format"
)

// writeAssistant writes an assistant turn. The last turn of a prompt stays open, because the model
// continues it.
func (w *rawWriter) writeAssistant(i int) {
	t, parts := w.template, w.p.Turns[i].Parts
	last := i == len(w.p.Turns)-1
	w.begin(RawAssistant)
	switch {
	case last && !w.prefills: // the model continues its own text (ContinuedFrom)
		w.writeGeneration()
		w.add(joinParts(parts))
		return
	case last:
		w.writeHeader(t.Assistant[0], cmp.Or(w.thinking().Prefill, w.thinking().Off))
	case len(parts) > 0 && parts[0].Type == PartThinking && w.keeps(i):
		w.writeHeader(t.Assistant[0], "")
	case w.keeps(i) && w.thinking().Keeps != format.KeepNone:
		w.writeHeader(t.Assistant[0], w.none())
	default:
		w.writeHeader(t.Assistant[0], w.earlier(parts))
	}
	w.writeParts(i, last)
	if last {
		return
	}
	if t.Resumes == format.InTurn && w.own && i+1 < len(w.p.Turns) && len(w.p.Turns[i+1].Parts) > 0 && w.p.Turns[i+1].Parts[0].Results {
		w.inTurn = true
		return
	}
	w.inTurn = false
	w.add(t.Assistant[1])
}

// writeParts writes the parts of an assistant turn. Consecutive texts are joined.
func (w *rawWriter) writeParts(i int, last bool) {
	t, parts := w.template, w.p.Turns[i].Parts
	begun, afterCalls := false, false
	next := func() {
		if begun {
			w.add(t.NextMessage)
		}
		begun = true
	}
	for len(parts) > 0 {
		n := 1
		switch part := &parts[0]; {
		case part.Type == PartThinking && w.marksThinking():
			if w.keeps(i) {
				next()
				w.add(t.Thinking.Past[0], strings.TrimSpace(part.Text), t.Thinking.Past[1])
			}
		case part.Calls && w.own:
			next()
			if gap := t.CallsGap; gap != "" {
				w.add(gap[min(len(gap), len(w.ends)-len(strings.TrimRight(w.ends, "\n"))):])
			}
			w.add(part.Text)
		default:
			for n < len(parts) && !(parts[n].Calls && w.own) && !(parts[n].Type == PartThinking && w.marksThinking()) {
				n++
			}
			text := joinParts(parts[:n])
			open := last && n == len(parts)
			if !open {
				text = w.trimmed(text, format.TrimAssistant)
			}
			if begun && t.NextMessage == "" && afterCalls {
				w.add("\n\n")
			}
			next()
			if t.Preamble != "" && n < len(parts) {
				w.add(t.Preamble, text)
			} else {
				w.add(t.Messages[0], text)
			}
			if !open {
				w.add(t.Messages[1])
			}
		}
		afterCalls = parts[n-1].Calls && w.own
		parts = parts[n:]
	}
}

// writeGeneration writes the end of the prompt, after which the model writes.
func (w *rawWriter) writeGeneration() {
	mark := w.thinking().Off
	if w.thinks {
		mark = w.thinking().On
	}
	w.begin(RawAssistant)
	header := cmp.Or(w.template.Generation, w.template.Assistant[0])
	if w.template.NoGeneration {
		header = ""
	}
	w.writeHeader(header, mark)
}

// writeHeader writes the start of an assistant turn, and a mark of thinking after it. After
// results, the template may have neither.
func (w *rawWriter) writeHeader(header, mark string) {
	resumption := format.WithTurn
	if w.resumes {
		resumption = w.template.Resumes
	}
	w.resumes = false
	switch resumption {
	case format.WithTurn:
		w.add(header, mark)
	case format.WithMark:
		w.add(mark)
	}
}

// thinking returns how the template marks thinking. If it does not, all marks are empty.
func (w *rawWriter) thinking() *format.TemplateThinking {
	if w.template.Thinking == nil {
		return &format.TemplateThinking{Keeps: format.KeepNone}
	}
	return w.template.Thinking
}

// none returns the text that replaces thinking in a turn without thinking, in a round that keeps
// its thinking.
func (w *rawWriter) none() string {
	if off := w.thinking().NoneOff; off != "" && !w.thinks {
		return off
	}
	return w.thinking().None
}

// earlier returns the text that replaces the dropped thinking of a turn.
func (w *rawWriter) earlier(parts []Part) string {
	t := w.thinking()
	if t.Dropped != "" && slices.ContainsFunc(parts, func(p Part) bool { return p.Type == PartThinking }) {
		return t.Dropped
	}
	return t.Earlier
}

// keeps reports whether the prompt keeps the thinking of a turn.
func (w *rawWriter) keeps(i int) bool {
	switch w.thinking().Keeps {
	case format.KeepAll:
		return true
	case format.KeepNone:
		return false
	case format.KeepWithTools:
		if w.hasTools {
			return true
		}
	}
	return i > w.round
}
