package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Kind is one thing that goes wrong in what models write.
type DamageKind struct {
	Name string
	// Documented says what is made of it.
	Documented string
	// break changes a writing; it reports whether there was anything to break.
	apply func(*draft) bool
}

// damaged is a writing while it is broken.
type draft struct {
	chance
	*Writing
	pieces    []piece                     // as they are left
	asWritten []Call                      // what the text says now, where that is another thing than was meant
	saysSo    func(got, meant Value) bool // whether a value is what its text says now
	answer    *Answer                     // where the end of the text is part of the damage
}

// Result is what became of a damaged writing.
type Result uint8

// The results, best first.
const (
	Exact      Result = iota // what was meant
	AsWritten                // what the text says, letter by letter, where that is not what was meant
	KeptAsText               // a value stands as a string where its schema allows none: the client refuses it
	Refused                  // no such call: its text is text, or the stop_reason says that it is not whole
	Changed                  // something else, and nobody can tell
	numResults
)

// Damaged is one broken writing and what became of it.
type Trial struct {
	Meant  []Call
	Answer Answer
	Read   string // for people
	Result Result
}

// Damage breaks the writing of a seed in the way of a kind and reads it. It
// reports false where the writing has nothing to break, and an error where it
// could not be read at all.
func RunTrial(k *DamageKind, seed uint64) (d Trial, ok bool, err error) {
	c := seeded(seed)
	inst := newInstance(c)
	w := write(c, inst)
	broken := draft{chance: c, Writing: w, pieces: slices.Clone(w.pieces)}
	if !k.apply(&broken) {
		return d, false, nil
	}
	d.Meant, d.Answer = inst.Calls, broken.asAnswer()
	m, err := read(inst.Request(), &translate.Prompt{}, d.Answer, pieceLengths(c))
	if err != nil {
		return d, true, err
	}
	r, err := receive(m)
	if err != nil {
		return d, true, err
	}
	d.Read = r.String()
	d.Result = broken.judge(r)
	return d, true, nil
}

// asAnswer is how the text comes from an upstream: one that stops at the end of
// the calls, at the first there is, or one that does not.
func (d *draft) asAnswer() Answer {
	if d.answer != nil {
		return *d.answer
	}
	text := joined(d.pieces)
	if before, _, found := strings.Cut(text, translate.CallsEnd); found && d.one(2) {
		return Answer{before, messages.StopSequence, translate.CallsEnd}
	}
	return endedAnswer(text)
}

// judge tells what became of the writing.
func (d *draft) judge(r received) Result {
	meant := d.inst.Calls
	switch {
	case r.stop == messages.StopToolUse && sameCalls(r.calls, meant):
		return Exact
	case r.stop == messages.StopToolUse && d.asWritten != nil && sameCalls(r.calls, d.asWritten):
		return AsWritten
	case r.stop == messages.StopToolUse && d.saysSo != nil && d.differ(r.calls, meant, func(_ *node, got, meant Value) bool { return d.saysSo(got, meant) }):
		return AsWritten
	case r.stop == messages.StopToolUse && (d.differ(r.calls, meant, d.saysOrRefuses) || d.asWritten != nil && d.differ(r.calls, d.asWritten, d.saysOrRefuses)):
		return KeptAsText
	case d.refused(r):
		return Refused
	}
	return Changed
}

// refused tells whether every call that is said to be whole is one that was meant,
// and what became of the others can be seen.
func (d *draft) refused(r received) bool {
	if r.stop == messages.StopToolUse && !strings.Contains(r.text, "<") {
		return false
	}
	return d.among(r.wholeCalls(), d.inst.Calls) || d.asWritten != nil && d.among(r.wholeCalls(), d.asWritten)
}

// among tells whether the calls are some of list, in its order.
func (d *draft) among(calls, list []Call) bool {
	for _, call := range calls {
		i := slices.IndexFunc(list, func(m Call) bool { return d.differ([]Call{call}, []Call{m}, d.saysOrRefuses) })
		if i < 0 {
			return false
		}
		list = list[i+1:]
	}
	return true
}

func (d *draft) saysOrRefuses(n *node, got, meant Value) bool {
	return d.saysSo != nil && d.saysSo(got, meant) || refuses(n, got, meant)
}

// differ tells whether the calls differ from those that were meant in values alone
// for which ok holds.
func (d *draft) differ(calls, meant []Call, ok func(n *node, got, meant Value) bool) bool {
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

// refuses tells whether a value is a string that the schema does not allow.
func refuses(n *node, got, _ Value) bool { return got.Kind == '"' && !n.takes(got, 0) }

// takes tells whether a string may stand there.
func (n *node) takes(v Value, depth int) bool {
	if n == nil || n.kind == kindString || n.kind == kindAny || slices.ContainsFunc(n.enum, v.Equal) {
		return true
	}
	return depth < maxDepth && slices.ContainsFunc(n.alts, func(alt *node) bool { return alt.takes(v, depth+1) })
}
