package prompt

import (
	"slices"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// RawPrompt is a prompt as one string, in a chat template.
type RawPrompt struct {
	// BOS is the text of the token that begins the prompt, "" for none. It is not in Text: some servers add the token
	// themselves.
	BOS  string `json:"bos,omitzero"`
	Text string `json:"text"`
	// Stops are what the model ends its turn with, then [Prompt.StopSequences]; each once.
	Stops []string `json:"stops"`
	// Parts are the turns of Text, in their order.
	Parts []RawPart `json:"parts"`
	// OpensThinking says that Text ends within thinking: the completion begins there.
	OpensThinking bool `json:"opens_thinking,omitzero"`
}

// RawPart says where in a [RawPrompt] a turn begins. It ends where the next one begins.
type RawPart struct {
	Offset int    `json:"offset"` // in bytes
	Role   string `json:"role"`   // one of the roles of Raw
}

// The roles of a [RawPart].
const (
	RawSystem    = "system"
	RawUser      = "user"
	RawAssistant = "assistant"
	RawTool      = "tool" // tools, and results of calls
)

// chat is how a prompt is written in a chat template.
type chat struct {
	template *format.ChatTemplate
	own      bool // the tools are shown as the template has them
	hasTools bool // the prompt describes tools
	prefills bool // the prompt ends in text of the assistant
	thinks   bool // the model is asked to think
	date     string
}

// newChat returns how a prompt is written in the template of a target, whose format is f. It returns nil if there is
// no template.
func newChat(t *format.ChatTemplate, f *format.Format, req *messages.Request, target *Target) *chat {
	if t == nil {
		return nil
	}
	c := &chat{template: t, own: f == t.Own, hasTools: req.ShowsTools(), prefills: endsInPrefill(req)}
	c.prefills = c.prefills || req.MustCall() && (target.Prefill || target.TryPrefill)
	c.thinks = t.Thinking != nil && (t.Thinking.Always || req.Thinking != messages.ThinkingOff) && !c.prefills
	if c.date = t.Date; t.Layout != "" && target.Date != "" {
		c.date = t.FormatDate(target.Date)
	}
	return c
}

// endsInPrefill reports whether the last message with content is the assistant's.
func endsInPrefill(req *messages.Request) bool {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if m := &req.Messages[i]; !isEmpty(m) {
			return m.Role == messages.RoleAssistant
		}
	}
	return false
}

// opensThinking reports whether the generation prompt ends within thinking.
func (c *chat) opensThinking() bool { return c.thinks && c.template.Thinking.On != "" }

// framesOwn reports whether the template has a place of its own for tools, calls and results.
func (c *chat) framesOwn() bool { return c != nil && c.own }

// marksThinking reports whether the template says how thinking is marked.
func (c *chat) marksThinking() bool { return c != nil && c.template.Thinking != nil }

// Raw returns the prompt as one string, for an upstream that completes text. It returns nil unless the prompt was
// rendered for a [Target] with ChatTemplate.
func (p *Prompt) Raw() *RawPrompt {
	if p.chat == nil {
		return nil
	}
	w := p.write(p.chat)
	raw := &RawPrompt{BOS: p.chat.template.BOS, Text: w.text.String(), Parts: w.parts, OpensThinking: p.chat.opensThinking()}
	seen := map[string]bool{}
	for _, list := range [...][]string{p.chat.template.Stops, p.StopSequences} {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				raw.Stops = append(raw.Stops, s)
			}
		}
	}
	return raw
}

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
			stands = w.own && w.hasTools
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
// a place for it.
func (w *rawWriter) systemTexts() (system, tools string) {
	t := w.template
	apart := w.own && w.hasTools && (t.ToolsAt != format.InSystem || t.SystemText[0] != "")
	gap := ""
	for i, entry := range w.p.System {
		if strings.TrimSpace(entry.Text) == "" {
			continue
		}
		isTools := w.own && w.hasTools && i == w.p.cached
		if apart && isTools {
			tools = entry.Text
			continue
		}
		text := w.trimmed(entry.Text, format.TrimSystem)
		switch {
		case isTools:
			text = entry.Text
			if system != "" {
				gap = t.ToolsGap
			}
		case i > 0 && gap == "":
			if gap = t.SystemGap; i-1 == w.p.cached && w.own && w.hasTools {
				gap = t.ToolsGap
			}
		}
		if system == "" {
			gap = ""
		}
		system, gap = system+gap+text, ""
	}
	if system != "" {
		system = t.SystemText[0] + system + t.SystemText[1]
	}
	if apart && t.ToolsAt == format.InSystem {
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
