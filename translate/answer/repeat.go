package answer

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// repeats tells, while an answer arrives, whether its calls repeat calls of the last assistant turn: the same tools
// with the same inputs, each as often, in any order.
type repeats struct {
	past  []pastCall // the past calls that no call of the answer has repeated yet
	alike []pastCall // of these, the calls that the open call equals so far
	open  bool       // a call is open
	input inputReader
}

// maxRepeats limits the calls that are compared, because each new call may equal any of them. A stuck model repeats
// fewer.
const maxRepeats = 64

// newRepeats returns the repeats of these calls. If there are more than maxRepeats, no call counts as a repeat.
func newRepeats(calls []*messages.BlockParam) repeats {
	if len(calls) > maxRepeats {
		return repeats{}
	}
	past := make([]pastCall, len(calls))
	for i, b := range calls {
		past[i] = newPastCall(b)
	}
	return repeats{past: past}
}

// pastCall is a call of the last assistant turn.
type pastCall struct {
	name    string
	members map[string]jsontext.Value // of its input, in canonical JSON
}

// newPastCall returns the call of a block.
func newPastCall(b *messages.BlockParam) pastCall {
	c := pastCall{name: b.Name, members: map[string]jsontext.Value{}}
	for name, value := range rawjson.NamedMembers(b.Input) {
		c.members[name] = canonical(value)
	}
	return c
}

// canonical returns a copy of a value that equals the copy of every value with the same meaning. Integers keep all
// their digits.
func canonical(value jsontext.Value) jsontext.Value {
	own := slices.Clone(value)
	_ = own.Canonicalize(jsontext.CanonicalizeRawInts(false)) // invalid JSON is compared as text
	return own
}

// begin begins a call of the answer. It reports whether the call may be a repeat.
func (r *repeats) begin(name string) bool {
	r.open, r.input = true, inputReader{}
	return r.keep(r.past, func(c pastCall) bool { return c.name == name })
}

// add reads the next piece of the call's input, as an emitter writes it. It reports whether the call may still be a
// repeat.
func (r *repeats) add(piece []byte) bool {
	r.input.add(piece, func(name string, value jsontext.Value) {
		value = canonical(value)
		r.keep(r.alike, func(c pastCall) bool { return bytes.Equal(c.members[name], value) })
	})
	name, from, text := r.input.openString()
	return r.keep(r.alike, func(c pastCall) bool {
		return text == nil || from <= len(c.members[name]) && bytes.HasPrefix(c.members[name][from:], text)
	})
}

// end ends the call. It reports whether the call is a repeat.
func (r *repeats) end() bool {
	r.open = false
	if !r.keep(r.alike, func(c pastCall) bool { return len(c.members) == r.input.count }) {
		return false
	}
	at := slices.IndexFunc(r.past, func(c pastCall) bool { return c.is(r.alike[0]) })
	r.past = slices.Delete(slices.Clone(r.past), at, at+1)
	return true
}

// keep sets alike to the calls of list that fit. It reports whether any does.
func (r *repeats) keep(list []pastCall, fits func(pastCall) bool) bool {
	r.alike = slices.DeleteFunc(slices.Clone(list), func(c pastCall) bool { return !fits(c) })
	return len(r.alike) > 0
}

// is reports whether both calls are to the same tool, with the same input.
func (c pastCall) is(d pastCall) bool {
	if c.name != d.name || len(c.members) != len(d.members) {
		return false
	}
	for name, value := range c.members {
		if !bytes.Equal(d.members[name], value) {
			return false
		}
	}
	return true
}

// inputReader splits the input of a call, a JSON object that arrives in pieces, into its members.
type inputReader struct {
	member []byte // what has arrived of the open member
	passed int    // how many bytes of the open member's value openString has returned
	count  int    // of the whole members

	depth             int
	inString, escaped bool
}

// add reads the next piece. It calls whole with each member that is now whole. A piece ends within a value only if the
// value is a string, as an emitter's pieces do.
func (r *inputReader) add(piece []byte, whole func(name string, value jsontext.Value)) {
	for _, b := range piece {
		ends := false
		switch {
		case r.escaped:
			r.escaped = false
		case b == '"':
			r.inString = !r.inString
		case r.inString:
			r.escaped = b == '\\'
		case b == '{', b == '[':
			r.depth++
		case b == '}', b == ']':
			r.depth--
			ends = r.depth == 0
		case b == ',':
			ends = r.depth == 1
		}
		if ends {
			r.endMember(whole)
		} else {
			r.member = append(r.member, b)
		}
	}
	if r.depth == 1 && !r.inString {
		r.endMember(whole)
	}
}

// endMember calls whole with the open member, if its value has begun.
func (r *inputReader) endMember(whole func(name string, value jsontext.Value)) {
	member := rawjson.Read(r.open())
	name, _ := member.Next()
	if value, ok := member.Next(); ok {
		r.count++
		whole(rawjson.Unquote(name), value)
		r.member, r.passed = r.member[:0], 0
	}
}

// open returns what has arrived of the open member.
func (r *inputReader) open() jsontext.Value { return bytes.TrimLeft(r.member, "{ \t\r\n") }

// openString returns what has arrived of the open member's value since the last call, and where it begins in the
// value. text is nil unless the value is a string.
func (r *inputReader) openString() (name string, from int, text []byte) {
	quoted, ok := rawjson.Read(r.open()).Next()
	if !ok {
		return "", 0, nil
	}
	value := bytes.TrimLeft(r.open()[len(quoted):], ": \t\r\n")
	if len(value) == 0 || value[0] != '"' {
		return "", 0, nil
	}
	from, r.passed = r.passed, len(value)
	return rawjson.Unquote(quoted), from, value[from:]
}
