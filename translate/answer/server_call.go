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

// Calls that the server has read itself ([Chunk.Calls]). A server does this over its own tools API. Some
// servers also run the parser of a model when the request has no tools. Dragoman's parser reads each such
// call as a call in JSON by the model, so the same checks and outcomes apply. Text before and after such a
// call stays text.

// serverCalls is the spelling of such calls: a JSON object with nothing around it.
var serverCalls = &markup.Spelling{Lists: true, Endless: true}

// readCall reads a call from the upstream. If the prefill begins a forced call, that beginning is dropped.
func (r *reader) readCall(c *prompt.ToolUse, cut bool) {
	r.size += len(c.Name) + len(c.Input)
	r.endThinking()
	if r.withheld > 0 {
		r.resume()
	}
	r.prompt = nil // the text that the upstream took for the call cannot be part of a prefill
	if !r.opened {
		r.opened, r.text.opening = true, ""
		r.feed(r.kept)
		r.kept = ""
	}
	r.readServerCall(c, cut)
}

// readServerCall reads a call from the server. If the client has a part of a call in text, the server's call is
// ignored.
func (p *parser) readServerCall(c *prompt.ToolUse, cut bool) {
	if p.calls.cutByServer && cut && !p.req.ToolChoice.DisableParallelToolUse { // calls that were open at once are cut at once
		p.ended, p.call, p.state = false, callSeen{}, inText
	}
	if p.ended || p.call.Certain && p.tags.HasParameter() || p.out.OpenKind == messages.BlockToolUse {
		return
	}
	if p.settleText(); p.ended || p.balance != nil && p.balance.take(p.keyOf(c), fromServer) {
		return
	}
	p.beginCall(markup.Tag{Spelling: serverCalls})
	p.calls.incomplete = false
	p.call.WrapperOpen, p.call.fromServer, p.call.MustBeWhole = true, true, false
	p.state, p.in.CutShort = atJSONName, cut
	p.feed(string(c.AppendJSON(nil, cut)))
	p.endFed()
	p.in.CutShort = false
	p.calls.cutByServer = cut && p.calls.incomplete
}

// settleText decides on all text so far, as at the end of an answer, because a call from the server comes
// after it.
func (p *parser) settleText() {
	p.endFed()
	if !p.mayCall && p.out.OpenKind == messages.BlockText { // writeText holds no white space in this case
		p.out.Write(p.text.blank)
		p.dropBlank()
		p.out.Flush()
	}
	p.text.opened, p.text.thinkingTag, p.text.innerTag, p.text.inThinking, p.text.code = "", "", "", false, code{}
}

// endFed reads all text so far to its end. More text may follow (inText).
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

// maxSilent is the most output tokens that a model needs to end its turn without any text. More tokens
// without text mean that the server has lost something.
const maxSilent = 8

// noteLost records a call that the upstream removed from the text without passing it on. There are two
// signs: the upstream reports that the answer has a call, or nothing is left of the model's output before
// the end of its turn.
func (r *reader) noteLost(saysCall, ended bool) {
	silent := ended && r.size == 0 && !r.continued && r.usage.OutputTokens > maxSilent && r.req.MayCall()
	if (saysCall || silent) && r.calls.whole == 0 && len(r.outcomes) == 0 {
		r.noteOutcome(messages.Outcome{Kind: messages.OutcomeRefused, Reason: messages.ReasonLostByServer, InText: true, FromServer: true})
	}
}

// callBalance finds calls that came both in text and from the server. They count once.
type callBalance map[[sha256.Size]byte]int

// The source of a call, as a number for [callBalance].
const (
	fromServer = -1
	fromText   = +1
)

// take counts a call. It reports whether the same call came from the other source before.
func (b callBalance) take(key [sha256.Size]byte, from int) (again bool) {
	again = b[key]*from < 0
	b[key] += from
	return again
}

// keyOf returns the key of a call: its tool, and its input in canonical JSON.
func (p *parser) keyOf(c *prompt.ToolUse) [sha256.Size]byte {
	name := c.Name
	if tool, _ := p.tools.Find(name); tool != nil {
		name = tool.Name
	}
	input := append(jsontext.Value(nil), c.Input...)
	_ = input.Canonicalize() // invalid JSON is compared as text
	return sha256.Sum256(append(append([]byte(name), 0), input...))
}

// isRepeat counts the current call in text and reports whether it came from the server before. The input of
// the call has to be complete and not sent yet.
func (p *parser) isRepeat() bool {
	p.out.EnsureBrace()
	return p.countText(append(append([]byte(nil), p.out.Written(0)...), '}'))
}

// countText counts the current call, if it came in text, with this input. It reports whether the call came
// from the server before.
func (p *parser) countText(input []byte) (again bool) {
	return p.balance != nil && !p.call.fromServer && p.balance.take(p.keyOf(&prompt.ToolUse{Name: p.call.Tool, Input: input}), fromText)
}

// dropRepeat drops the pending call.
func (p *parser) dropRepeat() state {
	p.in.Unmark()
	p.out.DropInput()
	p.dropBlank()
	p.call = callSeen{begun: true, OpenCall: tagged.OpenCall{WrapperOpen: p.call.WrapperOpen}}
	return betweenCalls
}
