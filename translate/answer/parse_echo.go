package answer

import (
	"bytes"
	"slices"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// A model may copy the example call of its prompt. The parser treats an exact copy as text. A call that copies only
// a value which occurs nowhere but in the example is still a call, because the rest may be meant. It counts as
// invalid.

// mayEcho reports whether the pending call may turn out to be the example call: its input so far begins the input
// of the example. Until this is clear, the block of the call stays closed.
func (p *parser) mayEcho() bool {
	return p.callsExample() && bytes.HasPrefix(p.example.Input, p.out.Written(0))
}

// isEcho reports whether the pending call is the example call.
func (p *parser) isEcho() bool {
	if !p.callsExample() {
		return false
	}
	p.out.EnsureBrace()
	return bytes.Equal(p.example.Input[:len(p.example.Input)-1], p.out.Written(0))
}

// callsExample reports whether the pending call is to the tool of the example call.
func (p *parser) callsExample() bool {
	return p.example != nil && p.out.Pending && p.example.Name == p.call.Tool
}

// copiesExample reports whether the call, now closed, has a value that only the example has.
func (p *parser) copiesExample() bool {
	return slices.ContainsFunc(p.invented, func(text string) bool { return hasString(p.out.Kept, text) })
}

// hasString reports whether JSON contains the string, as a value or as a name.
func hasString(json []byte, s string) bool { return bytes.Contains(json, rawjson.AppendString(nil, s)) }

// openUnlessEcho opens the block of a certain call as soon as its input differs from the example call, if values flow.
func (p *parser) openUnlessEcho() {
	if p.out.StreamValues && p.out.Gathered() > 0 {
		p.openCertain()
	}
}

// leakEcho gives back a copy of the example call as text.
func (p *parser) leakEcho() state {
	return p.refuseAs(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: messages.ReasonEcho, InText: true})
}
