package answer

import (
	"bytes"
	"slices"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// What a model copies of the example call in its prompt. A call that is the same is text. A call with a
// value that nobody but the example has is a call, since the rest of it may be meant, but invalid.

// mayEcho reports whether the call that is pending may yet be the example call: what was written of its input
// begins that of the example. Its block stays closed until then.
func (p *parser) mayEcho() bool {
	return p.callsExample() && bytes.HasPrefix(p.example.Input, p.out.Written(0))
}

// isEcho reports whether the call that is pending is the example call.
func (p *parser) isEcho() bool {
	if !p.callsExample() {
		return false
	}
	p.out.EnsureBrace()
	return bytes.Equal(p.example.Input[:len(p.example.Input)-1], p.out.Written(0))
}

// callsExample reports whether the call that is pending is of the tool of the example call.
func (p *parser) callsExample() bool {
	return p.example != nil && p.out.Pending && p.example.Name == p.call.Tool
}

// copiesExample reports whether a value of the call, which has been closed, is one that only the example has.
func (p *parser) copiesExample() bool {
	return slices.ContainsFunc(p.invented, func(text string) bool { return hasString(p.out.Kept, text) })
}

// hasString reports whether JSON has the string, as a value or as a name.
func hasString(json []byte, s string) bool { return bytes.Contains(json, rawjson.AppendString(nil, s)) }

// openUnlessEcho opens the block of a call that is certain, once what was written of its input differs
// from the example call.
func (p *parser) openUnlessEcho() {
	if p.out.Pending && p.call.Certain && p.out.Gathered() > 0 && !p.mayEcho() {
		p.openCall()
	}
}

// leakEcho gives the text of a copied example call back.
func (p *parser) leakEcho() state {
	return p.refuseAs(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: messages.ReasonEcho, InText: true})
}
