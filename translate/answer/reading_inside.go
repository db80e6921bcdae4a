package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"slices"
)

// How a reading goes on in a value: at each tag, the value may end, or the tag is text of it.

// stepInside follows t, which stands in the value of the reading, as text of the value. The readings
// in which it ends the value are passed to add, unless that is nil: nobody asks for them.
func (r *reading) stepInside(t *valueTag, c *callShape, add func(reading)) {
	v := &r.value
	if t.empty {
		return
	}
	if t.maybe && string(t.name) != v.closer {
		v.noteMaybe(t)
	}
	again := v.item && t.gap != gapText
	switch {
	case v.item && v.stepItem(r, t):
		return
	case v.json.inString:
		v.stepInString(r, t, add)
		return
	case t.closes(v.closer):
		v.endBeforeEnd(r, t, c, add)
		v.stepOwnCloser(r, t, again && c.closedTwice, add)
	case t.isCloser():
		v.stepCloser(r, t, c, add)
	case t.kind == opensParameter, v.isOwnOpener(t):
		v.stepOpener(r, t, c, add)
	case t.kind == opensStructure:
		v.structure = true
		v.push(r, t, v.costOnce(t, costStructure))
	case t.kind == opensOther && v.hasEnded() && t.bare:
		if add != nil {
			next := r.endingBefore(t)
			next.begin(t)
			add(next)
		}
	case len(t.name) > 0:
		v.seen.Add(t.name[0])
	}
	if v.hasEnded() && t.kind <= closesCall {
		r.cost += costMisfit
	}
}

// stepItem follows the tag after one that may end an element of a list: see openValue.item. It reports
// whether t opens the next element, so that there was one.
func (v *openValue) stepItem(r *reading, t *valueTag) bool {
	v.item = false
	if t.kind > opensParameter || t.property != v.property || t.gap == gapText {
		return false
	}
	r.cost -= costOwn + v.itemCost
	v.passed = false
	v.crossed = v.crossed || !v.element && v.schema.ArraySchema() == nil
	v.itemFrom, v.json = t.at+t.len, jsonText{}
	return true
}

// stepInString follows a tag that stands in a string of JSON. It is text of that, unless what looked
// like JSON is none: then the value may end, or it is a list with an element that ends.
func (v *openValue) stepInString(r *reading, t *valueTag, add func(reading)) {
	if !t.closes(v.closer) || add == nil {
		return
	}
	add(r.endingAt(t, "", costMisfit))
	if v.schema.ArraySchema() != nil {
		list := *r
		list.value.tags = slices.Clone(v.tags)
		list.value.json = jsonText{begun: true}
		list.value.item, list.value.passed = true, true
		list.cost += costOwn
		add(list)
	}
}

// isOwnOpener reports whether t opens an element of the name that closes the value.
func (v *openValue) isOwnOpener(t *valueTag) bool {
	return t.nameless && !v.element || t.kind == opensOther && v.element && string(t.name) == v.closer
}

// misfit returns what it costs that the value ends here: something, if its text is not of its type.
func (v *openValue) misfit() int {
	if v.typed() && !v.complete {
		return costMisfit
	}
	return 0
}

// isDoubtful reports whether the value may be more than one, with parameters that are not declared.
// unclosed says that it has no closing tag, or a wrong one behind its own.
func (v *openValue) isDoubtful(unclosed bool) bool {
	return v.crossed || unclosed && v.maybe
}

// holdsMarkup reports whether the value holds elements that may be parameters, whole ones or halves: if it is
// not of its type, it is doubtful.
func (v *openValue) holdsMarkup() bool { return v.whole > 0 || v.passed || len(v.tags) > 0 }

// noteMaybe records a tag that may be that of a parameter which the tool takes although it does not
// declare it.
func (v *openValue) noteMaybe(t *valueTag) {
	if v.passed && t.kind == closesOther && v.seen.Has(t.name[0]) {
		v.wholeAfter++
	}
	switch {
	case t.kind == closesOther && !v.seen.Has(t.name[0]) && !v.tags.Has(string(t.name)):
		v.unopened.Add(t.name[0])
	case t.kind == opensOther && t.bare && v.unopened.Has(t.name[0]):
		v.crossed = true
	case t.kind == opensOther:
		v.maybe = true
	}
}

// typed reports whether the type of the value tells where its text is whole: it is JSON so far, or
// its schema allows nothing but numbers, booleans and null, or a list of values.
func (v *openValue) typed() bool { return v.json.isJSON || v.schema.IsScalar() || v.schema.IsEnum() }

// hasEnded reports whether the value has ended before t: its text is whole, and not empty.
func (v *openValue) hasEnded() bool { return v.complete && v.json.begun }

// stepOwnCloser follows the closing tag of the value's own name. again says that it stands right after
// another, so that it is doubtful whether the model wrote one too many.
func (v *openValue) stepOwnCloser(r *reading, t *valueTag, again bool, add func(reading)) {
	if add != nil {
		end := r.endingAt(t, "", v.misfit()+r.notClosed()+costWhole*v.wholeAfter)
		end.ends.ours = t.kind != closesOther
		end.ends.own = v.misfit() == 0 && !v.tags.Has(v.closer)
		end.ends.doubtful = end.ends.doubtful || again && !v.tags.Has(v.closer)
		add(end)
	}
	if cost, ok := v.tags.Close(t.name); ok {
		r.cost -= cost
		v.noteWhole(cost)
		v.ownWhole = true
		return
	}
	r.cost += costOwn
	v.tags.KeepCosts()
	v.item, v.passed, v.itemCost = true, true, 0
	if v.hasEnded() {
		v.itemCost = costMisfit
	}
}

// noteWhole records an element that is closed, which had cost so much until then.
func (v *openValue) noteWhole(cost int) {
	if cost == costOpened {
		v.whole++
		if v.passed {
			v.wholeAfter++
		}
	}
}

// endBeforeEnd passes the reading to add in which the value, without a closing tag, ends before t, which
// ends the parameters or the call.
func (v *openValue) endBeforeEnd(r *reading, t *valueTag, c *callShape, add func(reading)) {
	if add == nil || t.kind != closesCall && (t.kind != closesParameters || !c.parametersOpen) {
		return
	}
	end := r.endingBefore(t)
	end.place = after
	if t.kind == closesCall {
		end.endCall(t, c)
		end.abrupt = c.parametersOpen
		end.cost += costMissingEnd
		if end.wrapped { // with nothing closed, the value may be cut
			end.ends.doubtful = true
			end.cost += costNextCall
		}
	}
	add(end)
}

// stepCloser follows another closing tag.
func (v *openValue) stepCloser(r *reading, t *valueTag, c *callShape, add func(reading)) {
	v.endBeforeEnd(r, t, c, add)
	if cost, ok := v.tags.Close(t.name); ok {
		r.cost -= cost
		v.noteWhole(cost)
		return
	}
	if t.kind != closesOther && (!t.declared || !v.element) {
		if t.declared && add != nil {
			add(r.endingAt(t, "wrong_closer", costWrongCloser+v.misfit()+r.notClosed()+costWhole*v.whole))
		}
		if v.holdsEnd {
			r.cost += costUnknown
		} else {
			r.cost += costEndInValue
		}
		v.structure = true
		if t.kind == closesCall {
			v.holdsEnd, v.endAt = true, t.at+t.len
		}
		return
	}
	opened := len(t.name) > 0 && v.seen.Has(t.name[0])
	if add != nil && (!opened || t.declared || string(t.name) == "parameter") {
		end := r.endingAt(t, "wrong_closer", costWrongCloser+v.misfit()+r.notClosed()+costWhole*v.whole)
		end.ends.doubtful = end.ends.doubtful || t.declared && v.whole > 0 // or that is its second closing tag, and the first was text
		add(end)
	}
	switch {
	case t.declared && v.element:
		r.cost += costUnopened
	case !opened:
		r.cost += costUnknown
	}
}

// stepOpener follows the opening tag of a parameter.
func (v *openValue) stepOpener(r *reading, t *valueTag, c *callShape, add func(reading)) {
	own := t.property == v.property || t.nameless && !v.element
	v.structure = v.structure || t.structure
	stands := r.stanceOf(t, c)
	switch {
	case !own && v.element != (string(t.name) != "parameter") && !(v.element && t.declared):
		if len(t.name) > 0 {
			v.seen.Add(t.name[0])
		}
		return
	case !t.bare, add == nil, stands == isQuoted:
	case own:
		add(r.endingAtOpener(t, costWrongCloser))
	case !own:
		next := r.endingBefore(t)
		next.ends.doubtful = next.ends.doubtful || stands == isEither
		next.begin(t)
		add(next)
		add(r.endingAtOpener(t, costWrongOpener))
	}
	cost := costOpened
	switch {
	case !t.bare && v.element, stands == isQuoted:
		cost = costAttributes
	case own:
		cost = costOwn
	}
	v.push(r, t, v.costOnce(t, cost))
}

// costOnce returns cost, but 0 if an element of that name is open: there is markup whose elements are
// not closed, as in <p>one<p>two. All parameters of the attribute form have one name.
func (v *openValue) costOnce(t *valueTag, cost int) int {
	if !t.closedAs(parameterName) && v.tags.Has(string(t.name)) {
		return 0
	}
	return cost
}

// push records an element that is opened in the value. It costs the reading until it is closed.
func (v *openValue) push(r *reading, t *valueTag, cost int) {
	if len(v.tags) < format.MaxOpenTags {
		v.tags.Open(t.name, cost)
		r.cost += cost
	}
}

// notClosed returns what it costs that elements of other parameters are open where the value ends.
func (r *reading) notClosed() (cost int) {
	for _, t := range r.value.tags {
		if t.Cost == costOpened {
			cost += costNotClosed
		}
	}
	return cost
}

// endingAt returns the reading in which t is the closing tag of the value.
func (r *reading) endingAt(t *valueTag, reason string, cost int) reading {
	cost += r.cost
	if v := &r.value; v.fenced && !t.edge.fenced {
		cost += costFenced
	}
	return reading{
		place: between, cost: cost, tied: r.tied, begun: r.begun,
		ends: &valueEnd{from: r.value.from, at: t.at, len: t.len, reason: reason, cost: cost, doubtful: r.value.isDoubtful(reason != "" && r.value.passed), markup: r.value.holdsMarkup(), structure: r.value.structure, before: r.ends},
	}
}

// endingAtOpener returns the reading in which t, an opening tag, stands for the closing tag of the value. It
// is doubtful where an element is open in the value: that may be a parameter, as t may be.
func (r *reading) endingAtOpener(t *valueTag, cost int) reading {
	v := &r.value
	end := r.endingAt(t, "wrong_closer", cost+v.misfit()+r.notClosed()+costWhole*v.whole)
	end.ends.opener, end.ends.doubtful = true, end.ends.doubtful || v.maybe || len(v.tags) > 0
	return end
}

// endingBefore returns the reading in which the value ends before t, without a closing tag.
func (r *reading) endingBefore(t *valueTag) reading {
	cost := costMissingCloser + r.value.misfit() + r.notClosed() + costWhole*r.value.whole
	if r.value.passed {
		cost += costOwn
	}
	if r.value.maybe {
		cost += costWhole
	}
	if v := &r.value; v.first && v.empty && v.from == t.at || !v.first && v.from == t.after && t.gap != gapText {
		cost += costEmpty
	}
	end := r.endingAt(t, "missing_closer", cost)
	end.ends.len = 0
	end.ends.ours = r.value.element && markup.IsReserved(r.value.closer)
	v := &r.value
	end.ends.doubtful = v.isDoubtful(true) || v.whole > 0 || r.notClosed() > 0 || // an element, or half of one, may be a parameter, too
		v.ownWhole || v.holdsEnd && v.endAt == t.after && t.gap != gapText // a tag that seems to be text may have closed it
	return end
}
