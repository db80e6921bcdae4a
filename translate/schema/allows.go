package schema

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// What a schema says, for whoever says it in another form: as a grammar.

// Allows reports whether the type is one of those that s names, or s names none. What its enum and its
// alternatives say is another matter.
func (s *Schema) Allows(typ string) bool { return s.kinds == 0 || s.kinds&kindNames[typ] != 0 }

// SaysType reports whether s names a type, or says what members an object has.
func (s *Schema) SaysType() bool { return s.kinds != 0 || len(s.Properties) > 0 }

// Enum returns the values of which one it has to be; nil for no such list.
func (s *Schema) Enum() []jsontext.Value { return s.enum }

// Items returns the schema of the elements of an array; nil allows anything.
func (s *Schema) Items() *Schema { return s.items }

// Schema returns the schema of the property.
func (p *Property) Schema() *Schema { return p.schema }

// Unlisted returns the schema of properties that are not declared, and reports whether there may be any.
func (s *Schema) Unlisted() (*Schema, bool) {
	switch {
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties, true
	case s.closed:
		return nil, false
	case s.open || len(s.Properties)+len(s.patterns) == 0:
		return anySchema, true
	}
	return nil, false
}

// IsBare reports whether s says nothing of members at all. As the schema of a tool's input it is that of a
// tool which takes none.
func (s *Schema) IsBare() bool {
	return len(s.Properties)+len(s.patterns) == 0 && s.AdditionalProperties == nil && !s.open
}

// Possible yields schemas without alternatives of which a value has to fit one: s itself, or s together
// with each of its alternatives, and theirs.
func (s *Schema) Possible() iter.Seq[*Schema] {
	return func(yield func(*Schema) bool) { s.possible(map[*Schema]bool{}, yield) }
}

func (s *Schema) possible(seen map[*Schema]bool, yield func(*Schema) bool) bool {
	if len(s.alts) == 0 {
		return yield(s)
	}
	for _, alt := range s.alts {
		if seen[alt] {
			continue
		}
		seen[alt] = true
		if both := s.with(alt); both.kinds&kindNothing == 0 && !both.possible(seen, yield) {
			return false
		}
	}
	return true
}

// with returns a schema of the values that fit s and one of its alternatives.
func (s *Schema) with(alt *Schema) *Schema {
	if !s.SaysType() && len(s.enum)+len(s.Required) == 0 && s.AdditionalProperties == nil && s.items == nil && !s.closed {
		return alt
	}
	both := &Schema{kinds: s.kinds, enum: s.enum, alts: alt.alts, items: s.items, AdditionalProperties: s.AdditionalProperties,
		closed: s.closed || alt.closed, open: s.open || alt.open, patterns: s.patterns, Required: slices.Concat(s.Required, alt.Required)}
	if kinds := alt.kinds; kinds != 0 && both.kinds != 0 {
		if kinds&kindNumber != 0 {
			kinds |= kindInteger
		}
		if both.kinds&kindNumber != 0 {
			both.kinds |= kindInteger
		}
		if both.kinds &= kinds; both.kinds == 0 {
			both.kinds = kindNothing
		}
	} else {
		both.kinds |= kinds
	}
	if len(both.enum) == 0 {
		both.enum = alt.enum
	}
	if both.items == nil {
		both.items = alt.items
	}
	if both.AdditionalProperties == nil {
		both.AdditionalProperties = alt.AdditionalProperties
	}
	for _, p := range s.Properties {
		if i, ok := alt.byTag[p.Tag]; ok {
			both.addProperty(alt.Properties[i])
		} else if !p.ofBranches {
			both.addProperty(p)
		}
	}
	for _, p := range alt.Properties {
		both.addProperty(p)
	}
	return both
}
