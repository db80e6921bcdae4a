package schema

import (
	"github.com/go-json-experiment/json/jsontext"
)

// deduce finds the facts of the schemas of a graph.
func deriveFacts(all []*Schema) {
	var withAlts []*Schema
	for _, s := range all {
		if len(s.alts) > maxPlainAlts {
			s.mergeAlternatives()
		}
		if len(s.enum) > 0 {
			s.indexEnum()
		}
		if len(s.alts) > 0 {
			withAlts = append(withAlts, s)
		}
	}
	if len(withAlts) == 0 {
		return
	}
	holders := map[*Schema][]*Schema{} // of an alternative
	for _, s := range withAlts {
		s.altsString, s.altsNullable = s.altsAreStrings()
		for _, alt := range s.alts {
			s.altsAccept |= alt.acceptsItself()
			if len(alt.alts) > 0 {
				holders[alt] = append(holders[alt], s)
			}
		}
	}
	visitInOrder(withAlts, func(s *Schema) []*Schema { return s.alts }, func(s *Schema) {
		for _, alt := range s.alts {
			s.altsAccept |= alt.altsAccept
			if s.altsArray == nil {
				s.altsArray = alt.ArraySchema()
			}
		}
	})
	// What was come to in a circle had not all of its own alternatives yet.
	for queue := withAlts; len(queue) > 0; {
		alt := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, s := range holders[alt] {
			take, array := s.altsAccept|alt.altsAccept, s.altsArray
			if array == nil {
				array = alt.ArraySchema()
			}
			if take != s.altsAccept || array != s.altsArray {
				s.altsAccept, s.altsArray = take, array
				queue = append(queue, s)
			}
		}
	}
}

// textOfAlts is text of a schema with alternatives.
func (s *Schema) altsAreStrings() (str, nullable bool) {
	if s.kinds != 0 && s.kinds != kindString {
		return false, false
	}
	for _, alt := range s.alts {
		switch {
		case len(alt.enum) > 0 || len(alt.alts) > 0:
			return false, false
		case alt.kinds == kindNull:
			nullable = true
		case alt.kinds != 0 && alt.kinds&^kindNull == kindString:
			str, nullable = true, nullable || alt.kinds&kindNull != 0
		default:
			return false, false
		}
	}
	return str, nullable
}

// fewAlts are as many alternatives as are gone through as they are.
const maxPlainAlts = 8

// fold leaves out alternatives that say nothing new, and makes one of neighbours that are
// nothing but enums: a type of a thousand constants is looked up, not gone through.
func (s *Schema) mergeAlternatives() {
	var (
		alts   []*Schema
		seen   = make(map[*Schema]bool, len(s.alts))
		plain  kindSet   // that an alternative before allows as they are
		enums  *Schema   // the last alternative, if it is nothing else
		folded []*Schema // all of these
	)
	const scalars = kindNull | kindBoolean | kindInteger | kindNumber | kindString
	for _, alt := range s.alts {
		if seen[alt] {
			continue
		}
		seen[alt] = true
		isPlain := len(alt.enum) == 0 && len(alt.alts) == 0 && alt.kinds != 0 && alt.kinds&^scalars == 0
		isEnum := len(alt.enum) > 0 && len(alt.alts) == 0 && alt.kinds&^kindString == 0
		switch {
		case isPlain && alt.kinds&^plain == 0:
			continue
		case isPlain:
			plain |= alt.kinds
		case isEnum && enums != nil && enums.kinds == alt.kinds:
			enums.enum = append(enums.enum, alt.enum...)
			continue
		case isEnum:
			enums = &Schema{kinds: alt.kinds, enum: append([]jsontext.Value(nil), alt.enum...)}
			alts, folded = append(alts, enums), append(folded, enums)
			continue
		}
		enums = nil
		alts = append(alts, alt)
	}
	for _, enums := range folded {
		enums.indexEnum()
	}
	s.alts = alts
}
