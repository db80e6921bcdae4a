package held

// This file follows a tag outside values.

// step follows t between parameters, or after them. text reports whether text precedes t.
func (s *Search) step(at place, p path, t *Tag, text bool, begun **open) {
	switch at {
	case next:
		p.slips = p.slips.with(StrayCloser, p.hollow && (t.Kind == ClosesWrapper || t.Kind == ClosesOther))
		p.hollow = false
		s.add(next, p)
		return
	case ended:
		if t.Structure {
			at, p.shut = next, true
		} else {
			p.slips = p.slips.with(StrayText, text).with(StrayCloser, t.IsCloser() && t.Kind != ClosesOther).with(Outside, t.IsNamed(parameterName))
		}
		s.add(at, p)
		return
	case ending:
		s.stepEnding(p, t)
		return
	}
	p.slips = p.slips.with(StrayText, text || t.Kind >= Comment)
	switch t.Kind {
	case OpensParameter, OpensOther:
		s.begin(at, p, t, text, begun)
	case OpensStructure:
		if string(t.Name) == "parameters" {
			p.slips = p.slips.with(StrayText, true)
			s.add(between, p)
			return
		}
		p.slips = p.slips.with(OpenCall, true).with(Lacking, p.lacks > 0)
		p.hollow = t.Bare
		s.add(next, p)
	case ClosesParameters:
		p.slips = p.slips.with(StrayCloser, !s.call.ParametersOpen || at == after)
		s.add(after, p)
	case ClosesCall:
		p.slips = p.slips.with(OpenParameters, s.call.ParametersOpen && at == between).with(Lacking, p.lacks > 0)
		s.add(ending, p)
	case ClosesWrapper:
		p.slips = p.slips.with(OpenCall, true).with(StrayCloser, !s.call.WrapperOpen).with(Lacking, p.lacks > 0)
		s.add(ended, p)
	case ClosesOther:
		p.slips = p.slips.with(StrayCloser, true)
		if s.call.ClosedTwice && p.ends != nil && t.Gap != Text && p.ends.own && t.Closes(p.ends.closer) { // the second tag may close the value instead
			p.ends = p.ends.doubtful()
		}
		s.add(at, p)
	default:
		s.add(at, p)
	}
}

// stepEnding follows t after </invoke>. In a wrapper, the end of the wrapper or another call belongs there.
func (s *Search) stepEnding(p path, t *Tag) {
	switch {
	case t.Kind == ClosesWrapper, t.Structure:
		p.slips = p.slips.with(StrayText, t.Gap == Text && s.call.WrapperOpen)
		if t.Structure {
			s.add(next, p)
		} else {
			s.add(ended, p)
		}
	case t.Gap != Text && (t.Kind == ClosesParameters || t.Kind == ClosesCall):
		p.slips = p.slips.with(StrayCloser, true)
		s.add(ending, p)
	default:
		p.slips = p.slips.with(StrayText, t.Gap == Text && s.call.WrapperOpen).with(StrayCloser, t.IsCloser() || s.call.WrapperOpen)
		s.add(ended, p)
	}
}

// begin begins the value of the parameter that t opens. <p/> is a whole value.
func (s *Search) begin(at place, p path, t *Tag, text bool, begun **open) {
	declared := t.Declared || t.Maybe || s.call.AnyName || s.call.Attribute && t.IsNamed(parameterName)
	p.slips = p.slips.with(Undeclared, !declared).with(GivenTwice, s.isGiven(p, t)).with(OpenParameters, at == after)
	p.slips = p.slips.with(QuotedTag, text && !t.Edge.beginsLine())
	if !t.Bare && !t.Empty {
		return
	}
	if e := p.ends; e != nil && (s.isGiven(p, t) || !t.Declared && !(t.Maybe && t.IsNamed(parameterName)) && !s.call.AnyName && !e.own && !e.whole && (e.Len == 0 || !t.IsNamed(parameterName))) {
		p.ends = p.ends.doubtful()
	}
	if s.isMissing(p, t) {
		p.lacks--
	}
	p.begun = &name{t.Property, s.isGiven(p, t), p.begun}
	if t.Empty {
		s.add(between, p)
		return
	}
	if p.slips.len() > MaxSlips {
		return
	}
	openValue(p, t, begun)
}

// openValue opens the value that t begins in a path.
func openValue(p path, t *Tag, begun **open) {
	if *begun == nil {
		*begun = &open{Value: Value{Property: t.Property, Closer: string(t.Name), Element: t.Nameless || string(t.Name) != "parameter",
			Schema: t.Schema, From: t.End(), Fenced: t.Edge.fenced}}
	}
	(*begun).paths = addPath((*begun).paths, p)
}

// restart begins a value again, because the opening tag of its parameter is written twice.
func (s *Search) restart(o *open, p path, t *Tag, begun **open) {
	p.slips = p.slips.with(Restarted, true)
	p.ends = (&End{From: o.From, At: t.At, Len: t.Len, Again: true}).behind(p.ends)
	if p.slips.len() <= MaxSlips {
		openValue(p, t, begun)
	}
}

var parameterName = []byte("parameter")
