package bedrock

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// converter writes one request, while it reads it. The first failure stays; what is
// written after it is not used. Members that are null are not there.
type converter struct {
	ctx        context.Context // of the work for the client, which may leave
	out        []byte
	err        error
	dropped    map[string]bool
	gaps       gaps
	members    []rawjson.Member // of the objects being read
	blockCount int              // so far

	lengthOpen bool // it is not said how long the answer may be

	quote jsontext.Value // scratch
}

// fail keeps the first failure.
func (c *converter) fail(at *place, message string) {
	if c.err == nil {
		c.err = &translate.InvalidRequestError{Path: at.String(), Message: message}
	}
}

// open begins to read an object, which may be missing. It fails if there is a value
// of another kind, or if the name of a member is one in known but for the case of
// its letters.
func (c *converter) object(at *place, v jsontext.Value, known []string) (o rawjson.Object) {
	if v = nonNull(v); v == nil {
		return o
	}
	if v.Kind() != '{' {
		c.fail(at, "This should be an object.")
		return o
	}
	begin := len(c.members)
	c.members, o.Length = rawjson.AppendMembers(c.members, v, known, translate.MaxMembers+1)
	o.Members = slices.Clip(c.members[begin:])
	if len(o.Members) > translate.MaxMembers {
		c.fail(at, fmt.Sprintf("An object should have at most %d members here.", translate.MaxMembers))
	}
	for _, m := range o.Members {
		if near := rawjson.Misspelt(m.Name, known); near != "" {
			c.fail(at.member(m.Name), fmt.Sprintf("This cannot be expressed here; did you mean %q?", near))
		}
	}
	return o
}

// items ranges over the elements of a list that may be missing, until something
// fails, of which the list having more than most is one. The place of an element is
// only there until the next one.
func (c *converter) items(at *place, list jsontext.Value, most int) iter.Seq2[*place, jsontext.Value] {
	return func(yield func(*place, jsontext.Value) bool) {
		if list = nonNull(list); list != nil && list.Kind() != '[' {
			c.fail(at, "This should be a list.")
		}
		begin, element := len(c.members), at.element(0)
		for v := range rawjson.Elements(list) {
			if element.index == most {
				c.fail(at, fmt.Sprintf("A list should have at most %d items here.", most))
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

// text returns a string as it is, or nil if there is none. It fails if there is a
// value of another kind.
func (c *converter) rawString(at *place, v jsontext.Value) jsontext.Value {
	if v = nonNull(v); v != nil && v.Kind() != '"' {
		c.fail(at, "This should be a string.")
		return nil
	}
	return v
}

// word returns what a string says; "" if there is none.
func (c *converter) stringValue(at *place, v jsontext.Value) string {
	if v = c.rawString(at, v); v != nil {
		return rawjson.Text(v)
	}
	return ""
}

// given returns v, or nil if it is null.
func nonNull(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return v
}

// union returns the one member of a union that is set. It fails if there is none or
// more of them, or one that is not of kinds.
func (c *converter) union(at *place, o *rawjson.Object, kinds []string) (kind string) {
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
		c.fail(at.member(withoutDots(slices.Min(unknown))), "This cannot be expressed here.")
	}
	if set != 1 {
		c.fail(at, fmt.Sprintf("One member should be set, and %d are.", set))
	}
	return kind
}

// leave passes over members that have no place in what is written.
func (c *converter) dropRest(at *place, o *rawjson.Object) {
	for _, m := range o.Members {
		if nonNull(m.Value) != nil {
			c.drop(at.member(withoutDots(m.Name)))
		}
	}
}

// dotless is a name without dots, which would make it read like a place.
func withoutDots(name string) string { return strings.ReplaceAll(name, ".", "_") }

// drop names what is left out: a place without its indexes.
func (c *converter) drop(at *place) {
	field := at.field()
	if len(c.dropped) == translate.MaxDropped && !c.dropped[field] {
		c.fail(at, fmt.Sprintf("This is one of more than %d fields that are not known here. Remove them.", translate.MaxDropped))
		return
	}
	c.dropped[field] = true
}

// write appends to what is written.
func (c *converter) write(json string) {
	c.grow(len(json))
	c.out = append(c.out, json...)
}

// grow makes room for so many bytes. It doubles what there is, so that little is
// written more than once.
func (c *converter) grow(n int) {
	if cap(c.out)-len(c.out) < n {
		c.out = append(make([]byte, 0, 2*cap(c.out)+n), c.out...)
	}
}

// member writes a member, if there is one, and a comma.
func (c *converter) writeMember(name string, v jsontext.Value) {
	if v = nonNull(v); v != nil {
		c.grow(len(name) + len(v) + len(`"":,`))
		c.out = append(append(append(c.out, '"'), name...), `":`...)
		c.out = append(append(c.out, v...), ',')
	}
}

// reopen makes room for one more member in an object that is closed at end.
func (c *converter) reopen(end int) {
	if c.out = c.out[:end]; c.out[end-1] != '{' {
		c.out = append(c.out, ',')
	}
}

// close ends a list whose every element has a comma after it, or an object.
func (c *converter) close(closer byte) {
	if last := len(c.out) - 1; c.out[last] == ',' {
		c.out = c.out[:last]
	}
	c.out = append(c.out, closer)
}

// left returns what is left out, sorted.
func (c *converter) droppedFields() []string { return slices.Sorted(maps.Keys(c.dropped)) }
