package schema

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
)

// This file compiles a JSON Schema to a [Schema].

// Compile reads a JSON Schema. It never fails: a part that it cannot read allows anything. It reads
// only what decides types and names: type, nullable, enum, const, properties, required,
// additionalProperties, patternProperties, items, allOf, anyOf, oneOf, if, then, else,
// dependentSchemas and $ref within the schema. It ignores pattern, formats and bounds.
//
// The cost is linear in the length of raw, no matter how references lead. Each place in the text is
// compiled once, and all references share the result. Schemas that must hold together (allOf, a
// $ref with other keywords) are merged once, within a budget. The facts about alternatives are
// derived once for the whole graph. So typing a value needs no search.
func Compile(raw jsontext.Value) *Schema {
	root := readPlace(raw)
	if root == nil {
		return &Schema{}
	}
	c := compiler{root: root, budget: mergeSlack + len(raw)}
	s := c.schemaAt(root)
	for i := 0; i < len(c.places); i++ {
		c.compile(c.places[i].schema, c.places[i])
	}
	all := make([]*Schema, len(c.places))
	for i, p := range c.places {
		all[i] = p.schema
	}
	visitInOrder(all, func(s *Schema) []*Schema { return s.parts }, c.mergeParts)
	deriveFacts(all)
	s.declareBranches(mergeSlack + len(raw))
	return s
}

// mergeSlack is how many enum members, alternatives and properties merging may copy beyond one per
// byte of the schema. Chains of inheritance grow with the square of the text. A hundred types that
// all inherit a hundred properties are ordinary.
const mergeSlack = 8 << 10

// compiler compiles one JSON text.
type compiler struct {
	root   *place
	places []*place // places with a schema of their own, in the order of discovery
	budget int      // how much merging may still copy

	patternSteps int // steps of all patternProperties so far
}

// schemaAt returns the schema of a place. If the place has only a $ref, schemaAt follows it, and
// returns the schema at its end, which may be a schema around the place. The schemas are still
// empty. They are filled one by one later, so that deep nesting needs no stack.
func (c *compiler) schemaAt(p *place) *Schema {
	var path []*place
	s := anySchema // if the place says nothing, or its references lead nowhere or in a circle
	for at := p; at != nil && !at.followed; {
		if at.schema != nil {
			s = at.schema
			break
		}
		if len(at.members) == 0 {
			break // it allows anything
		}
		ref, alone := bareRef(at)
		if !alone {
			at.schema = &Schema{}
			c.places = append(c.places, at)
			s = at.schema
			break
		}
		at.followed = true
		path = append(path, at)
		at = c.root.resolve(ref.raw)
	}
	for _, at := range path {
		at.schema, at.followed = s, false
	}
	return s
}

// bareRef returns the $ref of a schema. alone reports that no other keyword there says anything
// about the type.
func bareRef(p *place) (ref *place, alone bool) {
	for _, m := range p.members {
		switch m.name {
		case "$ref":
			ref = m.place
		case "title", "description", "default", "examples", "$comment":
		default:
			return nil, false
		}
	}
	return ref, ref != nil
}

// compile reads the keywords of p into s.
func (c *compiler) compile(s *Schema, p *place) {
	var test, then, otherwise *Schema
	for _, m := range p.members {
		switch m.name {
		case "$ref":
			s.parts = append(s.parts, c.schemaOfRef(m.place))
		case "type":
			s.kinds |= readKinds(m.place)
			s.hasType = true
		case "enum":
			s.enum = slices.Grow(s.enum, len(m.elements))
			for _, e := range m.elements {
				s.enum = append(s.enum, e.raw)
			}
		case "const":
			s.enum = append(s.enum, m.raw)
		case "nullable":
			if string(m.raw) == "true" {
				s.kinds |= kindNull
			}
		case "properties":
			for _, m := range m.members {
				s.addProperty(Property{Name: m.name, Tag: markup.ParamTag(m.name), schema: c.schemaAt(m.place)})
			}
		case "required":
			for _, e := range m.elements {
				var name string
				if json.Unmarshal(e.raw, &name) == nil {
					s.Required = append(s.Required, name)
				}
			}
		case "items":
			s.items = c.schemaAt(m.place)
		case "additionalProperties":
			switch m.raw.Kind() {
			case '{':
				s.AdditionalProperties = c.schemaAt(m.place)
			case 't':
				s.open = true
			case 'f':
				s.closed = true
			}
		case "patternProperties":
			for _, m := range m.members {
				c.addPattern(s, m.name, c.schemaAt(m.place))
			}
		case "anyOf", "oneOf":
			for _, e := range m.elements {
				s.branches = append(s.branches, c.schemaAt(e))
			}
		case "allOf":
			for _, e := range m.elements {
				s.parts = append(s.parts, c.schemaAt(e))
			}
		case "if":
			test = c.schemaAt(m.place)
		case "then":
			then = c.schemaAt(m.place)
		case "else":
			otherwise = c.schemaAt(m.place)
		case "dependentSchemas":
			for _, m := range m.members {
				s.conditions = append(s.conditions, condition{then: c.schemaAt(m.place)})
			}
		}
	}
	s.conditions = append(s.conditions, readConditions(test, then, otherwise)...)
}

// schemaOfRef returns the schema that a $ref leads to. If it leads nowhere, the schema allows
// anything.
func (c *compiler) schemaOfRef(ref *place) *Schema {
	if p := c.root.resolve(ref.raw); p != nil {
		return c.schemaAt(p)
	}
	return anySchema
}

// readKinds reads the value of the keyword type: a name or a list of names.
func readKinds(p *place) (k kindSet) {
	var name string
	if p.raw.Kind() == '"' && json.Unmarshal(p.raw, &name) == nil {
		return kindNames[name]
	}
	for _, e := range p.elements {
		if e.raw.Kind() == '"' {
			k |= readKinds(e)
		}
	}
	return k
}

// mergeParts adds to s what its parts require. If both have a schema for a property, for items or
// for additionalProperties, the schema of s counts.
func (c *compiler) mergeParts(s *Schema) {
	for _, part := range s.parts {
		if c.budget -= len(part.enum) + len(part.alts) + len(part.Properties) + len(part.Required) + len(part.conditions) + len(part.patterns); c.budget < 0 {
			// Too large to merge: allow anything.
			s.kinds, s.enum, s.alts, s.items, s.AdditionalProperties = 0, nil, nil, nil, anySchema
			return
		}
		s.kinds |= part.kinds
		s.enum = append(s.enum, part.enum...)
		s.alts = append(s.alts, part.alts...)
		s.Required = append(s.Required, part.Required...)
		s.conditions = append(s.conditions, part.conditions...)
		s.open = s.open || part.open
		s.patterns = append(s.patterns, part.patterns...)
		for _, p := range part.Properties {
			s.addProperty(p)
		}
		if s.items == nil {
			s.items = part.items
		}
		if s.AdditionalProperties == nil {
			s.AdditionalProperties = part.AdditionalProperties
		}
	}
	if s.kinds == kindNull && !s.hasType { // "nullable" without a type restricts nothing
		s.kinds = 0
	}
	if len(s.alts) == 0 {
		s.alts = s.branches
	} else {
		s.alts = append(s.alts, s.branches...)
	}
	if s.kinds == 0 && len(s.Properties) > 0 && len(s.alts) == 0 {
		s.kinds = kindObject
	}
}
