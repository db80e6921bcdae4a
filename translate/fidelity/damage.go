package fidelity

import (
	"fmt"
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// This file damages a writing and judges the result.

// draft is a writing while it is being damaged.
type draft struct {
	chance
	*Writing
	pieces    []piece                     // the pieces of the writing, with the damage
	asWritten []ToolCall                  // the calls that the damaged text spells, if they are not the meant ones; else nil
	saysSo    func(got, meant Value) bool // reports whether a value matches its damaged text; nil if no value was damaged
	lostNamed bool                        // calls may be lost if an outcome names them
	answer    *Answer                     // set if the damage changes where the text ends
}

// Result is how translate has read a damaged writing.
type Result uint8

// The results, from best to worst.
const (
	Exact      Result = iota // the client gets the calls that were meant
	AsWritten                // the client gets the calls as the damaged text spells them
	KeptAsText               // a value is a string although its schema forbids one: the client rejects it
	Refused                  // the client sees that a call is missing: by its markup in text, or by the stop_reason
	Changed                  // the client gets a different call and cannot notice it
	numResults
)

// Trial is one damaged writing and its result.
type Trial struct {
	Meant  []ToolCall // the calls before the damage
	Answer Answer
	Read   string // what the client gets, in readable form
	Result Result
	// Reasons are the reasons of the outcomes.
	Reasons []messages.Reason
}

// String returns the trial in readable form.
func (d *Trial) String() string {
	return fmt.Sprintf("meant\n%swritten (then %s)\n%q\nread\n%s", showCalls(d.Meant), d.Answer.Stop, d.Answer.Text, d.Read)
}

// RunTrial damages the writing of a seed and lets translate read it. It returns false if the writing has
// nothing to damage in this way, or if the damaged text happens to spell other calls, so that no reader
// could notice. It returns an error if translate could not read the answer at all.
func RunTrial(k *DamageKind, seed uint64) (d Trial, ok bool, err error) {
	c := seeded(seed)
	c.foreign = len(forms[k.Format]) > 0 && forms[k.Format][0].group&(ours|inBlocks) == 0
	inst := newInstance(c)
	w := write(c, inst, k.Format)
	prompt, err := w.prompt()
	if err != nil {
		return d, false, err
	}
	broken := draft{chance: c, Writing: w, pieces: slices.Clone(w.pieces)}
	if !k.fits(w.form) || w.group == inTags && broken.hasOwnNames() || !k.apply(&broken) {
		return d, false, nil
	}
	d.Meant, d.Answer = inst.Calls, broken.asAnswer()
	m, err := translateAnswer(inst.Request(), prompt, d.Answer, pieceLengths(c))
	if err != nil {
		return d, true, err
	}
	r, err := receive(m)
	if err != nil {
		return d, true, err
	}
	d.Read = r.String()
	for _, o := range m.Outcomes {
		d.Reasons = append(d.Reasons, o.Reason)
	}
	d.Result = broken.judge(r)
	return d, d.Result != Changed || !broken.spells(r.calls), nil
}

// asAnswer returns the text as an upstream sends it. Some upstreams stop at the first end of calls, and
// some do not.
func (d *draft) asAnswer() Answer {
	if d.answer != nil {
		return *d.answer
	}
	text, stop := joined(d.pieces), d.stop()
	if before, _, found := strings.Cut(text+toolResponse, stop); stop != "" && found && d.oneIn(2) {
		return Answer{before, messages.StopSequence, stop}
	}
	return endedAnswer(text)
}

// toolResponse is what many models write next after calls.
const toolResponse = "<tool_response>"

// judge returns the result for what the client has received.
func (d *draft) judge(r received) Result {
	meant := d.inst.Calls
	switch {
	case r.stop == messages.StopToolUse && sameCalls(r.calls, meant):
		return Exact
	case r.stop == messages.StopToolUse && d.asWritten != nil && sameCalls(r.calls, d.asWritten):
		return AsWritten
	case r.stop == messages.StopToolUse && d.saysSo != nil && d.differOnlyWhere(r.calls, meant, func(_ *node, got, meant Value) bool { return d.saysSo(got, meant) }):
		return AsWritten
	case r.stop == messages.StopToolUse && (d.differOnlyWhere(r.calls, meant, d.saysSoOrRefuses) || d.asWritten != nil && d.differOnlyWhere(r.calls, d.asWritten, d.saysSoOrRefuses)):
		return KeptAsText
	case d.wasRefused(r):
		return Refused
	}
	return Changed
}

// wasRefused reports whether all calls that look complete are meant calls, and the client can see what
// happened to the others.
func (d *draft) wasRefused(r received) bool {
	marks := "<"
	if d.isJSON() { // any bracket shows the rest of a call
		marks = "<[]{}()"
	}
	named := d.lostNamed && slices.ContainsFunc(r.raw.Outcomes, func(o messages.Outcome) bool { return o.Unread || o.Kind == messages.OutcomeLeaked })
	if r.stop == messages.StopToolUse && !named && !strings.ContainsAny(r.text, marks) {
		return false
	}
	return d.among(r.wholeCalls(), d.inst.Calls) || d.asWritten != nil && d.among(r.wholeCalls(), d.asWritten)
}

// among reports whether the calls are a subsequence of list.
func (d *draft) among(calls, list []ToolCall) bool {
	for _, call := range calls {
		i := slices.IndexFunc(list, func(m ToolCall) bool { return d.differOnlyWhere([]ToolCall{call}, []ToolCall{m}, d.saysSoOrRefuses) })
		if i < 0 {
			return false
		}
		list = list[i+1:]
	}
	return true
}

// saysSoOrRefuses reports whether a value matches its damaged text, or is one that the client rejects.
func (d *draft) saysSoOrRefuses(n *node, got, meant Value) bool {
	return d.saysSo != nil && d.saysSo(got, meant) || isForbiddenString(n, got, meant)
}

// differOnlyWhere reports whether calls equal meant, except for values that ok accepts.
func (d *draft) differOnlyWhere(calls, meant []ToolCall, ok func(n *node, got, meant Value) bool) bool {
	if len(calls) != len(meant) {
		return false
	}
	for i, call := range calls {
		want := meant[i]
		if call.Name != want.Name || len(call.Input.Members) != len(want.Input.Members) {
			return false
		}
		for _, m := range call.Input.Members {
			value, found := want.Input.member(m.Name)
			if !found || !m.Value.Equal(value) && !ok(want.tool.root.memberNode(m.Name), m.Value, value) {
				return false
			}
		}
	}
	return true
}

// isForbiddenString reports whether got is a string that the schema does not allow.
func isForbiddenString(n *node, got, _ Value) bool {
	return got.Kind == '"' && n != nil && !n.any(func(alt *node) bool {
		return alt.kind == kindString || alt.kind == kindAny || slices.ContainsFunc(alt.enum, got.Equal)
	}, 0)
}

// spells reports whether the damaged text is exactly what the format writes for calls.
func (d *draft) spells(calls []ToolCall) bool {
	if !d.isJSON() || len(calls) != len(d.inst.Calls) {
		return false
	}
	pieces := slices.Clone(d.pieces)
	for i := range pieces {
		if p := &pieces[i]; p.role == rJSONCall {
			calls[p.call].tool = d.inst.Calls[p.call].tool
			p.text = d.callText(&calls[p.call])
		}
	}
	return joined(pieces) == joined(d.pieces)
}
