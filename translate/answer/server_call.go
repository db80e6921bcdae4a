package answer

import (
	"crypto/sha256"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// Calls that the server has read itself ([Chunk.Calls]): over its own tools API, or because it runs the parser of a
// model whether or not the request has tools. The parser reads each as a call in JSON that the model wrote, so that
// the same checks hold and the same outcomes come of it. Text before and behind such a call stays text.

// serverCalls is the spelling of such calls: an object, with nothing around it.
var serverCalls = &markup.Spelling{Lists: true, Endless: true}

// readCall reads a call of the upstream's. The beginning of a forced call that ends the prefill is then none.
func (r *reader) readCall(c *prompt.Call, cut bool) {
	r.size += len(c.Name) + len(c.Input)
	r.endThinking()
	if r.withheld > 0 {
		r.resume()
	}
	r.prompt = nil // what the upstream has read cannot be a prefill
	if !r.opened {
		r.opened, r.text.opening = true, ""
		r.feed(r.kept)
		r.kept = ""
	}
	r.readServerCall(c, cut)
}

// readServerCall reads a call of the server. While the model is writing a call in text, that call counts.
func (p *parser) readServerCall(c *prompt.Call, cut bool) {
	if p.ended || p.call.Certain || p.out.OpenKind == messages.BlockToolUse {
		return
	}
	if p.settleText(); p.ended || p.balance != nil && p.balance.take(p.keyOf(c), fromServer) {
		return
	}
	p.beginCall(markup.Tag{Spelling: serverCalls})
	p.call.WrapperOpen, p.call.fromServer, p.call.MustBeWhole = true, true, false
	p.state, p.in.CutShort = atJSONName, cut
	p.feed(string(c.AppendJSON(nil, cut)))
	p.endFed()
	p.in.CutShort = false
}

// settleText decides on all text that has come as at the end of an answer, since a call of the server stands behind it.
func (p *parser) settleText() {
	p.endFed()
	if !p.mayCall && p.out.OpenKind == messages.BlockText { // where white space is not held, as writeText says
		p.out.Write(p.text.blank)
		p.dropBlank()
		p.out.Flush()
	}
	p.text.opened, p.text.thinkingTag, p.text.innerTag, p.text.inThinking, p.text.code = "", "", "", false, code{}
}

// endFed reads what was fed up to its end, behind which text may follow (inText).
func (p *parser) endFed() {
	p.in.End()
	p.feed("")
	p.in.EOF, p.writePlain = false, nil
	if p.ended {
		return
	}
	p.in.TakeAll(completion.SpanDropped)
	p.in.Unmark()
	p.call, p.json, p.proseBetween, p.state = callSeen{}, jsonSeen{}, nil, inText
	p.tags.Begin()
}

// maxSilent is how many tokens the model writes at most of which nothing is left because they end its turn.
const maxSilent = 8

// noteLost notes a call that the upstream took out of the text without giving it: the upstream says that the answer
// has one, or nothing is left of what the model wrote before it ended its turn.
func (r *reader) noteLost(saysCall, ended bool) {
	silent := ended && r.size == 0 && !r.continued && r.usage.OutputTokens > maxSilent && r.req.MayCall()
	if (saysCall || silent) && r.calls.whole == 0 && len(r.outcomes) == 0 {
		r.noteOutcome(messages.Outcome{Kind: messages.OutcomeRefused, Reason: messages.ReasonLostByServer, InText: true, FromServer: true})
	}
}

// callBalance tells which calls came both in text and from the server, which count once.
type callBalance map[[sha256.Size]byte]int

// Where a call comes from, as it counts in a [callBalance].
const (
	fromServer = -1
	fromText   = +1
)

// take counts a call, and reports whether it is one that came in the other way before.
func (b callBalance) take(key [sha256.Size]byte, from int) (again bool) {
	again = b[key]*from < 0
	b[key] += from
	return again
}

// keyOf returns what a call is known by: its tool, and its input without what JSON leaves open.
func (p *parser) keyOf(c *prompt.Call) [sha256.Size]byte {
	name := c.Name
	if tool, _ := p.tools.Find(name); tool != nil {
		name = tool.Name
	}
	input := append(jsontext.Value(nil), c.Input...)
	_ = input.Canonicalize() // what is no JSON is known by its text
	return sha256.Sum256(append(append([]byte(name), 0), input...))
}

// isRepeat counts the call in text that is read, whose input is whole and pending, and reports whether it came from the
// server before.
func (p *parser) isRepeat() bool {
	p.out.EnsureBrace()
	return p.countText(append(append([]byte(nil), p.out.Written(0)...), '}'))
}

// countText counts the call that is read, with this input, if it came in text. It reports whether the call came from the
// server before.
func (p *parser) countText(input []byte) (again bool) {
	return p.balance != nil && !p.call.fromServer && p.balance.take(p.keyOf(&prompt.Call{Name: p.call.Tool, Input: input}), fromText)
}

// dropRepeat drops the call that is pending.
func (p *parser) dropRepeat() state {
	p.in.Unmark()
	p.out.DropInput()
	p.dropBlank()
	p.call = callSeen{begun: true, Call: tagged.Call{WrapperOpen: p.call.WrapperOpen}}
	return betweenCalls
}
