package schema

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// Sampler makes small values that fit a schema. It prefers what the schema fixes or suggests:
// const, then the first of examples, then enum, then default. Its functions invent everything else.
// A value may violate other keywords, such as bounds, patterns and lengths.
type Sampler struct {
	// Enum returns one of the allowed values; nil takes the first.
	Enum func(values []jsontext.Value) jsontext.Value
	// Text invents a string for a member. format is the format in the schema, or "".
	Text func(member, format string) string
	// Number invents a number. least is the minimum in the schema, or nil.
	Number func(integer bool, least jsontext.Value) jsontext.Value
	// Depth is the most levels of nested objects and lists. Below that, they are empty.
	Depth int

	root *place
	made int // values made so far
}

// maxSampled is the most values in a sample.
const maxSampled = 1 << 12

// Object returns an object for a tool's input_schema, with the required properties in the schema's
// order. It returns {} if the schema is not JSON.
func (s *Sampler) Object(schema jsontext.Value) jsontext.Value {
	s.made = 0
	if s.root = readPlace(schema); s.root == nil || s.root.raw.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return s.object(s.root, 0)
}

// Value returns a value for a schema. member is the name of the value.
func (s *Sampler) Value(member string, schema jsontext.Value) jsontext.Value {
	s.made = 0
	s.root = readPlace(schema)
	return s.value(member, s.root, 0)
}

// value returns a value for the named member under the schema at p, which may be nil.
func (s *Sampler) value(member string, p *place, depth int) jsontext.Value {
	if s.made++; p == nil || p.raw.Kind() != '{' {
		return s.text(member, p)
	}
	if fixed := s.suggested(p); fixed != nil {
		return rawjson.Compact(fixed)
	}
	if part := s.part(p); part != nil && s.made < maxSampled {
		return s.value(member, part, depth)
	}
	switch first := firstType(p); {
	case first == "object", first == "" && p.member("properties") != nil:
		return s.object(p, depth)
	case first == "array":
		return s.array(member, p, depth)
	case first == "integer", first == "number":
		return s.Number(first == "integer", rawOf(p.member("minimum")))
	case first == "boolean":
		return jsontext.Value("true")
	case first == "null":
		return jsontext.Value("null")
	}
	return s.text(member, p)
}

// suggested returns the value that the schema at p fixes or suggests, or nil.
func (s *Sampler) suggested(p *place) jsontext.Value {
	if fixed := p.member("const"); fixed != nil {
		return fixed.raw
	}
	if shown := p.member("examples"); shown != nil && len(shown.elements) > 0 {
		return shown.elements[0].raw
	}
	if enum := p.member("enum"); enum != nil && len(enum.elements) > 0 {
		values := make([]jsontext.Value, len(enum.elements))
		for i, e := range enum.elements {
			values[i] = e.raw
		}
		if s.Enum == nil {
			return values[0]
		}
		return s.Enum(values)
	}
	if usual := p.member("default"); usual != nil && usual.raw.Kind() != 'n' {
		return usual.raw
	}
	return nil
}

// part returns the schema to use in place of the one at p: the target of its $ref or, if it has no
// type of its own, the first schema that it combines. It returns nil if there is none.
func (s *Sampler) part(p *place) *place {
	if ref := p.member("$ref"); ref != nil {
		return s.root.resolve(ref.raw)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if among := p.member(keyword); among != nil && len(among.elements) > 0 && p.member("type") == nil {
			return among.elements[0]
		}
	}
	return nil
}

// firstType returns the first type that the schema at p names, or "".
func firstType(p *place) string {
	t := p.member("type")
	if t != nil && len(t.elements) > 0 {
		t = t.elements[0]
	}
	if t == nil || t.raw.Kind() != '"' {
		return ""
	}
	return strings.ToLower(rawjson.Unquote(t.raw))
}

func rawOf(p *place) jsontext.Value {
	if p == nil {
		return nil
	}
	return p.raw
}

func (s *Sampler) text(member string, p *place) jsontext.Value {
	format := ""
	if p != nil {
		if named := p.member("format"); named != nil && named.raw.Kind() == '"' {
			format = rawjson.Unquote(named.raw)
		}
	}
	return rawjson.AppendString(nil, s.Text(member, format))
}

// object returns an object with the properties that the schema at p requires.
func (s *Sampler) object(p *place, depth int) jsontext.Value {
	missing := map[string]bool{}
	names := requiredBy(p)
	for _, name := range names {
		missing[name] = true
	}
	out := jsontext.Value("{")
	add := func(name string, under *place) {
		if !missing[name] || depth > s.Depth || s.made >= maxSampled {
			return
		}
		delete(missing, name)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, name), ':')
		out = append(out, s.value(name, under, depth+1)...)
	}
	if properties := p.member("properties"); properties != nil {
		for _, m := range properties.members {
			add(m.name, m.place)
		}
	}
	for _, name := range names { // without a schema of their own
		add(name, nil)
	}
	return append(out, '}')
}

// requiredBy returns the names of the properties that the schema at p requires.
func requiredBy(p *place) (names []string) {
	if list := p.member("required"); list != nil {
		for _, name := range list.elements {
			if name.raw.Kind() == '"' {
				names = append(names, rawjson.Unquote(name.raw))
			}
		}
	}
	return names
}

// array returns a list with as many items as the schema at p requires, and at least one.
func (s *Sampler) array(member string, p *place, depth int) jsontext.Value {
	n := 1
	if least := p.member("minItems"); least != nil && len(least.raw) == 1 && least.raw[0] > '1' && least.raw[0] <= '9' {
		n = int(least.raw[0] - '0')
	}
	out := jsontext.Value("[")
	for i := 0; i < n && depth <= s.Depth && s.made < maxSampled; i++ {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, s.value(member, p.member("items"), depth+1)...)
	}
	return append(out, ']')
}
