package messages

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// absent reports whether a member is missing or null.
func absent(v jsontext.Value) bool { return v == nil || v[0] == 'n' }

// MaxMembers is how many members an object may have whose members have a meaning.
// The API knows of some forty.
const MaxMembers = 1000

// open begins to read an object, whose members are in known. Members may be of any
// kind: one of the wrong kind is found when it is read, so that errors name the type
// of the block they are in. It fails if there is
// none, or if the name of a member is known but for the case of its letters.
func (d *decoder) open(at *fieldPath, v jsontext.Value, known []string) (o rawjson.Object, ok bool) {
	if !d.object(*at, v) {
		return o, false
	}
	begin := len(d.members)
	d.members, o.Length = rawjson.AppendMembers(d.members, v, known, MaxMembers+1)
	o.Members = slices.Clip(d.members[begin:])
	return o, d.checkNames(at, &o, known)
}

// checkNames reports whether the names of an object's members may be right. at is
// nil for the request itself.
func (d *decoder) checkNames(at *fieldPath, o *rawjson.Object, known []string) bool {
	if len(o.Members) > MaxMembers {
		d.fail(at.member(o.Members[MaxMembers].Name), "Object should have at most %d members", MaxMembers)
	}
	for _, m := range o.Members {
		if near := rawjson.Misspelt(m.Name, known); near != "" {
			d.fail(at.member(m.Name), `%s; did you mean "%s"?`, extraInputs, near)
		}
	}
	return d.err == nil
}

// listItem is an element of a list.
type listItem struct {
	at     fieldPath
	text   jsontext.Value // begins with the element: an object ends where its members do
	length int            // of the element; 0 while it is not known
}

// openItem is open for an element.
func (d *decoder) openItem(e *listItem, known []string) (o rawjson.Object, ok bool) {
	o, ok = d.open(&e.at, e.text, known)
	e.length = o.Length
	return o, ok
}

// openMessage is openItem for a message. If its role comes before its content, which
// is a list, then the content is not measured, but goes on to the end of the text, and
// closeMessage has to read what follows it: so the largest part of a request is walked
// over once less.
func (d *decoder) openMessage(e *listItem) (o rawjson.Object, ok bool) {
	if !d.object(e.at, e.text) {
		return o, false
	}
	begin := len(d.members)
	members, n, stopped := rawjson.AppendMembersTo("content", d.members, e.text, 1, messageMembers, MaxMembers+1)
	o.Members = slices.Clip(members[begin:])
	if stopped && o.Member("role") == nil {
		return d.openItem(e, messageMembers)
	}
	d.members = members
	if !stopped {
		e.length = n
	}
	return o, d.checkNames(&e.at, &o, messageMembers)
}

// closeMessage reads the members behind the content, if they are not yet read.
func (d *decoder) closeMessage(e *listItem, o *rawjson.Object) {
	if e.length > 0 || d.err != nil {
		return
	}
	end := len(e.text) - len(d.rest) + len("]")
	o.Members, e.length, _ = rawjson.AppendMembersTo("", o.Members, e.text, end, messageMembers, MaxMembers+1)
	d.checkNames(&e.at, o, messageMembers)
}

// value returns the whole element.
func (e *listItem) value() jsontext.Value {
	if e.length == 0 {
		e.length = rawjson.Len(e.text)
	}
	return e.text[:e.length:e.length]
}

// elements ranges over the elements of a list that may be missing, until something
// fails, of which the list having more than most is one. An element is only there
// until the next one.
func (d *decoder) elements(at fieldPath, list jsontext.Value, most int) iter.Seq[*listItem] {
	return func(yield func(*listItem) bool) {
		if list.Kind() != '[' {
			return
		}
		begin := len(d.members)
		e := listItem{at: at.element(0)}
		rest, ok := rawjson.Next(list, 1)
		for ok {
			if e.at.index == most {
				d.fail(at, "List should have at most %d items", most)
			}
			e.text, e.length = rest, 0
			if !d.goesOn() || !yield(&e) {
				return
			}
			rest, ok = rawjson.Next(rest, len(e.value()))
			d.members = d.members[:begin]
			e.at.index++
		}
		d.rest = rest
	}
}

// goesOn reports whether there is still something to do: nothing has failed, and
// the client is there.
func (d *decoder) goesOn() bool {
	if d.err == nil && d.ctx.Err() != nil {
		d.err = context.Cause(d.ctx)
	}
	return d.err == nil
}

// leave passes over the members of the object at p that do not come into the
// Request: those in known are of the API, the others are not. p is nil for the
// request itself.
func (d *decoder) leave(p *fieldPath, o *rawjson.Object, known []string) {
	if d.opt.Strict { // the first of several errors is that of the first name
		slices.SortFunc(o.Members, func(a, b rawjson.Member) int { return cmp.Compare(a.Name, b.Name) })
	}
	for _, m := range o.Members {
		switch at := p.member(m.Name); {
		case m.Value == nil:
		case !slices.Contains(known, m.Name):
			// A dot in it would make it read like a path of the API's.
			d.leaveUnknown(p.member(strings.ReplaceAll(m.Name, ".", "_")), m.Value)
		case m.Value[0] == 'n' || asksNothing(m.Value):
		case d.opt.Strict:
			d.fail(at, "Not supported: this model only completes text. Remove the field, or use a model with a tool API.")
		default:
			d.drop(at)
		}
	}
}

// leaveUnknown passes over a member that has no place in its object.
func (d *decoder) leaveUnknown(at fieldPath, v jsontext.Value) {
	switch {
	case v == nil:
	case d.opt.Strict:
		d.fail(at, extraInputs)
	case v[0] != 'n':
		d.drop(at)
	}
}

// MaxDropped is how many fields of a request may be left out. Some are named by the
// client.
const MaxDropped = 200

// drop takes down what is left out.
func (d *decoder) drop(at fieldPath) {
	if d.dropped == nil {
		d.dropped = make(map[string]bool)
	}
	if d.scratch = at.append(d.scratch[:0], false); len(d.scratch) > longestShown {
		d.scratch = append(d.scratch[:0], clip(string(d.scratch))...)
	}
	if d.dropped[string(d.scratch)] {
		return
	}
	if len(d.dropped) == MaxDropped {
		d.fail(at, "This is one of more than %d fields that are not known here. Remove them.", MaxDropped)
		return
	}
	d.dropped[string(d.scratch)] = true
}
