package answer

import "strings"

// How a reading goes on between the values of a call, and after them.

// endCall follows a tag that ends the call.
func (r *reading) endCall(t *valueTag, c *callShape) {
	switch before := r.place; {
	case callEndedBy(t) == ending:
		r.place = ending
		if before == between && c.parametersOpen {
			r.abrupt = true
			r.cost += costParametersOpen
			if r.ends != nil && r.ends.ours { // or that was </parameters>
				r.cost += costOwn
			}
		}
	case !c.wrapperOpen:
		r.cost += costStrayCloser
	default:
		r.place, r.wrapped = ending, true
		if before == between {
			r.cost += costNextCall
			if r.ends != nil && r.ends.reason != "" { // where the call is not closed either, it may have been cut
				r.changeLast(func(e *valueEnd) { e.doubtful = true })
			}
		}
	}
}

// changeLast changes the end of the last value, which other readings may share.
func (r *reading) changeLast(change func(*valueEnd)) {
	last := *r.ends
	change(&last)
	r.ends = &last
}

// callEndedBy returns the place after a tag that ends the call.
func callEndedBy(t *valueTag) place {
	if strings.HasSuffix(string(t.name), "invoke") {
		return ending
	}
	return ended
}

// stepEnding follows t after </invoke>. Within a wrapper, only its end or another call can stand
// there. Without one, prose may follow, too: the closing tag of a value tells that the end of the call was
// text of that.
func (r *reading) stepEnding(t *valueTag, c *callShape) {
	switch {
	case r.wrapped && t.kind == opensOther && !t.declared && t.gap == gapText: // as in prose, or in a value: what comes next tells
		return
	case r.wrapped:
		if t.declared || t.kind == closesParameters || t.kind == closesCall || t.kind == closesOther && t.gap != gapText {
			r.cost += costStrayCloser
		}
	case t.gap != gapText && (t.kind == closesParameters || t.kind == closesCall && callEndedBy(t) == ending):
		r.cost += costMissingEnd // once more
		return
	case r.abrupt && t.structure && t.declared && t.bare: // more likely it is a parameter
		r.cost += costStrayCloser
	case !c.wrapperOpen && t.isCloser() && t.closedAs(parameterName), c.alone && t.kind == closesCall:
		r.cost += costStrayCloser
		return
	case c.alone && !t.structure:
		if !r.ranOn {
			r.cost += costProse
		}
		r.ranOn = true
		return
	case (c.wrapperOpen || c.alone) && (t.gap == gapText || t.kind != closesCall && !t.structure):
		r.cost += costStrayCloser
	}
	r.place = ended
}

// stepEnded follows t after the end of the call. Behind the end of a wrapper that leaves the call open, a
// closing tag of a call tells that this was text, as long as no other call begins.
func (r *reading) stepEnded(t *valueTag) {
	switch {
	case t.structure:
		r.wrapped = false
	case r.wrapped && (t.kind == closesCall || t.kind == closesOther && t.closedAs(parameterName)):
		r.cost += costUnknown
	}
}

// endsFirstValue reports whether the reading has ended the first value as it should be, before the
// parameter that it is in, and nothing in between speaks against it.
func (r *reading) endsFirstValue() bool {
	e := r.ends
	return e != nil && e.before == nil && e.own && e.cost == r.cost
}

// stepBetween follows t between parameters.
func (r *reading) stepBetween(t *valueTag, c *callShape) {
	if t.gap == gapText {
		r.cost += costProse
		if e := r.ends; e != nil && e.opener && e.at+e.len == t.after { // or that is another element of a list
			r.changeLast(func(e *valueEnd) { e.lost = true })
		}
	}
	switch t.kind {
	case opensParameter, opensOther:
		r.cost += costInProse(t)
		switch {
		case t.declared, c.anyName, c.attributeForm && t.closedAs(parameterName):
		case t.gap == gapLines:
			r.cost += costUndeclaredLine
		default:
			r.cost += costUndeclared
		}
		if !t.bare && !t.empty {
			r.cost += costWrongCloser
		}
		if r.place == after {
			r.cost += costMissingEnd
		}
		r.begin(t)
	case opensStructure:
		if string(t.name) == "parameters" {
			r.cost += costProse
			break
		}
		r.place, r.cost = ended, r.cost+costNextCall
	case closesParameters:
		switch {
		case c.attributeForm && !c.parametersOpen:
			r.cost += costStrayCloser
		case r.place == after || !c.parametersOpen:
			r.cost += costMissingEnd
		}
		r.place = after
	case closesCall:
		r.endCall(t, c)
	case isComment:
		r.cost += costComment
	case isText:
		r.cost += costProse
	default:
		r.cost += costStrayCloser
	}
}

// isGiven reports whether the parameter that t opens was given before.
func (r *reading) isGiven(t *valueTag) bool {
	given := t.given
	for b := r.begun; b != nil && !given; b = b.before {
		given = b.property == t.property
	}
	return given
}

// begin begins the value of the parameter that t opens; <p/> is a whole one.
func (r *reading) begin(t *valueTag) {
	if r.isGiven(t) {
		r.cost += costGivenTwice
	}
	r.begun = &begunParam{t.property, r.begun}
	if t.empty {
		r.place = between
		return
	}
	r.place = inside
	r.value = openValue{property: t.property, closer: string(t.name), element: t.nameless || string(t.name) != "parameter", schema: t.schema, from: t.at + t.len, fenced: t.edge.fenced}
}
