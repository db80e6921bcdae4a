package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// Fault is a mistake in a schema. [Compile] treats such a part as a schema that allows anything.
type Fault struct {
	Path    string // of the keyword, as "properties.city.type"
	Message string // what is wrong, and what to do
}

// FindFault returns the first type that JSON Schema does not have, or the first $ref to a place
// that the schema does not have. If there is none, it returns nil.
//
// It reads the text once. It skips the data in keywords that hold no schema, and schemas that are
// nested too deep.
func FindFault(raw jsontext.Value) *Fault {
	f := faultFinder{root: raw, r: rawjson.Read(raw)}
	message := f.schema(0)
	if message == "" {
		return nil
	}
	slices.Reverse(f.path)
	return &Fault{strings.Join(f.path, "."), message}
}

// faultFinder walks through a schema.
type faultFinder struct {
	root   jsontext.Value
	r      *rawjson.Reader
	places *place   // the root, split into places; nil until a $ref needs it
	path   []string // path to the fault, innermost name first
}

// schema reads the next schema, or the next list of schemas. It returns the message of a fault,
// with its path in f.path, or "".
func (f *faultFinder) schema(depth int) string {
	kind := f.r.Kind()
	if kind != '{' && kind != '[' || depth > maxInlineDepth {
		f.r.Next()
		return ""
	}
	begin := f.r.Enter()
	for i := 0; f.r.Kind() != 0; i++ {
		var name jsontext.Value
		if kind == '{' {
			name, _ = f.r.Next()
		}
		if message := f.keyword(name, depth); message != "" {
			f.at(name, i)
			return message
		}
	}
	f.r.Leave(begin)
	return ""
}

// keyword reads the value of a keyword, or an element of a list of schemas. An element has no name.
func (f *faultFinder) keyword(name jsontext.Value, depth int) string {
	switch string(name) {
	case "", `"items"`, `"prefixItems"`, `"contains"`, `"additionalProperties"`, `"propertyNames"`,
		`"allOf"`, `"anyOf"`, `"oneOf"`, `"not"`, `"if"`, `"then"`, `"else"`:
		return f.schema(depth + 1)
	case `"properties"`, `"patternProperties"`, `"$defs"`, `"definitions"`, `"dependentSchemas"`:
		return f.named(depth + 1)
	}
	value, _ := f.r.Next()
	switch string(name) {
	case `"type"`:
		return f.typeFault(value)
	case `"$ref"`:
		return f.refFault(value)
	}
	return ""
}

// named reads an object that maps names to schemas.
func (f *faultFinder) named(depth int) string {
	if f.r.Kind() != '{' {
		f.r.Next()
		return ""
	}
	begin := f.r.Enter()
	for f.r.Kind() != 0 {
		name, _ := f.r.Next()
		if message := f.schema(depth); message != "" {
			f.at(name, 0)
			return message
		}
	}
	f.r.Leave(begin)
	return ""
}

// at adds a name to the path, or an index if there is no name.
func (f *faultFinder) at(name jsontext.Value, i int) {
	step := strconv.Itoa(i)
	if name != nil {
		step = rawjson.Unquote(name)
	}
	f.path = append(f.path, step)
}

// typeFault returns the fault in the value of type: a name, or a list of names.
func (f *faultFinder) typeFault(value jsontext.Value) string {
	if value.Kind() != '"' {
		i := 0
		for name := range rawjson.Elements(value) {
			if message := f.typeFault(name); name.Kind() == '"' && message != "" {
				f.at(nil, i)
				return message
			}
			i++
		}
		return ""
	}
	if kindNames[string(rawjson.UnquoteBytes(value))] != 0 {
		return ""
	}
	return fmt.Sprintf("unknown type %q. Use one of: %s.", rawjson.Unquote(value), strings.Join(typeWords, ", "))
}

// refFault returns the fault in the value of $ref. It ignores references to other documents.
func (f *faultFinder) refFault(value jsontext.Value) string {
	if pointer, local := localRef(value); !local || len(pointer) == 0 {
		return ""
	}
	if f.places == nil {
		f.places = readPlace(f.root)
	}
	if f.places == nil || f.places.resolve(value) != nil {
		return ""
	}
	const most = 8
	var there []string
	for _, keyword := range []string{"$defs", "definitions"} {
		if table := f.places.member(keyword); table != nil {
			for _, m := range table.members {
				there = append(there, "#/"+keyword+"/"+m.name)
			}
		}
	}
	advice := "Add it under $defs."
	if len(there) > 0 {
		advice = "Use one of: " + strings.Join(there[:min(len(there), most)], ", ") + "."
	}
	return fmt.Sprintf("the schema has no %q. %s", rawjson.Unquote(value), advice)
}
