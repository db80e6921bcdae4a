package rawjson

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unicode/utf8"
)

// This file checks text that is not known to be JSON, in one pass.

// Check says what a text has to be, beside I-JSON (RFC 7493: UTF-8, and no name twice in an object).
type Check struct {
	MaxDepth   int // how many objects and arrays may be open around a place, the outermost included
	MaxNames   int // how many members the objects around a place may have together
	MaxMembers int // how many members the outermost object may have

	// Known are names of members of the outermost object: they are not copied.
	Known []string
	// Name is called with names, as they stand in the text without quotes. It reports whether the
	// name may stand there, and whether all names in the member's value may too, so that it need not
	// be called with them. If it is nil, all names may stand.
	Name func(name []byte) (ok, free bool)
	// Continue is called every so often, and reports whether to go on.
	Continue func() bool
}

// Members returns the members of the object that text is, with white space around it. It reports
// false if text is anything else or not as the check says, and also if it is right and cannot be told
// in haste: if a name has an escape. So true can be relied on, and false says that a slower reader has
// to look. It takes time linear in text, and memory for the names of the open objects and the index.
func (c Check) Members(text []byte) (members []Member, index *Index, ok bool) {
	s := checker{Check: c, text: text, index: newIndex(text), names: make([]openName, 0, 32), members: make([]Member, 0, 16)}
	if s.next() != '{' || !s.object() || s.next() != 0 || s.at < len(text) {
		return nil, nil, false
	}
	const tops = 0x8080808080808080
	if s.seen&tops != 0 && !utf8.Valid(text) {
		return nil, nil, false
	}
	return s.members, s.index, true
}

// checker is a check that is going on. Its methods read something from s.at on and move s.at past it;
// they report whether it is there and right.
type checker struct {
	Check
	text    []byte
	at      int
	depth   int    // of open objects and arrays
	free    int    // depth of the object with the member in whose value names are not looked at; 0 outside of such
	seen    uint64 // what is set in any of the bytes of strings
	foreign int    // strings with an escape that AppendEscaped does not write, or does not write so
	names   []openName
	long    map[longName]struct{} // the names of open objects that have many
	members []Member
	index   *Index
	looked  int // where Continue was called last
}

// openName is a name in an object that is open.
type openName struct {
	mark       uint64 // made of the name: names with different marks are different
	begin, end int
}

// longName is a name in an object with many names: names with different hashes are different.
type longName struct {
	object int // index of its first name
	hash   uint64
}

// next passes white space, and returns the byte that follows: 0 at the end.
func (s *checker) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

func (s *checker) value() bool {
	c := s.next()
	begin, foreign, ok := s.at, s.foreign, false
	switch c {
	case '"':
		ok = s.string()
	case '{':
		ok = s.object()
	case '[':
		ok = s.array()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		n := numberLen(s.text[s.at:])
		s.at += n
		return n > 0
	}
	if s.at-begin >= longValue && s.index != nil && s.depth <= deepest && (s.free == 0 || s.depth <= s.free+1) {
		s.index.add(s.text[begin:s.at], c == '"' && s.foreign == foreign)
	}
	return ok
}

func (s *checker) word(word string) bool {
	if len(s.text)-s.at < len(word) || string(s.text[s.at:s.at+len(word)]) != word {
		return false
	}
	s.at += len(word)
	return true
}

// open begins an object or an array.
func (s *checker) open() bool {
	s.at++
	s.depth++
	return s.depth <= s.MaxDepth
}

// more reads what follows an element or a member: a comma, or closer, which ends the list.
func (s *checker) more(closer byte) (more, ok bool) {
	const bytesPerLook = 64 << 10 // well below a millisecond
	if s.Continue != nil && s.at-s.looked >= bytesPerLook {
		if s.looked = s.at; !s.Continue() {
			return false, false
		}
	}
	c := s.next()
	s.at++
	return c == ',', c == ',' || c == closer
}

func (s *checker) array() bool {
	if !s.open() {
		return false
	}
	more, ok := true, true
	if s.next() == ']' {
		s.at++
		more = false
	}
	for more {
		if !s.value() {
			return false
		}
		if more, ok = s.more(']'); !ok {
			return false
		}
	}
	s.depth--
	return true
}

func (s *checker) object() bool {
	if !s.open() {
		return false
	}
	more, ok := true, true
	if s.next() == '}' {
		s.at++
		more = false
	}
	first := len(s.names)
	for more {
		if !s.member(first) {
			return false
		}
		if more, ok = s.more('}'); !ok {
			return false
		}
	}
	s.close(first)
	s.depth--
	return true
}

// member reads a member of an object whose names begin at first.
func (s *checker) member(first int) bool {
	if s.next() != '"' {
		return false
	}
	begin := s.at + 1
	if !s.string() || !s.add(first, begin, s.at-1) {
		return false
	}
	name, outer := s.text[begin:s.at-1], s.free
	if s.free == 0 && s.Name != nil {
		ok, free := s.Name(name)
		if !ok {
			return false
		}
		if free {
			s.free = s.depth
		}
	}
	if s.next() != ':' {
		return false
	}
	s.at++
	s.next()
	from := s.at
	if !s.value() {
		return false
	}
	s.free = outer
	if s.depth == 1 {
		s.members = append(s.members, Member{UnquoteKnown(s.text[begin-1:begin+len(name)+1], s.Known), s.text[from:s.at:s.at]})
		return len(s.members) <= s.MaxMembers
	}
	return true
}

// few is how many names of an object are compared with each other.
const few = 48

// add notes a name. It reports false if the object has it already, or if it may have.
func (s *checker) add(first, begin, end int) bool {
	name := s.text[begin:end]
	mark, ok := markOf(name)
	if !ok || len(s.names) == s.MaxNames {
		return false
	}
	s.names = append(s.names, openName{mark, begin, end})
	switch n := len(s.names) - first; {
	case n <= few:
		for _, other := range s.names[first : len(s.names)-1] {
			if other.mark == mark && string(s.text[other.begin:other.end]) == string(name) {
				return false
			}
		}
		return true
	case n == few+1:
		for _, other := range s.names[first : len(s.names)-1] {
			s.addLong(first, s.text[other.begin:other.end])
		}
	}
	return s.addLong(first, name)
}

// hashSeed is chosen anew by each process: no client can know which names have the same hash.
var hashSeed = maphash.MakeSeed()

func (s *checker) addLong(first int, name []byte) bool {
	if s.long == nil {
		s.long = make(map[longName]struct{})
	}
	n := len(s.long)
	s.long[longName{first, maphash.Bytes(hashSeed, name)}] = struct{}{}
	return len(s.long) > n
}

// close forgets the names of an object.
func (s *checker) close(first int) {
	if len(s.names)-first > few {
		for _, name := range s.names[first:] {
			delete(s.long, longName{first, maphash.Bytes(hashSeed, s.text[name.begin:name.end])})
		}
	}
	s.names = s.names[:first]
}

// markOf returns a mark of a name: its length and first and last bytes. It reports false if the name
// has an escape.
func markOf(name []byte) (mark uint64, ok bool) {
	const spread = 0x9E3779B97F4A7C15 // odd
	switch n := len(name); {
	case n >= 8:
		mark = binary.LittleEndian.Uint64(name) ^ binary.LittleEndian.Uint64(name[n-8:])*spread
	default:
		for _, c := range name {
			mark = mark<<8 | uint64(c)
		}
	}
	for _, c := range name {
		if c == '\\' {
			return 0, false
		}
	}
	return mark + uint64(len(name))*spread, true
}

// string reads a string. Whether it is UTF-8 is not checked.
func (s *checker) string() bool {
	b, i, set := s.text, s.at+1, s.seen
	for i < len(b) {
		if len(b)-i >= 8 {
			x := binary.LittleEndian.Uint64(b[i:])
			set |= x // of the bytes behind the string, too
			found := escapeMask(x)
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		}
		switch c := b[i]; {
		case c == '"':
			s.at, s.seen = i+1, set
			return true
		case c == '\\' && i+1 < len(b) && unescape[b[i+1]] != 0:
			if b[i+1] == '/' {
				s.foreign++
			}
			i += 2
		case c == '\\':
			_, n := escapedRune(b[i:])
			if n == 0 {
				return false
			}
			s.foreign++
			i += n
		case c < ' ':
			return false
		default: // near the end of the text
			set |= uint64(c)
			i++
		}
	}
	return false
}
