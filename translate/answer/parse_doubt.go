package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"math"
	"slices"
)

// Where it is doubtful which tag ends a value, what follows settles it. From the doubtful tag on the
// text is held, all ways to read it are followed (reading.go), and the one with the least mistakes is
// taken as soon as it is certain:
//
//	<a>1 <b>2</b> x</a>          b is text of a: its end is followed by no parameter
//	<a>1 <b>2</b> </parameters>  b is a parameter: a has no closing tag, and b has one
//	<a>1</b> <b>2</a>            b and a are parameters whose closing tags are swapped
//	<a>1</a> and <b>2</b>        what stands between the parameters a and b is dropped …
//	<a>1</a> and <b>2</b> x</a>  … but here it is text of a
//
// If two readings are as good, or if too much would have to be held, the call is broken off
// (closeDoubtful): to guess would be to change what the model asked for.

// Bounds on what is held while it is doubtful where a value ends. Beyond them the text is that of the
// value, which then has to end at its closing tag, or is doubtful.
const (
	MaxDoubt     = 64 << 10 // bytes
	maxDoubtTags = 4096
	maxReadings  = 24
)

// beginDoubt begins to hold text, from the tag that is next. In the first reading that tag is text
// of the value that is open.
func (p *parser) beginDoubt() state {
	d := &p.doubt
	*d = doubt{readings: d.readings[:0], next: d.next[:0], from: p.in.offset(), edge: p.value.edge, dropped: math.MaxInt}
	v := p.value.text
	v.empty = v.from == d.from
	v.from, v.first = d.from, true
	d.readings = append(d.readings, reading{place: inside, cost: p.value.cost, value: v})
	return inDoubt
}

// readDoubt is the state inDoubt: text of a value has been read, up to a doubtful tag. It follows the
// tags from there up to the one that settles where the value ends, or that it goes on (inValue). It
// reads nothing. If that cannot be settled, the call is broken off.
func (p *parser) readDoubt() state {
	d := &p.doubt
	rest := p.in.rest()
	held := rest[:min(len(rest), MaxDoubt)]
	eof := p.in.eof && len(held) == len(rest)
	for d.scanned < len(held) {
		n, v := d.nextTag(p.call.spelling, held, eof)
		switch {
		case v == markup.NeedMore, v == markup.Match && d.scanned+n == len(held) && !eof && held[d.scanned+1] != '/': // what stands behind an opening tag counts, too
		case v == markup.NoMatch:
			continue
		case d.tags == maxDoubtTags:
			return p.settleAsText(true)
		default:
			d.follow(p, held, n)
			if next := p.settle(); next != wait {
				return next
			}
			continue
		}
		break
	}
	switch {
	case len(held) == MaxDoubt:
		return p.settleAsText(true)
	case p.in.eof:
		return p.settleAtEOF()
	}
	return wait
}

// settle returns the next state if the tag that was followed last has settled where the value ends,
// else wait. It has if one reading is left, and that is after a value, or in the first one; if the
// best reading is at the end of the call, and not within one that the value may hold; and if it has
// ended the first value as it should be.
func (p *parser) settle() state {
	d := &p.doubt
	best := d.best()
	switch {
	case best.place == ended && d.mayHold(&best):
	case best.place == ended && !best.tied:
		return p.settleAs(&best)
	case best.place == ended && !slices.ContainsFunc(d.readings, func(r reading) bool { return r.place != ended }):
		return p.settleDoubtful()
	case best.tied:
	case best.place == inside && best.value.first && len(d.readings) == 1:
		return p.settleAsText(false)
	case best.place != inside && len(d.readings) == 1, best.place == inside && best.endsFirstValue():
		return p.settleAs(&best)
	}
	return wait
}

// settleAs returns inValue, with the ends that the values have in the reading.
func (p *parser) settleAs(r *reading) state {
	p.call.ends = append(p.call.ends[:0], r.inOrder()...)
	if ends := p.call.ends; len(ends) > 0 && ends[0].len == 0 && p.isNamedLikeOurs() { // its closing tag may have been taken for one of the call
		return p.settleDoubtful()
	}
	for i, e := range p.call.ends {
		missing := e.len == 0
		switch last := i == len(p.call.ends)-1; {
		case e.lost:
			return p.settleDoubtful()
		case e.ours && (missing || r.abrupt || r.wrapped): // where a tag of the call is missing, it may be that
			return p.settleDoubtful()
		case missing && last && r.abrupt && e.structure: // </parameters> may be what is taken for text
			return p.settleDoubtful()
		}
	}
	return inValue
}

// settleAsText returns inValue, with what has been followed as text of the first value. unsure says
// that this is not certain.
func (p *parser) settleAsText(unsure bool) state {
	d := &p.doubt
	p.value.unsure = unsure
	if r := d.firstGoesOn(); r != nil {
		v := &r.value
		if isTyped(v.schema) {
			v.json.advance(d.since(v, p.in.rest()))
			v.jsonTo = d.from + d.scanned
		}
		p.value.text, p.value.cost = *v, r.cost
		p.value.unsure = unsure || len(v.tags) == format.MaxOpenTags
	}
	p.call.ends = append(p.call.ends[:0], valueEnd{at: d.from + max(d.scanned, 1), len: -1})
	return inValue
}

// settleDoubtful breaks the call off.
func (p *parser) settleDoubtful() state {
	p.value.open = false
	p.value.held = nil
	return p.closeDoubtful()
}

// settleAtEOF settles on the best reading at the end of the text. If the upstream has cut the text,
// a value may well be open, and what was cut off may speak for any of several readings: so the call has
// not come to its end, whatever they say.
func (p *parser) settleAtEOF() state {
	d := &p.doubt
	for i := range d.readings {
		switch r := &d.readings[i]; {
		case p.cutShort:
		case r.place == inside:
			r.cost += costStrayCloser
		case r.place == between || r.place == after:
			r.cost += costMissingCloser
		}
	}
	best := d.best()
	switch {
	case best.tied:
		return p.settleDoubtful()
	case best.place == inside && best.value.first:
		return p.settleAsText(false)
	case p.cutShort && len(d.readings) > 1 && best.place >= ending:
		return p.settleDoubtful()
	}
	d.cut = p.cutShort
	return p.settleAs(&best)
}
