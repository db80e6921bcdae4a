package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// This file damages a writing and judges the result.

// DamageKind is one kind of mistake in calls that models write.
type DamageKind struct {
	Name string
	// Format is one of translate.Formats if the calls are in another maker's format; "" means ours.
	Format string
	// Documented describes what translate makes of the damage, for the table.
	Documented string
	// write makes the undamaged writing.
	write func(chance, *Instance) *Writing
	// apply damages a writing. It returns false if the writing has nothing to damage in this way.
	apply func(*draft) bool
}

// inFormat returns " in " and the name of the format, or "" for our format.
func (k *DamageKind) inFormat() string {
	if k.Format == "" {
		return ""
	}
	return " in " + k.Format
}

// draft is a writing while it is being damaged.
type draft struct {
	chance
	*Writing
	pieces    []piece                     // the pieces of the writing, with the damage
	asWritten []Call                      // the calls that the damaged text spells, if they are not the meant ones; else nil
	saysSo    func(got, meant Value) bool // reports whether a value matches its damaged text; nil if no value was damaged
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
	Meant  []Call // the calls before the damage
	Answer Answer
	Read   string // what the client gets, in readable form
	Result Result
}

// RunTrial damages the writing of a seed and lets translate read it. It returns false if the writing has
// nothing to damage in this way, or if the damaged text happens to spell other calls, so that no reader
// could notice. It returns an error if translate could not read the answer at all.
func RunTrial(k *DamageKind, seed uint64) (d Trial, ok bool, err error) {
	c := seeded(seed)
	c.foreign = k.Format != ""
	inst := newInstance(c)
	w := k.write(c, inst)
	prompt, err := w.prompt()
	if err != nil {
		return d, false, err
	}
	broken := draft{chance: c, Writing: w, pieces: slices.Clone(w.pieces)}
	if !k.apply(&broken) {
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
	d.Result = broken.judge(r)
	return d, d.Result != Changed || !broken.spells(r.calls), nil
}

// asAnswer returns the text as an upstream sends it. Some upstreams stop at the first end of calls, and
// some do not.
func (d *draft) asAnswer() Answer {
	if d.answer != nil {
		return *d.answer
	}
	text := joined(d.pieces)
	if d.manner != nil {
		stop := d.stop()
		before, _, found := strings.Cut(text+toolResponse, stop)
		if stop == "" || !found || d.oneIn(2) {
			return endedAnswer(text)
		}
		return Answer{before, messages.StopSequence, stop}
	}
	if d.JSON {
		return pick(d.chance, []Answer{endedAnswer(text), {text, messages.StopSequence, toolResponse}})
	}
	if before, _, found := strings.Cut(text, translate.CallsEnd); found && d.oneIn(2) {
		return Answer{before, messages.StopSequence, translate.CallsEnd}
	}
	return endedAnswer(text)
}

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
	if d.manner != nil && d.manner.param[0] == "" { // any bracket shows the rest of a call
		marks = "<[{("
	}
	if r.stop == messages.StopToolUse && !strings.ContainsAny(r.text, marks) {
		return false
	}
	return d.among(r.wholeCalls(), d.inst.Calls) || d.asWritten != nil && d.among(r.wholeCalls(), d.asWritten)
}

// among reports whether the calls are a subsequence of list.
func (d *draft) among(calls, list []Call) bool {
	for _, call := range calls {
		i := slices.IndexFunc(list, func(m Call) bool { return d.differOnlyWhere([]Call{call}, []Call{m}, d.saysSoOrRefuses) })
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
func (d *draft) differOnlyWhere(calls, meant []Call, ok func(n *node, got, meant Value) bool) bool {
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
func isForbiddenString(n *node, got, _ Value) bool { return got.Kind == '"' && !n.takesString(got, 0) }

// takesString reports whether the string v fits the schema.
func (n *node) takesString(v Value, depth int) bool {
	if n == nil || n.kind == kindString || n.kind == kindAny || slices.ContainsFunc(n.enum, v.Equal) {
		return true
	}
	return depth < maxDepth && slices.ContainsFunc(n.alts, func(alt *node) bool { return alt.takesString(v, depth+1) })
}
