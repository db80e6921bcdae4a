package held

import (
	"cmp"
	"slices"
)

// Verdict is what a search has found so far.
type Verdict uint8

// The verdicts.
const (
	Open    Verdict = iota // more text is needed
	GoesOn                 // all text so far belongs to the first value
	Ends                   // the values end as [Search.Settle] returns
	Refused                // two readings are equally good, or no reading is good enough
)

// Settle returns what the tags so far have decided. That is what all readings agree on, or the best reading, if no
// other reading can still become as good.
func (s *Search) Settle() (Verdict, []End) {
	all := s.all()
	if len(all) == 0 {
		return Refused, nil
	}
	if len(s.inside) == 1 && s.inside[0] == s.first && len(all) == len(s.first.paths) {
		return GoesOn, nil
	}
	if ends := common(all); len(ends) > 0 && s.First() == nil {
		return s.settled(ends)
	}
	if ends := regular(all); len(ends) > 0 {
		return s.settled(ends)
	}
	best, tied := s.best(append(slices.Clone(s.paths[ended]), s.paths[next]...))
	if best == nil {
		return Open, nil
	}
	for i := range all {
		if p := &all[i]; !sameEnds(p.ends, best.ends) && p.slips.len() <= best.slips.len() && !(best.shut && best.beats(p)) {
			return Open, nil
		}
	}
	if tied {
		return Refused, nil
	}
	return s.settled(best.inOrder())
}

// regular returns the ends that all paths without slips share. It returns nil if the first end is not regular, or
// if another path has more of the required parameters.
func regular(all []path) []End {
	clean := slices.DeleteFunc(slices.Clone(all), func(p path) bool { return p.slips != 0 })
	if len(clean) == 0 || slices.ContainsFunc(all, func(p path) bool { return p.lacks < clean[0].lacks }) {
		return nil
	}
	if ends := common(clean); len(ends) > 0 && ends[0].regular {
		return ends
	}
	return nil
}

// IsText reports whether the best reading so far lets the first value continue, and every other reading has more
// slips.
func (s *Search) IsText() bool {
	if s.First() == nil {
		return false
	}
	least := s.first.least().len()
	for _, o := range s.inside {
		if o != s.first && o.least().len() <= least {
			return false
		}
	}
	for _, list := range s.paths {
		if slices.ContainsFunc(list, func(p path) bool { return p.slips.len() <= least }) {
			return false
		}
	}
	return true
}

// AtEnd is Settle when no more text comes.
func (s *Search) AtEnd() (Verdict, []End) {
	var final []path
	for at, list := range s.paths {
		for _, p := range list {
			p.slips = p.slips.with(OpenCall, place(at) < ending).with(OpenParameters, place(at) == between && s.call.ParametersOpen).with(Lacking, place(at) < ending && p.lacks > 0)
			final = append(final, p)
		}
	}
	for _, o := range s.inside {
		for _, p := range o.paths {
			p.slips = (p.slips|o.Value.slips(nil, false)).with(MissingCloser, true).with(OpenCall, true).with(Lacking, p.lacks > 0)
			p.tags += o.CallTags
			final = append(final, p)
		}
	}
	best, tied := s.best(final)
	switch {
	case best == nil || tied || best.ends == nil:
		return Refused, nil
	}
	return s.settled(best.inOrder())
}

// settled returns the ends, unless one is doubtful.
func (s *Search) settled(ends []End) (Verdict, []End) {
	if slices.ContainsFunc(ends, func(e End) bool { return e.Doubtful }) {
		return Refused, nil
	}
	return Ends, ends
}

// all returns all paths, with the slips that are certain so far.
func (s *Search) all() (all []path) {
	for _, o := range s.inside {
		for _, p := range o.paths {
			p.slips, p.tags = o.slipsOf(p), p.tags+o.CallTags
			all = append(all, p)
		}
	}
	for _, list := range s.paths {
		all = append(all, list...)
	}
	return all
}

// beats reports whether p is better than q. q may still get more slips.
func (p *path) beats(q *path) bool {
	a, b := p.slips.len(), q.slips.len()
	return a < b || a == b && p.tags < q.tags
}

// best returns the best path, or nil if no path is good enough. tied reports whether another path is equally good.
func (s *Search) best(list []path) (best *path, tied bool) {
	for i := range list {
		p := &list[i]
		switch {
		case p.slips.len() > MaxSlips:
		case best == nil || p.beats(best):
			best, tied = p, false
		case !best.beats(p) && !sameEnds(best.ends, p.ends):
			tied = true
		}
	}
	if best != nil && s.isLost && s.lost.len() <= best.slips.len() {
		tied = true
	}
	return best, tied
}

// inOrder returns the ends of the values, from first to last.
func (p *path) inOrder() (ends []End) {
	for e := p.ends; e != nil; e = e.before {
		ends = append(ends, *e)
	}
	slices.Reverse(ends)
	return ends
}

// common returns the ends that all paths share, from the first end on.
func common(all []path) []End {
	p := path{ends: all[0].ends}
	for i := range all[1:] {
		if p.ends == nil {
			return nil
		}
		p.ends = shared(p.ends, all[1+i].ends)
	}
	return p.inOrder()
}

// shared returns the last end up to which two paths end alike, or nil. It skips the ends before that, because paths
// share most of their ends.
func shared(a, b *End) (same *End) {
	for a != b {
		switch {
		case a == nil || b == nil:
			return nil
		case a.At > b.At:
			a, same = a.before, nil
		case a.At < b.At:
			b, same = b.before, nil
		case a.Len != b.Len:
			a, b, same = a.before, b.before, nil
		default:
			same = cmp.Or(same, a)
			a, b = a.before, b.before
		}
	}
	return cmp.Or(same, a)
}
