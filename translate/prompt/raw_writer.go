package prompt

import (
	"slices"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// The system text, tools and turns of the user as one string; turns of the assistant are in raw_assistant.go.

// rawWriter writes a prompt in a chat template.
type rawWriter struct {
	*chat
	p     *Prompt
	text  strings.Builder
	ends  string // what text ends with, as far as it counts
	parts []RawPart

	system, tools       string // texts that stand elsewhere than in the system turn; "" once written
	firstUser, lastUser int    // the first and the last turn with a text of the user; -1 for none
	round               int    // the last turn in which the user said more than results
	resumes             bool   // the last thing written were results
	inTurn              bool   // the turn of the assistant before them is not closed
}

// write writes the prompt.
func (p *Prompt) write(c *chat) *rawWriter {
	w := &rawWriter{chat: c, p: p, firstUser: -1, lastUser: -1, round: -1}
	for i := range p.Turns {
		if _, said := w.split(&p.Turns[i]); p.Turns[i].Role == messages.RoleUser && len(said) > 0 {
			if w.lastUser = i; w.firstUser < 0 {
				w.firstUser = i
			}
			if slices.ContainsFunc(said, func(p Part) bool { return !p.Results }) {
				w.round = i
			}
		}
	}
	w.writeSystem()
	for i := range p.Turns {
		if p.Turns[i].Role == messages.RoleUser {
			w.writeUser(i)
		} else {
			w.writeAssistant(i)
		}
	}
	if n := len(p.Turns); n == 0 || p.Turns[n-1].Role == messages.RoleUser {
		w.writeGeneration()
	}
	return w
}

// add writes texts.
func (w *rawWriter) add(texts ...string) {
	for _, s := range texts {
		if s != "" {
			w.text.WriteString(s)
			w.ends = s
		}
	}
}

// begin begins a turn.
func (w *rawWriter) begin(role string) {
	if n := len(w.parts); n > 0 && w.parts[n-1].Offset == w.text.Len() {
		w.parts = w.parts[:n-1] // it is empty
	}
	w.parts = append(w.parts, RawPart{w.text.Len(), role})
}

// split returns the parts of a user turn that are results with a place of their own, and the others.
func (w *rawWriter) split(t *Turn) (results, said []Part) {
	n := 0
	for n < len(t.Parts) && w.own && t.Parts[n].Results {
		n++
	}
	return t.Parts[:n], t.Parts[n:]
}

// pieces returns the texts of those pieces that stand in the prompt.
func (w *rawWriter) pieces(list []format.Piece) string {
	var text strings.Builder
	for _, piece := range list {
		stands := true
		switch piece.If {
		case format.IfTools:
			stands = w.ownTools
		case format.IfThinking:
			stands = w.thinks
		case format.IfNot:
			stands = !w.thinks
		case format.IfDated:
			stands = w.date != ""
		}
		if stands {
			text.WriteString(strings.ReplaceAll(piece.Text, "$DATE", w.date))
		}
	}
	return text.String()
}

// trimmed returns a text without the white space around it, if the template drops that.
func (w *rawWriter) trimmed(text string, of format.Trims) string {
	if w.template.Trims&of != 0 {
		return strings.TrimSpace(text)
	}
	return text
}

// systemTexts returns the system text and the text of the tools, which is part of the first unless the template has
// another place for it.
func (w *rawWriter) systemTexts() (system, tools string) {
	t := w.template
	var text strings.Builder
	behindTools := false
	for i, entry := range w.p.System {
		isTools := w.ownTools && i == w.p.cached
		if isTools && (t.ToolsAt != format.InSystem || t.SystemText[0] != "") {
			tools = entry.Text
			continue
		}
		said := entry.Text
		if !isTools {
			said = w.trimmed(said, format.TrimSystem)
		}
		if strings.TrimSpace(said) == "" {
			continue
		}
		switch {
		case text.Len() == 0:
		case isTools || behindTools:
			text.WriteString(t.ToolsGap)
		default:
			text.WriteString(t.SystemGap)
		}
		text.WriteString(said)
		behindTools = isTools
	}
	if system = text.String(); system != "" {
		system = t.SystemText[0] + system + t.SystemText[1]
	}
	if t.ToolsAt == format.InSystem {
		return system + tools, ""
	}
	return system, tools
}

// writeSystem writes all that stands before the first turn.
func (w *rawWriter) writeSystem() {
	t := w.template
	w.begin(RawSystem)
	w.add(w.pieces(t.Starts))
	w.system, w.tools = w.systemTexts()
	if w.tools != "" && (t.ToolsAt == format.BeforeAll || w.lastUser < 0 && t.ToolsAt != format.AfterSystem) {
		w.takeTools(RawSystem)
	}
	begun := w.pieces(t.SystemStarts)
	switch {
	case t.SystemAt != format.InSystem && w.lastUser >= 0:
	case w.system == "" && begun == "":
		w.add(t.NoSystem)
	case t.SystemAt != format.InSystem: // no user has said anything
		w.begin(RawUser)
		w.add(t.User[0], begun, w.system, t.User[1])
		w.system = ""
	default:
		w.begin(RawSystem)
		w.add(t.System[0], begun, w.system, t.System[1])
		w.system = ""
	}
	if t.ToolsAt == format.AfterSystem {
		w.takeTools(RawSystem)
	}
}

// takeTools writes the tools that have a place of their own, unless they are written. next is the role of what follows.
func (w *rawWriter) takeTools(next string) {
	if w.tools == "" {
		return
	}
	w.begin(RawTool)
	w.add(w.template.Tools[0], w.tools, w.template.Tools[1])
	w.tools = ""
	w.begin(next)
}

// writeUser writes a turn of the user: results first, if they have a place of their own.
func (w *rawWriter) writeUser(i int) {
	t := w.template
	results, said := w.split(&w.p.Turns[i])
	if len(results) > 0 {
		w.begin(RawTool)
		w.add(t.Results[0], joinParts(results), t.Results[1])
		w.resumes = len(said) == 0
	}
	if len(said) == 0 && (len(results) > 0 || !t.Alternates) {
		return
	}
	if w.inTurn {
		w.add(t.Assistant[1])
		w.inTurn = false
	}
	if i == w.lastUser && t.ToolsAt == format.BeforeLast {
		w.takeTools(RawUser)
	}
	w.begin(RawUser)
	text := w.trimmed(joinParts(said), format.TrimUser)
	before := t.User[0]
	if text == "" {
		before = strings.TrimRight(before, " ")
	}
	w.add(before)
	if w.system != "" && (i == w.firstUser && t.SystemAt == format.InFirstUser || i == w.lastUser && t.SystemAt == format.InLastUser) {
		w.add(t.System[0], w.system, t.System[1])
		w.system = ""
	}
	if i == w.firstUser && t.ToolsAt == format.InFirstUser && w.tools != "" {
		w.add(t.Tools[0], w.tools, t.Tools[1])
		w.tools = ""
	}
	w.add(text)
	if t.Thinking != nil && !w.thinks {
		w.add(t.Thinking.OffUser)
	}
	w.add(t.User[1])
}

// joinParts returns the text of parts, with a newline between two unless one of them has a newline there.
func joinParts(parts []Part) string {
	var b strings.Builder
	last := ""
	for i := range parts {
		text := parts[i].AsText()
		if i > 0 && !strings.HasSuffix(last, "\n") && !strings.HasPrefix(text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		last = text
	}
	return b.String()
}
