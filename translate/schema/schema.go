package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
)

// schema is as much of a JSON Schema as decides the type of a value. It may be
// cyclic. The zero value allows anything.
type Schema struct {
	kinds                kindSet
	enum                 []jsontext.Value // enum, or the one const
	alts                 []*Schema        // anyOf and oneOf
	Properties           []Property
	byTag                map[string]int // index in props
	byName               map[string]int // of those whose tag is another
	items                *Schema        // nil: anything
	AdditionalProperties *Schema        // additionalProperties, if it is a schema

	facts
	compiling
}

// property is a declared property, with the tag it is offered under.
type Property struct {
	Name, Tag string
	schema    *Schema
}

var (
	anySchema    = &Schema{}
	stringSchema = &Schema{kinds: kindString}
	// stringsSchema is an object of strings.
	ObjectOfStrings = &Schema{kinds: kindObject, AdditionalProperties: stringSchema}
)

// own is takes without the alternatives.
func (s *Schema) acceptsItself() kindSet {
	k := s.kinds
	if k == 0 && len(s.alts) == 0 {
		k = acceptsAny
	}
	if len(s.enum) > 0 {
		k |= acceptsEnum
	}
	return k
}

// takes tells what s or an alternative of it speaks of.
func (s *Schema) accepts() kindSet { return s.acceptsItself() | s.altsAccept }

// takesString tells whether a string fits s.
func (s *Schema) acceptsString() bool { return s.accepts()&(kindString|acceptsAny) != 0 }

// namesString tells whether s speaks of strings: then they come before what merely
// allows anything.
func (s *Schema) mentionsString() bool { return s.accepts()&kindString != 0 }

// array returns the schema of the arrays that fit, or nil: s or an alternative.
func (s *Schema) ArraySchema() *Schema {
	if s.kinds&kindArray != 0 {
		return s
	}
	return s.altsArray
}

// isScalar reports whether nothing fits but numbers, booleans and null.
func (s *Schema) IsScalar() bool {
	const scalars = kindNull | kindBoolean | kindInteger | kindNumber
	return s.kinds != 0 && s.kinds&^scalars == 0 && len(s.alts) == 0
}

// text tells whether a string fits, and null whether null does beside it: then
// and only then may a value be passed on before its end is known.
func (s *Schema) IsString() (str, nullable bool) {
	switch {
	case len(s.enum) > 0:
		return false, false
	case len(s.alts) == 0:
		return s.kinds&^kindNull == kindString, s.kinds&kindNull != 0
	}
	return s.altsString, s.altsNullable
}

// property returns the property that a tag of the model's names, and its schema.
func (s *Schema) PropertyByTag(tag string) (name string, ps *Schema, declared bool) {
	i, ok := s.byTag[tag]
	if !ok {
		i, ok = s.byName[tag] // a model may write the name as it is
	}
	if ok {
		return s.Properties[i].Name, s.Properties[i].schema, true
	}
	if s.AdditionalProperties != nil {
		return markup.ParamName(tag), s.AdditionalProperties, false
	}
	return markup.ParamName(tag), stringSchema, false
}

// offers tells whether a property is offered under a tag.
func (s *Schema) HasTag(tag string) bool {
	_, ok := s.byTag[tag]
	return ok
}

func (s *Schema) addProperty(p Property) {
	if s.byTag == nil {
		s.byTag = map[string]int{}
	}
	if _, ok := s.byTag[p.Tag]; ok {
		return
	}
	s.byTag[p.Tag] = len(s.Properties)
	if p.Name != p.Tag {
		if s.byName == nil {
			s.byName = map[string]int{}
		}
		s.byName[p.Name] = len(s.Properties)
	}
	s.Properties = append(s.Properties, p)
}

// compiling is what is known of a schema only while it is compiled.
type compiling struct {
	parts    []*Schema // that have to hold too
	branches []*Schema // of anyOf and oneOf
	hasType  bool      // there is a type
	visit    uint8     // of inOrder
}

// facts follow from the alternatives of a schema, and from theirs: found once, when the
// schema is compiled, because alternatives of alternatives multiply. Where alternatives
// lead in a circle, what holds is what holds without going round (the least fixpoint).
type facts struct {
	altsAccept               kindSet         // what the alternatives speak of
	altsArray                *Schema         // the first of them that takes arrays, or nil
	altsString, altsNullable bool            // see text
	enumTexts                map[string]bool // see spell
	longestEnumText          int             // of the spellings, in bytes
}
