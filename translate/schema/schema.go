package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
)

// Schema is a compiled JSON Schema. It has only the keywords that decide the type of a value.
// A schema may contain itself. The zero value allows anything.
type Schema struct {
	kinds kindSet          // type; nullable adds null
	enum  []jsontext.Value // the members of enum, or the one value of const
	alts  []*Schema        // anyOf and oneOf: one of them has to hold too

	// Properties are the declared properties, in the order of the schema.
	Properties []Property
	byTag      map[string]int // index in Properties
	byName     map[string]int // index in Properties of those whose tag is not their name
	items      *Schema        // of an array's elements; nil allows anything
	// AdditionalProperties is the schema of properties that are not declared, nil if
	// additionalProperties is missing or a boolean.
	AdditionalProperties *Schema
	closed               bool // additionalProperties is false
	open                 bool // properties are allowed besides those: additionalProperties is true, or a pattern cannot be read
	patterns             []pattern
	// Required are the names of the properties that an object must have. Where several schemas
	// have to hold together, a name may come twice.
	Required []string

	facts
	branching
	compiling
}

// Property is a declared property.
type Property struct {
	Name, Tag  string // under which it is offered to the model: see [markup.ParamTag]
	schema     *Schema
	variants   []variant // what the branches of the schema say of it
	ofBranches bool      // schema is made of them
}

var (
	anySchema    = &Schema{} // compared by address
	stringSchema = &Schema{kinds: kindString}
	// ObjectOfStrings allows objects whose members are strings. It types the input of a call
	// to a tool that was not offered.
	ObjectOfStrings = &Schema{kinds: kindObject, AdditionalProperties: stringSchema}
)

// acceptsItself is [Schema.accepts] without the alternatives.
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

// accepts returns the types that s or one of its alternatives names, with acceptsAny if one of
// them names none, and acceptsEnum if one of them has an enum.
func (s *Schema) accepts() kindSet { return s.acceptsItself() | s.altsAccept }

// AcceptsString reports whether a string fits.
func (s *Schema) AcceptsString() bool { return s.accepts()&(kindString|acceptsAny) != 0 }

// AcceptsObject reports whether an object fits.
func (s *Schema) AcceptsObject() bool { return s.accepts()&(kindObject|acceptsAny) != 0 }

// mentionsString reports whether s or an alternative names the type string. Text is then a
// string sooner than it is JSON under an alternative that allows anything.
func (s *Schema) mentionsString() bool { return s.accepts()&kindString != 0 }

// ArraySchema returns the schema of the arrays that fit s: s itself or an alternative; nil if
// no array fits.
func (s *Schema) ArraySchema() *Schema {
	if s.kinds&kindArray != 0 {
		return s
	}
	return s.altsArray
}

// ListsStrings reports whether an element of the arrays that fit s may be a string.
func (s *Schema) ListsStrings() bool {
	array := s.ArraySchema()
	return array != nil && (array.items == nil || array.items.AcceptsString())
}

// IsScalar reports whether nothing fits but numbers, booleans and null.
func (s *Schema) IsScalar() bool {
	const scalars = kindNull | kindBoolean | kindInteger | kindNumber
	return s.kinds != 0 && s.kinds&^scalars == 0 && len(s.alts) == 0
}

// RequiresNested reports whether an object that fits must have a property that is a list or an object.
func (s *Schema) RequiresNested() bool {
	const nested = kindArray | kindObject
	return slices.ContainsFunc(s.Required, func(name string) bool {
		_, ps, declared := s.PropertyByTag(markup.ParamTag(name))
		return declared && ps.kinds&nested != 0 && ps.kinds&^(nested|kindNull) == 0
	})
}

// IsEnum reports whether nothing fits but what an enum or a const lists.
func (s *Schema) IsEnum() bool { return len(s.enum) > 0 }

// IsString reports whether every string fits and nothing else does, but for null if nullable is
// true. Text can then be passed on before its end is known: it will not turn out to be JSON or a
// member of an enum.
func (s *Schema) IsString() (str, nullable bool) {
	switch {
	case len(s.enum) > 0:
		return false, false
	case len(s.alts) == 0:
		return s.kinds&^kindNull == kindString, s.kinds&kindNull != 0
	}
	return s.altsString, s.altsNullable
}

// PropertyByTag returns the property that a tag written by the model stands for: its name, its
// schema, and whether it is declared. The schema of one that is not declared is that of the pattern
// that fits its name, else that of additionalProperties, else that of a string.
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

// indexOf returns the index of the declared property that a tag stands for. Models also write the
// name as it is, and %XX where the name could stand as it is.
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

// Declares reports whether a tag written by the model stands for a declared property.
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

// Undeclared returns which names of the properties of an object the schema does not allow. closed says
// that it allows only what it declares and what a pattern fits, as a schema does whose additionalProperties
// is false. Any other schema allows all names as long as it has patterns or declares one of them.
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

// Missing returns the required properties of an object that are not among the names of those it has.
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

// TakesText reports whether an object that fits may have a member that is a string.
func (s *Schema) TakesText() bool {
	if s.AdditionalProperties != nil && s.AdditionalProperties.AcceptsString() || len(s.alts) > 0 {
		return true
	}
	return slices.ContainsFunc(s.Properties, func(p Property) bool { return p.schema.AcceptsString() }) ||
		slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.schema.AcceptsString() })
}

// addProperty adds a property unless there is one of its tag.
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
	parts    []*Schema // allOf and what $ref leads to: all have to hold too
	branches []*Schema // anyOf and oneOf as they stand, before those of parts are added
	hasType  bool      // the keyword type is there
	visit    uint8     // of visitInOrder: how far it is
}

// facts follow from the alternatives of a schema and their alternatives. They are found once,
// when the schema is compiled, because alternatives of alternatives multiply. In a cycle each
// fact is the least that is consistent: a schema accepts a type only if some schema of the
// cycle names it.
type facts struct {
	altsAccept               kindSet         // what the alternatives accept
	altsArray                *Schema         // the first of the alternatives that allows arrays, or nil
	altsString, altsNullable bool            // see IsString
	enumTexts                map[string]bool // by spelling: see indexEnum
	longestEnumText          int             // the longest key of enumTexts, in bytes
}

// branching is what is known of the branches of a schema: see union.go.
type branching struct {
	conditions     []condition
	allBranches    branchSet
	closedBranches branchSet // that allow only what they declare
	ruledOut       branchSet // see [Schema.Given]
	contested      bool      // branches say different things: what a string and something else could be is a string, and does not fit
}
