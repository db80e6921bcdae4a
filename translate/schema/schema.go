package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
)

// Schema is a compiled JSON Schema, with only the keywords that decide the type of a value. A
// schema may contain itself. The zero value allows anything.
type Schema struct {
	kinds kindSet          // type; nullable adds null
	enum  []jsontext.Value // the members of enum, or the value of const
	alts  []*Schema        // anyOf and oneOf: a value must also fit one of them

	// Properties are the declared properties, in the order of the schema.
	Properties []Property
	byTag      map[string]int // tag to index in Properties
	byName     map[string]int // name to index in Properties, if the tag is not the name
	items      *Schema        // of an array; nil allows anything
	// AdditionalProperties is the schema of undeclared properties; nil if additionalProperties is
	// missing or a boolean.
	AdditionalProperties *Schema
	closed               bool // additionalProperties is false
	open                 bool // additionalProperties is true, or a pattern cannot be read
	patterns             []pattern
	// Required are the names of the required properties. If several schemas must hold together, a
	// name may occur twice.
	Required []string

	facts
	branching
	compiling
}

// Property is a declared property.
type Property struct {
	Name, Tag  string // the tag that the model is shown: see [markup.ParamTag]
	schema     *Schema
	variants   []variant // what the branches of the schema say about it
	ofBranches bool      // schema is made from variants
}

var (
	anySchema    = &Schema{} // compared by address
	stringSchema = &Schema{kinds: kindString}
	// ObjectOfStrings allows objects with string members. It types the input of a call to a tool
	// that was not offered.
	ObjectOfStrings = &Schema{kinds: kindObject, AdditionalProperties: stringSchema}
)

// acceptsItself does what [Schema.accepts] does, without the alternatives.
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

// accepts returns the types that s or an alternative names. It includes acceptsAny if one of them
// names no type, and acceptsEnum if one has an enum.
func (s *Schema) accepts() kindSet { return s.acceptsItself() | s.altsAccept }

// AcceptsString reports whether a string may fit.
func (s *Schema) AcceptsString() bool { return s.accepts()&(kindString|acceptsAny) != 0 }

// AcceptsObject reports whether an object may fit.
func (s *Schema) AcceptsObject() bool { return s.accepts()&(kindObject|acceptsAny) != 0 }

// mentionsString reports whether s or an alternative names the type string. Text is then read as a
// string rather than as JSON under an alternative that allows anything.
func (s *Schema) mentionsString() bool { return s.accepts()&kindString != 0 }

// ArraySchema returns the schema of the arrays that fit: s itself or an alternative. It returns nil
// if no array fits.
func (s *Schema) ArraySchema() *Schema {
	if s.kinds&kindArray != 0 {
		return s
	}
	return s.altsArray
}

// ListsStrings reports whether the arrays that fit s may have string elements.
func (s *Schema) ListsStrings() bool {
	array := s.ArraySchema()
	return array != nil && (array.items == nil || array.items.AcceptsString())
}

// IsScalar reports whether only numbers, booleans and null fit.
func (s *Schema) IsScalar() bool {
	const scalars = kindNull | kindBoolean | kindInteger | kindNumber
	return s.kinds != 0 && s.kinds&^scalars == 0 && len(s.alts) == 0
}

// RequiresNested reports whether every object that fits has a list or an object as a property.
func (s *Schema) RequiresNested() bool {
	const nested = kindArray | kindObject
	return slices.ContainsFunc(s.Required, func(name string) bool {
		_, ps, declared := s.PropertyByTag(markup.ParamTag(name))
		return declared && ps.kinds&nested != 0 && ps.kinds&^(nested|kindNull) == 0
	})
}

// IsEnum reports whether only the values of an enum or a const fit.
func (s *Schema) IsEnum() bool { return len(s.enum) > 0 }

// IsString reports whether every string fits, and nothing else except null if nullable is true.
// Text can then be sent before its end is known, because it cannot turn out to be JSON or an enum
// member.
func (s *Schema) IsString() (str, nullable bool) {
	switch {
	case len(s.enum) > 0:
		return false, false
	case len(s.alts) == 0:
		return s.kinds&^kindNull == kindString, s.kinds&kindNull != 0
	}
	return s.altsString, s.altsNullable
}

// PropertyByTag returns the property for a tag that the model wrote: its name, its schema, and
// whether it is declared. An undeclared property has the schema of the pattern that matches its
// name, or of additionalProperties, or of a string.
func (s *Schema) PropertyByTag(tag string) (name string, ps *Schema, declared bool) {
	if i, ok := s.indexOf(tag); ok {
		return s.Properties[i].Name, s.typeIn(&s.Properties[i]), true
	}
	if fits := s.byPattern(tag); fits != nil {
		return markup.ParamName(tag), fits, false
	}
	if s.AdditionalProperties != nil {
		return markup.ParamName(tag), s.AdditionalProperties, false
	}
	return markup.ParamName(tag), stringSchema, false
}

// indexOf returns the index of the declared property for a tag. Models also write the unescaped
// name, and needless %XX.
func (s *Schema) indexOf(tag string) (i int, ok bool) {
	if i, ok = s.byTag[tag]; ok {
		return i, true
	}
	if i, ok = s.byName[tag]; ok || strings.IndexByte(tag, '%') < 0 {
		return i, ok
	}
	i, ok = s.byTag[markup.ParamTag(markup.ParamName(tag))]
	return i, ok
}

// Declares reports whether a tag that the model wrote is a declared property.
func (s *Schema) Declares(tag []byte) bool {
	if bytes.IndexByte(tag, '%') >= 0 {
		_, ok := s.indexOf(string(tag))
		return ok
	}
	_, ok := s.byTag[string(tag)]
	if !ok {
		_, ok = s.byName[string(tag)]
	}
	return ok
}

// Undeclared returns the names that the schema does not allow. closed: allow only declared names
// and names that match a pattern, as if additionalProperties were false. Otherwise, a schema with
// patterns, or with at least one of the names, allows all names.
func (s *Schema) Undeclared(names []string, closed bool) (undeclared []string) {
	if len(s.alts) > 0 || s.AdditionalProperties != nil || s.open || len(s.Properties)+len(s.patterns) == 0 && !s.closed {
		return nil
	}
	for _, name := range names {
		if tag := markup.ParamTag(name); !s.Declares([]byte(tag)) && !s.fitsPattern(tag) {
			undeclared = append(undeclared, name)
		}
	}
	if s.closed || closed || len(s.patterns) == 0 && len(undeclared) == len(names) {
		return undeclared
	}
	return nil
}

// Missing returns the required properties that are not in names.
func (s *Schema) Missing(names []string) (missing []string) {
	if len(s.Required) == 0 {
		return nil
	}
	given := make(map[string]bool, len(names))
	for _, name := range names {
		given[name] = true
	}
	for _, name := range s.Required {
		if !given[name] {
			missing, given[name] = append(missing, name), true
		}
	}
	return missing
}

// TakesText reports whether an object that fits may have a string member.
func (s *Schema) TakesText() bool {
	if s.AdditionalProperties != nil && s.AdditionalProperties.AcceptsString() || len(s.alts) > 0 {
		return true
	}
	return slices.ContainsFunc(s.Properties, func(p Property) bool { return p.schema.AcceptsString() }) ||
		slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.schema.AcceptsString() })
}

// addProperty adds a property, unless there is one with the same tag.
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

// compiling is the state of a schema during compilation.
type compiling struct {
	parts    []*Schema // allOf and targets of $ref: a value must fit all of them
	branches []*Schema // anyOf and oneOf of the schema itself, before those of parts are added
	hasType  bool      // the schema has the keyword type
	visit    uint8     // progress of visitInOrder
}

// facts follow from the alternatives of a schema, and from their alternatives. They are derived
// once, when the schema is compiled, because alternatives of alternatives multiply. In a cycle,
// each fact is the least that is consistent: a schema accepts a type only if some schema of the
// cycle names it.
type facts struct {
	altsAccept               kindSet         // what the alternatives accept
	altsArray                *Schema         // the first alternative that allows arrays, or nil
	altsString, altsNullable bool            // see IsString
	enumTexts                map[string]bool // keyed by spelling: see indexEnum
	longestEnumText          int             // length in bytes of the longest key in enumTexts
}

// branching is the state of a schema's branches: see union.go.
type branching struct {
	conditions     []condition
	allBranches    branchSet
	closedBranches branchSet // branches that allow only what they declare
	ruledOut       branchSet // see [Schema.Given]
	contested      bool      // branches disagree: an ambiguous value is a string that does not fit
}
