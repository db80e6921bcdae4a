package messages

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads objects and lists: members that are known, and what becomes of the others.

// openObject begins to read an object. Names that are in known are not copied. It fails if v is no
// object or has too many members. The members' values are not checked yet: when they are, errors can
// name the type of the block that they are in.
func (d *decoder) openObject(at *fieldPath, v jsontext.Value, known []string) (o rawjson.Object, ok bool) {
	return d.openNext(at, rawjson.Read(v), known)
}

// openNext is openObject for what is next in a reader.
func (d *decoder) openNext(at *fieldPath, from *rawjson.Reader, known []string) (o rawjson.Object, ok bool) {
	if !d.object(*at, from.Kind()) {
		return o, false
	}
	begin := len(d.members)
	d.members = from.AppendMembers(d.members, known, MaxMembers+1)
	o.Members = slices.Clip(d.members[begin:])
	return o, d.checkCount(at, &o)
}

// checkCount reports whether an object has not too many members, and fails otherwise. at is nil for
// the request itself.
func (d *decoder) checkCount(at *fieldPath, o *rawjson.Object) bool {
	if len(o.Members) > MaxMembers {
		d.failBy(FaultLimit, at.member(o.Members[MaxMembers].Name), "Object should have at most %d members", MaxMembers)
	}
	return d.err == nil
}

// listItem is an element of a list. It is read once, by openItem or by value.
type listItem struct {
	list, at fieldPath
	from     *rawjson.Reader // of the list; nil once the element is read
}

// openItem is openObject for an element.
func (d *decoder) openItem(e *listItem, known []string) (o rawjson.Object, ok bool) {
	from := e.from
	e.from = nil
	return d.openNext(&e.at, from, known)
}

// value returns the whole element.
func (e *listItem) value() jsontext.Value {
	v, _ := e.from.Next()
	e.from = nil
	return v
}

// elements ranges over the elements of a list, which may be missing, until something fails. It
// fails if there are more than most. An item is only valid until the next one.
func (d *decoder) elements(at fieldPath, list jsontext.Value, most int) iter.Seq[*listItem] {
	return func(yield func(*listItem) bool) {
		if list.Kind() != '[' {
			return
		}
		from, begin := rawjson.Read(list), len(d.members)
		from.Enter()
		e := &listItem{list: at}
		for e.at = e.list.element(0); from.Kind() != 0; e.at.index++ {
			if e.at.index == most {
				d.failBy(FaultLimit, at, "List should have at most %d items", most)
			}
			e.from = from
			if !d.mayContinue() || !yield(e) {
				return
			}
			if e.from != nil {
				e.value()
			}
			d.members = d.members[:begin]
		}
	}
}

// dropRest drops the members of the object at p that were not taken. Those in known are members of
// the API that a text model has no use for; the others are unknown. In strict mode it fails instead,
// unless the member is a hint. p is nil for the request itself.
func (d *decoder) dropRest(p *fieldPath, o *rawjson.Object, known []string) {
	if d.opt.Strict { // of several errors, that of the first name is reported
		// Not by slices, of whose sorting the program would have one more copy, for members alone.
		sort.Slice(o.Members, func(i, j int) bool { return o.Members[i].Name < o.Members[j].Name })
	}
	for _, m := range o.Members {
		switch at := p.member(m.Name); {
		case m.Value == nil:
		case !slices.Contains(known, m.Name):
			// With a dot, the name would read like a path.
			d.dropUnknown(p.member(strings.ReplaceAll(m.Name, ".", "_")), m.Value)
		case m.Value[0] == 'n' || asksNothing(m.Value):
		case d.opt.Strict && !slices.Contains(hints, m.Name):
			d.failBy(FaultUnsupported, at, "Not supported: this model only completes text. Remove the field, or use a model with a tool API.")
		default:
			d.drop(at)
		}
	}
}

// hints are members of the API that change no answer: what it costs, how soon it comes, and whom it is
// counted for. Strict mode, which refuses what would make an answer another one, leaves them out.
var hints = []string{"cache_control", "effort", "metadata", "service_tier", "speed"}

// dropUnknown drops a member that has no place in its object. In strict mode it fails instead.
func (d *decoder) dropUnknown(at fieldPath, v jsontext.Value) {
	switch {
	case v == nil:
	case d.opt.Strict:
		d.failBy(FaultUnknownField, at, extraInputs)
	case v[0] != 'n':
		d.drop(at)
	}
}

// capacity returns how many elements to allocate for a list of objects that have at least shortest
// bytes each, and no more than most. The elements of a long list are counted, as far as they are
// objects: to grow the list later would take its memory several times.
func (d *decoder) capacity(list jsontext.Value, shortest, most int) (n int) {
	const long = 256 << 10
	if len(list) < long {
		return min(2, len(list)/shortest+1)
	}
	most = min(most, len(list)/shortest+1)
	for v := range rawjson.Elements(list) {
		if n == most || v.Kind() != '{' {
			break
		}
		n++
	}
	return n
}
