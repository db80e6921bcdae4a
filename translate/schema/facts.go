package schema

import (
	"github.com/go-json-experiment/json/jsontext"
)

// This file derives facts from the alternatives (anyOf, oneOf) of a schema, so that no value needs
// a search through them.

// deriveFacts derives the facts of all schemas in a graph.
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
	holders := map[*Schema][]*Schema{} // alternative to the schemas that have it
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
	// In a cycle, a schema may be visited before its alternatives, and then lacks what they accept.
	// Each new fact is passed on to the schemas around it, until nothing changes.
	for queue := withAlts; len(queue) > 0; {
		alt := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, s := range holders[alt] {
			accept, array := s.altsAccept|alt.altsAccept, s.altsArray
			if array == nil {
				array = alt.ArraySchema()
			}
			if accept != s.altsAccept || array != s.altsArray {
				s.altsAccept, s.altsArray = accept, array
				queue = append(queue, s)
			}
		}
	}
}

// altsAreStrings does what [Schema.IsString] does, for a schema with alternatives.
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

// maxPlainAlts is the most alternatives that are tried one by one. If there are more, they are
// merged first.
const maxPlainAlts = 8

// mergeAlternatives drops alternatives that allow nothing new, and merges neighbouring enums into
// one: a union of a thousand constants becomes a lookup.
func (s *Schema) mergeAlternatives() {
	var (
		alts   []*Schema
		seen   = make(map[*Schema]bool, len(s.alts))
		plain  kindSet   // types that an earlier alternative allows without conditions
		enums  *Schema   // the last alternative, if it is only an enum
		merged []*Schema // all such enums
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
			alts, merged = append(alts, enums), append(merged, enums)
			continue
		}
		enums = nil
		alts = append(alts, alt)
	}
	for _, enums := range merged {
		enums.indexEnum()
	}
	s.alts = alts
}
