package messages

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// open begins to read an object, whose members are in known. Members may be of any
// kind: one of the wrong kind is found when it is read, so that errors name the type
// of the block they are in. It fails if there is
// none, or if the name of a member is known but for the case of its letters.
func (d *decoder) openObject(at *fieldPath, v jsontext.Value, known []string) (o rawjson.Object, ok bool) {
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
	o, ok = d.openObject(&e.at, e.text, known)
	e.length = o.Length
	return o, ok
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
			if !d.mayContinue() || !yield(&e) {
				return
			}
			rest, ok = rawjson.Next(rest, len(e.value()))
			d.members = d.members[:begin]
			e.at.index++
		}
		d.afterList = rest
	}
}

// leave passes over the members of the object at p that do not come into the
// Request: those in known are of the API, the others are not. p is nil for the
// request itself.
func (d *decoder) dropRest(p *fieldPath, o *rawjson.Object, known []string) {
	if d.opt.Strict { // the first of several errors is that of the first name
		slices.SortFunc(o.Members, func(a, b rawjson.Member) int { return cmp.Compare(a.Name, b.Name) })
	}
	for _, m := range o.Members {
		switch at := p.member(m.Name); {
		case m.Value == nil:
		case !slices.Contains(known, m.Name):
			// A dot in it would make it read like a path of the API's.
			d.dropUnknown(p.member(strings.ReplaceAll(m.Name, ".", "_")), m.Value)
		case m.Value[0] == 'n' || asksNothing(m.Value):
		case d.opt.Strict:
			d.fail(at, "Not supported: this model only completes text. Remove the field, or use a model with a tool API.")
		default:
			d.drop(at)
		}
	}
}

// leaveUnknown passes over a member that has no place in its object.
func (d *decoder) dropUnknown(at fieldPath, v jsontext.Value) {
	switch {
	case v == nil:
	case d.opt.Strict:
		d.fail(at, extraInputs)
	case v[0] != 'n':
		d.drop(at)
	}
}

// room is how many elements to have room for in a list of objects of so many bytes
// at least. A long list is counted first, as far as its elements are objects: one
// that grows has its elements in memory twice.
func capacity(list jsontext.Value, shortest, most int) (n int) {
	const long = 256 << 10
	if len(list) < long {
		return min(2, len(list)/shortest+1)
	}
	most = min(most, len(list)/shortest+1)
	for v := range rawjson.Elements(list) {
		if n == most || v[0] != '{' {
			break
		}
		n++
	}
	return n
}
