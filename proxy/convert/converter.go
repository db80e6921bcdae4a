package convert

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// converter reads a request of another API and writes it as a request of the Messages API, in one pass and without a
// tree, because a body may be large. After the first error it reads to the end of the element, and its output is not used. A
// null field counts as missing.
type converter struct {
	ctx        context.Context  // may end while the request is read
	out        []byte           // the body of the Messages API so far
	err        error            // the first one
	dropped    map[string]bool  // fields that out cannot have, under the client's names
	refusable  string           // the first of them that is not a hint
	members    []rawjson.Member // of the objects in progress; the memory is reused
	lengthOpen bool             // the request does not limit the answer's length

	// isHint reports whether a dropped field changes no answer. compat: strict also drops hints.
	isHint func(at *memberPath) bool
}

// newConverter returns a converter for a body of this size.
func newConverter(ctx context.Context, size int, isHint func(at *memberPath) bool) converter {
	return converter{ctx: ctx, out: make([]byte, 0, size+size/8+64), dropped: map[string]bool{}, isHint: isHint}
}

// fail sets the error for an invalid value, if there is no error yet.
func (c *converter) fail(at *memberPath, message string) {
	c.failBy(messages.FaultValue, at, message)
}

// failBy is fail for another kind of mistake.
func (c *converter) failBy(fault string, at *memberPath, message string) {
	if c.err == nil {
		c.err = &messages.InvalidRequestError{Path: at.String(), Message: message, Fault: fault}
	}
}

// object returns the fields of an object; none if the object is missing. The caller takes out the fields that it reads,
// and leaves the others to dropRest or failRest. It is an error if the value is not an object, or if a field differs
// from a known name only in case.
func (c *converter) object(at *memberPath, v jsontext.Value, known []string) (o rawjson.Object) {
	if v = nonNull(v); v == nil {
		return o
	}
	if v.Kind() != '{' {
		c.fail(at, "This should be an object.")
		return o
	}
	begin := len(c.members)
	c.members = rawjson.AppendMembers(c.members, v, known, messages.MaxMembers+1)
	o.Members = slices.Clip(c.members[begin:])
	if len(o.Members) > messages.MaxMembers {
		c.failBy(messages.FaultLimit, at, fmt.Sprintf("An object should have at most %d members here.", messages.MaxMembers))
	}
	for _, m := range o.Members {
		if near := rawjson.Misspelt(m.Name, known); near != "" {
			c.failBy(messages.FaultUnknownField, at.member(m.Name), fmt.Sprintf("This field is not supported here; did you mean %q?", near))
		}
	}
	return o
}

// items ranges over the elements of a list, which may be missing, until the first error. More than most elements are an
// error. The yielded path is valid until the next element.
func (c *converter) items(at *memberPath, list jsontext.Value, most int) iter.Seq2[*memberPath, jsontext.Value] {
	return func(yield func(*memberPath, jsontext.Value) bool) {
		if list = nonNull(list); list != nil && list.Kind() != '[' {
			c.fail(at, "This should be a list.")
		}
		begin, element := len(c.members), at.element(0)
		for v := range rawjson.Elements(list) {
			if element.index == most {
				c.failBy(messages.FaultLimit, at, fmt.Sprintf("A list should have at most %d items here.", most))
			}
			if c.err == nil && c.ctx.Err() != nil {
				c.err = context.Cause(c.ctx)
			}
			if c.err != nil || !yield(element, v) {
				return
			}
			c.members = c.members[:begin]
			element.index++
		}
	}
}

// rawString returns a string with its quotes, as in the request; nil if it is missing. A value of another kind is an
// error.
func (c *converter) rawString(at *memberPath, v jsontext.Value) jsontext.Value {
	if v = nonNull(v); v != nil && v.Kind() != '"' {
		c.fail(at, "This should be a string.")
		return nil
	}
	return v
}

// stringValue returns the value of a string; "" if it is missing.
func (c *converter) stringValue(at *memberPath, v jsontext.Value) string {
	if v = c.rawString(at, v); v != nil {
		return rawjson.Unquote(v)
	}
	return ""
}

// nonNull returns v, or nil if it is null.
func nonNull(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return v
}

// union returns the one field of a union that is set. It is an error if none or several are set, or a field that is not
// in kinds.
func (c *converter) union(at *memberPath, o *rawjson.Object, kinds []string) (kind string) {
	set := 0
	var unknown []string
	for _, m := range o.Members {
		switch {
		case nonNull(m.Value) == nil:
		case slices.Contains(kinds, m.Name):
			set++
			kind = m.Name
		default:
			unknown = append(unknown, m.Name)
		}
	}
	if len(unknown) > 0 {
		c.failBy(messages.FaultUnknownField, at.member(withoutDots(slices.Min(unknown))), "This field is not supported here.")
	}
	if set != 1 {
		c.fail(at, fmt.Sprintf("Exactly one member should be set, but %d are.", set))
	}
	return kind
}

// dropRest drops the fields that were not taken out of an object.
func (c *converter) dropRest(at *memberPath, o *rawjson.Object) {
	for _, m := range o.Members {
		if nonNull(m.Value) != nil {
			c.drop(at.member(withoutDots(m.Name)))
		}
	}
}

// withoutDots returns a name that cannot be read as a path, in which dots separate the steps.
func withoutDots(name string) string { return strings.ReplaceAll(name, ".", "_") }

// drop adds a path, without its indexes, to the dropped fields.
func (c *converter) drop(at *memberPath) {
	field := at.field()
	if len(c.dropped) == messages.MaxDropped && !c.dropped[field] {
		c.failBy(messages.FaultLimit, at, fmt.Sprintf("The request has more than %d unknown fields, and this is one of them. Remove them.", messages.MaxDropped))
		return
	}
	c.dropped[field] = true
	if !c.isHint(at) {
		c.refusable = firstOf(c.refusable, at.String())
	}
}

// firstOf returns the name that sorts first; "" means no name.
func firstOf(a, b string) string {
	if a == "" {
		return b
	}
	return min(a, b)
}

// write appends JSON to the body.
func (c *converter) write(json string) {
	c.grow(len(json))
	c.out = append(c.out, json...)
}

// grow makes room for n more bytes. It doubles the capacity: append grows large slices by a quarter, and would copy a
// large body many times.
func (c *converter) grow(n int) {
	if cap(c.out)-len(c.out) < n {
		c.out = append(make([]byte, 0, 2*cap(c.out)+n), c.out...)
	}
}

// writeString writes a text as a JSON string.
func (c *converter) writeString(text string) {
	c.grow(len(text) + 2)
	c.out = rawjson.AppendString(c.out, text)
}

// writeMember writes a field and a comma; nothing if the value is missing.
func (c *converter) writeMember(name string, v jsontext.Value) {
	if v = nonNull(v); v != nil {
		c.grow(len(name) + len(v) + len(`"":,`))
		c.out = append(append(append(c.out, '"'), name...), `":`...)
		c.out = append(append(c.out, v...), ',')
	}
}

// reopen cuts the body before the closing brace at end, so that one more field of that object can be written.
func (c *converter) reopen(end int) {
	if c.out = c.out[:end]; c.out[end-1] != '{' {
		c.out = append(c.out, ',')
	}
}

// close ends a list or an object, and removes the comma after its last element.
func (c *converter) close(closer byte) {
	if last := len(c.out) - 1; c.out[last] == ',' {
		c.out = c.out[:last]
	}
	c.out = append(c.out, closer)
}

// droppedFields returns the dropped fields, sorted.
func (c *converter) droppedFields() []string { return slices.Sorted(maps.Keys(c.dropped)) }
