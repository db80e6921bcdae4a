package prompt

import (
	"slices"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// This file writes the system text, tools and user turns as one string. Assistant turns are in
// raw_assistant.go.

// rawWriter writes a prompt in a chat template.
type rawWriter struct {
	*chat
	p     *Prompt
	text  strings.Builder
	ends  string // the last text that was written
	parts []RawPart

	system, tools       string // texts outside of the system turn; "" after they are written
	firstUser, lastUser int    // the first and the last turn with a text of the user; -1 if there is none
	round               int    // the last user turn with more than results
	resumes             bool   // results were written last
	inTurn              bool   // the assistant turn before them is still open
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
		w.parts = w.parts[:n-1] // the turn is empty
	}
	w.parts = append(w.parts, RawPart{w.text.Len(), role})
}

// split splits a user turn into results that the template writes in their own place, and other
// parts.
func (w *rawWriter) split(t *Turn) (results, said []Part) {
	n := 0
	for n < len(t.Parts) && w.own && t.Parts[n].Results {
		n++
	}
	return t.Parts[:n], t.Parts[n:]
}

// pieces returns the texts of the pieces whose conditions hold.
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

// trimmed returns a text without the white space at both ends, if the template removes it.
func (w *rawWriter) trimmed(text string, of format.Trims) string {
	if w.template.Trims&of != 0 {
		return strings.TrimSpace(text)
	}
	return text
}

// systemTexts returns the system text and the text of the tools. The tools are part of the system
// text, unless the template has another place for them.
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

// writeSystem writes everything before the first turn.
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
	case t.SystemAt != format.InSystem: // there is no user text
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

// takeTools writes the tools in their own place, unless they are written already. next is the role
// of the next turn.
func (w *rawWriter) takeTools(next string) {
	if w.tools == "" {
		return
	}
	w.begin(RawTool)
	w.add(w.template.Tools[0], w.tools, w.template.Tools[1])
	w.tools = ""
	w.begin(next)
}

// writeUser writes a user turn: results first, if the template has a place for them.
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

// joinParts joins the texts of parts with newlines. It adds no newline if one of the two texts has
// one there.
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
