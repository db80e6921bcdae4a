package held

// The readings of a search. The best are kept.

// place says where a reading is after the last tag.
type place uint8

const (
	between place = iota // between parameters
	after                // after </parameters>
	ending               // after </invoke>
	ended                // after the end of the wrapper
	next                 // in another call
	places  = iota
)

// path is one way to read the text up to a place.
type path struct {
	slips slipSet
	tags  int   // tags of the call that are text of values
	shut  bool  // the wrapper has ended, and another call has begun
	ends  *End  // ends of the values that have ended, the last one first
	begun *name // parameters that have begun, the last one first
	lacks int   // how many required parameters have not begun

	hollow bool // the next call, or its wrapper, is open and still empty
}

// name is the name of a parameter that has begun.
type name struct {
	property string
	again    bool // the parameter was given before: the first one counts
	before   *name
}

// isMissing reports whether t opens a required parameter that has not begun.
func (s *Search) isMissing(p path, t *Tag) bool {
	return s.call.Missing[t.Property] && !s.isGiven(p, t)
}

// isGiven reports whether the parameter that t opens was given before.
func (s *Search) isGiven(p path, t *Tag) bool {
	for n := p.begun; n != nil; n = n.before {
		if n.property == t.Property {
			return true
		}
	}
	return t.Given
}

// add adds a path to the paths at a place, if it has at most MaxSlips slips.
func (s *Search) add(at place, p path) {
	if p.slips.len() <= MaxSlips {
		s.paths[at] = addPath(s.paths[at], p)
	}
}

// addPath adds a path to the paths of one place. If two paths can only continue alike, it keeps the path with fewer
// slips.
func addPath(list []path, p path) []path {
	for i := range list {
		q := &list[i]
		switch {
		case sameEnds(q.ends, p.ends):
			if p.beats(q) {
				*q = p
			}
			return list
		case q.slips != p.slips && q.slips&^p.slips == 0 && q.tags <= p.tags && q.lacks <= p.lacks:
			return list
		case q.slips != p.slips && p.slips&^q.slips == 0 && p.tags <= q.tags && p.lacks <= q.lacks:
			*q = p
			return list
		}
	}
	if len(list) == maxPaths {
		worst := 0
		for i := range list {
			if list[worst].beats(&list[i]) {
				worst = i
			}
		}
		if p.beats(&list[worst]) {
			list[worst] = p
		}
		return list
	}
	return append(list, p)
}

// sameEnds reports whether all values of two paths end alike.
func sameEnds(a, b *End) bool {
	return a == b || a != nil && b != nil && a.sum == b.sum
}
