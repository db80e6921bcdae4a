package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"slices"
)

// The text that is held while it is doubtful where a value ends, and the readings of it. parse_doubt.go
// settles on one of them.

// doubt follows the readings of the text from a doubtful tag on.
type doubt struct {
	readings []reading // in no order
	next     []reading // what they become with the tag that is being followed
	from     int       // where the doubtful tag stands in all that was fed
	scanned  int       // how many bytes have been followed since
	tagAt    int       // where the last tag stands, in bytes since
	tagEnd   int       // where it ends
	opened   bool      // the last tag was the opening tag of an element
	tags     int       // how many tags have been followed
	gap      gap       // what stands after the last tag, as far as it has been followed
	edge     edge      // of the text up to the last tag, with that
	dropped  int       // what the cheapest reading costs that was dropped for want of room
	cut      bool      // it was settled where the text was cut, so that the call is not whole
	looked   int       // how far the end of a CDATA section has been looked for: see matchOpaque
}

// nextTag follows text up to the next tag, and returns its length. The verdict is NoMatch if there is
// no tag after all, but text was followed.
func (d *doubt) nextTag(g *markup.Spelling, held []byte, eof bool) (n int, v markup.Verdict) {
	rest := held[d.scanned:]
	i := bytes.IndexByte(rest, '<')
	if i < 0 {
		i = len(rest)
	}
	if i > 0 {
		d.gap.note(rest[:i])
		d.scanned += i
		return 0, markup.NoMatch
	}
	if d.gap < gapText {
		if n, v = matchOpaque(rest, d.opened, d.looked, eof); v != markup.NoMatch {
			d.looked = 0
			if v == markup.NeedMore {
				d.looked = n
			}
			return n, v
		}
	}
	t, v := g.MatchTag(rest, eof)
	if v == markup.Match && !t.Is("parameter") && bytes.IndexByte(t.Attributes, '<') >= 0 {
		v = markup.NoMatch // the quotes in it are those of the text
	}
	if v == markup.NoMatch {
		d.gap = max(d.gap, gapText)
		d.scanned++
	}
	return t.Len, v
}

// follow follows the tag that stands at d.scanned in the held text, of n bytes, in all readings.
func (d *doubt) follow(p *parser, held []byte, n int) {
	t := p.valueTagAt(held[d.scanned:], n, d.scanned)
	t.gap, t.after = d.gap, d.from+d.tagEnd
	t.edge = edgeOf(d.edge, held[d.tagEnd:d.scanned])
	if d.edge = edgeOf(t.edge, held[d.scanned:d.scanned+n]); d.scanned+n < len(held) {
		t.behind = held[d.scanned+n]
	}
	d.next = d.next[:0]
	shape := p.callShape()
	for i := range d.readings {
		r := d.readings[i]
		switch r.place {
		case inside:
			d.complete(p, &r.value, held)
			r.stepInside(&t, &shape, d.add)
		case ending:
			r.stepEnding(&t, &shape)
		case ended:
			r.stepEnded(&t)
		default:
			r.stepBetween(&t, &shape)
		}
		d.add(r)
	}
	d.drop()
	d.tags++
	best := d.best()
	d.tagAt, d.opened = d.scanned, t.kind <= opensParameter && !(best.place == inside && best.value.json.inString)
	d.scanned += n
	d.tagEnd, d.gap = d.scanned, gapNone
}

// callShape returns the shape of the call that is being read.
func (p *parser) callShape() callShape {
	call := &p.call
	return callShape{
		lines: p.value.layout.lines, padded: p.value.layout.padded,
		wrapperOpen: call.wrapperOpen, alone: call.spelling != nil && !call.spelling.HasWrapper(), parametersOpen: call.parametersOpen, attributeForm: call.attributeForm,
		closedTwice: call.spelling != nil && call.spelling.ClosedTwice,
		anyName:     len(call.schema.Properties) == 0,
	}
}

// complete notes in a value whether its text is whole before the next tag.
func (d *doubt) complete(p *parser, v *openValue, held []byte) {
	if !isTyped(v.schema) {
		return
	}
	v.json.advance(d.since(v, held))
	if v.json.isJSON {
		v.complete = v.json.isWhole()
		return
	}
	before, text := p.value.held, held[max(v.from-d.from, 0):d.scanned]
	if !v.first {
		before = nil
	}
	v.complete = v.typed() && len(before)+len(text) <= maxWhole &&
		format.FitsText(v.schema, string(before)+markup.Unescape(string(text), p.escaped, markup.ParamTag(v.property)))
}

// maxWhole bounds the text of a value that is tried by its type, in bytes, with its escapes. It bounds the members of an
// enum that are found so, too.
const maxWhole = 256

// since returns the text of a value that has been followed since the last tag, with that.
func (d *doubt) since(v *openValue, held []byte) []byte {
	return held[max(d.tagAt, v.from-d.from, v.itemFrom-d.from):d.scanned]
}

// add adds a reading to those that go on after the tag. Of two that go on alike, the one that costs
// less is kept.
func (d *doubt) add(r reading) {
	for i := range d.next {
		other := &d.next[i]
		if other.place != r.place || r.place == inside && (other.value.from != r.value.from || other.value.json.isJSON != r.value.json.isJSON) {
			continue
		}
		switch {
		case r.cost < other.cost:
			*other = r
		case r.cost == other.cost:
			other.tied = true
		}
		return
	}
	d.next = append(d.next, r)
}

// drop drops the readings that are hopeless.
func (d *doubt) drop() {
	d.readings, d.next = d.next, d.readings
	least := d.best().cost
	d.readings = slices.DeleteFunc(d.readings, func(r reading) bool {
		most := least + costHopeless
		if r.place == inside && r.value.first {
			most += costHopeless
		}
		if r.place == inside && r.value.item { // the next tag may take that back
			most += costOwn + r.value.itemCost
		}
		hopeless := (r.place < ending || r.ranOn) && r.cost >= most
		if hopeless && r.place == inside && r.value.structure { // what speaks against the others may come late
			d.dropped = min(d.dropped, r.cost+costLate)
		}
		return hopeless
	})
	for len(d.readings) > maxReadings {
		worst := 0
		for i := range d.readings {
			if d.readings[i].cost >= d.readings[worst].cost {
				worst = i
			}
		}
		d.dropped = min(d.dropped, d.readings[worst].cost)
		d.readings = slices.Delete(d.readings, worst, worst+1)
	}
}

// best returns the reading that costs least. If several do, it is tied.
func (d *doubt) best() reading {
	best := d.readings[0]
	for _, r := range d.readings[1:] {
		switch {
		case r.cost < best.cost:
			best = r
		case r.cost == best.cost:
			best.tied = true
		}
	}
	best.tied = best.tied || best.cost >= d.dropped
	return best
}

// firstGoesOn returns the best reading in which the first value has not ended, nil if there is none.
func (d *doubt) firstGoesOn() (best *reading) {
	for i := range d.readings {
		if r := &d.readings[i]; r.place == inside && r.value.first && (best == nil || r.cost < best.cost) {
			best = r
		}
	}
	return best
}

// mayHold reports whether the first value may hold all the calls that have ended since: one reading is
// still in it, and costs less than best as soon as the elements are closed that are open in the value. A
// value in an element of its own name may as well be one that was not closed, before the next call.
func (d *doubt) mayHold(best *reading) bool {
	return slices.ContainsFunc(d.readings, func(r reading) bool {
		return r.place == inside && r.value.first && !r.value.element && r.cost-r.value.tags.Cost() < best.cost
	})
}
