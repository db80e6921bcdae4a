package messages

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads objects and lists.

// openObject starts reading an object. It fails if v is not an object or has too many members.
// Names that are in known are not copied. The values are checked later, so that errors can name the
// type of the block.
func (d *decoder) openObject(at *fieldPath, v jsontext.Value, known []string) (o rawjson.Object, ok bool) {
	return d.openNext(at, rawjson.Read(v), known)
}

// openNext does what openObject does, for the next value of a reader.
func (d *decoder) openNext(at *fieldPath, from *rawjson.Reader, known []string) (o rawjson.Object, ok bool) {
	if !d.object(*at, from.Kind()) {
		return o, false
	}
	begin := len(d.members)
	d.members = from.AppendMembers(d.members, known, MaxMembers+1)
	o.Members = slices.Clip(d.members[begin:])
	return o, d.checkCount(at, &o)
}

// checkCount fails and returns false if an object has too many members. For the request itself, at
// is nil.
func (d *decoder) checkCount(at *fieldPath, o *rawjson.Object) bool {
	if len(o.Members) > MaxMembers {
		d.failBy(FaultLimit, at.member(o.Members[MaxMembers].Name), "Object should have at most %d members", MaxMembers)
	}
	return d.err == nil
}

// listItem is an element of a list. Read it once, with openItem or value.
type listItem struct {
	list, at fieldPath
	from     *rawjson.Reader // of the list; nil after the element is read
}

// openItem does what openObject does, for a list element.
func (d *decoder) openItem(e *listItem, known []string) (o rawjson.Object, ok bool) {
	from := e.from
	e.from = nil
	return d.openNext(&e.at, from, known)
}

// value returns the element as JSON.
func (e *listItem) value() jsontext.Value {
	v, _ := e.from.Next()
	e.from = nil
	return v
}

// elements yields the elements of a list until something fails. The list may be missing. elements
// fails if the list has more than most elements. An item is only valid until the next one.
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

// capacity returns how many elements to allocate for a list. Each element is an object of at least
// shortest bytes. The result is at most most. For a long list, capacity counts the objects at its
// start, because growing the list later takes several times its memory.
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
