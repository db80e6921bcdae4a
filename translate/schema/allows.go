package schema

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// This file has what a schema allows, for package constrain, which writes it as a grammar.

// Allows reports whether s allows the type: s names it, or names no type. It ignores the enum and
// the alternatives.
func (s *Schema) Allows(typ string) bool { return s.kinds == 0 || s.kinds&kindNames[typ] != 0 }

// SaysType reports whether s names a type, or says what members an object has.
func (s *Schema) SaysType() bool { return s.kinds != 0 || len(s.Properties) > 0 }

// Enum returns the allowed values; nil if the schema does not list them.
func (s *Schema) Enum() []jsontext.Value { return s.enum }

// Items returns the schema of the elements of an array; nil allows anything.
func (s *Schema) Items() *Schema { return s.items }

// Schema returns the schema of the property.
func (p *Property) Schema() *Schema { return p.schema }

// Unlisted returns the schema of undeclared properties. It returns false if there may be none.
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

// IsBare reports whether s says nothing about members. A tool with such an input schema takes no
// input.
func (s *Schema) IsBare() bool {
	return len(s.Properties)+len(s.patterns) == 0 && s.AdditionalProperties == nil && !s.open
}

// Possible yields schemas without alternatives. A value has to fit one of them: s itself, or s
// combined with one of its alternatives, or with an alternative of that, and so on.
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

// with returns a schema for the values that fit both s and alt, one of its alternatives.
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
