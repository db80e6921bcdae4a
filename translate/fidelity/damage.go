package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// This file damages a writing and judges what became of it.

// DamageKind is one thing that goes wrong in what models write.
type DamageKind struct {
	Name string
	// Format is one of translate.Formats if the calls are those of another maker's model; "" for ours.
	Format string
	// Documented says what translate makes of it.
	Documented string
	// write writes what is damaged.
	write func(chance, *Instance) *Writing
	// apply damages a writing. It reports false if the writing has nothing to damage in this way.
	apply func(*draft) bool
}

// inFormat says in which format the calls are, if that is of another maker.
func (k *DamageKind) inFormat() string {
	if k.Format == "" {
		return ""
	}
	return " in " + k.Format
}

// draft is a writing that is being damaged.
type draft struct {
	chance
	*Writing
	pieces    []piece                     // what is left of the writing's
	asWritten []Call                      // the calls that the text spells now, if those are not the calls that were meant; else nil
	saysSo    func(got, meant Value) bool // reports whether a value is what its damaged text says; nil if no value was damaged
	answer    *Answer                     // set if the end of the text is part of the damage
}

// Result is what became of a damaged writing.
type Result uint8

// The results, best first.
const (
	Exact      Result = iota // the calls that were meant
	AsWritten                // what the text says letter by letter, where that is not what was meant
	KeptAsText               // a value is a string where its schema allows none: the client refuses it
	Refused                  // no such call: its markup is text, or the stop_reason says that it is not whole
	Changed                  // another call, and nothing shows it
	numResults
)

// Trial is one damaged writing and what became of it.
type Trial struct {
	Meant  []Call // the calls before the damage
	Answer Answer
	Read   string // what the client gets, for people to read
	Result Result
}

// RunTrial damages the writing of a seed and lets translate read it. It reports false if the
// writing has nothing to damage in this way, or is that of other calls now, letter by letter: nobody could
// tell. It returns an error if the answer could not be read at all.
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

// asAnswer returns the text as it comes from an upstream: from one that stops at the first end of
// calls, or from one that does not.
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

// judge returns what became of the writing.
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

// wasRefused reports whether every call that is said to be whole is one that was meant, and the
// client can see what became of the others.
func (d *draft) wasRefused(r received) bool {
	marks := "<"
	if d.manner != nil && d.manner.param[0] == "" { // a bracket shows what is left of a call
		marks = "<[{("
	}
	if r.stop == messages.StopToolUse && !strings.ContainsAny(r.text, marks) {
		return false
	}
	return d.among(r.wholeCalls(), d.inst.Calls) || d.asWritten != nil && d.among(r.wholeCalls(), d.asWritten)
}

// among reports whether the calls are some of list, in its order.
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

// saysSoOrRefuses reports whether a value is what its damaged text says, or one that the client
// refuses.
func (d *draft) saysSoOrRefuses(n *node, got, meant Value) bool {
	return d.saysSo != nil && d.saysSo(got, meant) || isForbiddenString(n, got, meant)
}

// differOnlyWhere reports whether calls are those that were meant, except for values for which ok
// holds.
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
