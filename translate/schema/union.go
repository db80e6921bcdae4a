package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file types the properties that only branches of a schema declare: alternatives (anyOf,
// oneOf), conditions (if, then, else), and dependentSchemas. A call has its properties in sequence,
// and each known value rules out branches for the values after it: see [Schema.Given].

// branchSet is a set of branches. The last bit is all branches that are too many to be told apart.
type branchSet uint64

const (
	maxBranches             = 63
	otherBranches branchSet = 1 << maxBranches
)

// variant is what some branches say about a property.
type variant struct {
	in     branchSet
	schema *Schema
	use    variantUse
}

type variantUse uint8

const (
	declares variantUse = iota // the property has the schema
	needs                      // the branch holds only if the property has the schema
	excludes                   // the branch holds only if the property does not have the schema
)

// condition is a schema that applies under a condition.
type condition struct {
	then *Schema
	test *Schema    // nil if unknown
	use  variantUse // how the properties of test are used
}

// readConditions returns the conditions of if, then and else. Each of them may be nil.
func readConditions(test, then, otherwise *Schema) (list []condition) {
	if then != nil {
		list = append(list, condition{then, test, needs})
	}
	if otherwise != nil {
		list = append(list, condition{otherwise, test, excludes})
	}
	return list
}

// branches collects the branches of a schema, and what they say about each property.
type branches struct {
	count    int // number of branches that can be told apart
	budget   int // properties that may still be visited
	closed   branchSet
	declared []Property           // without schemas; a name may occur twice
	variants map[string][]variant // keyed by name
}

// declareBranches declares in s the properties that its branches declare. If the branches disagree
// about a property, their types become alternatives. It visits at most budget properties.
func (s *Schema) declareBranches(budget int) {
	if len(s.alts) == 0 && len(s.conditions) == 0 {
		return
	}
	b := branches{budget: budget, variants: map[string][]variant{}}
	s.allBranches = b.addAll(s, 0)
	s.closedBranches = b.closed
	for _, p := range b.declared {
		s.addProperty(p)
	}
	var unions []*Schema
	for i := range s.Properties {
		p := &s.Properties[i]
		list := b.variants[p.Name]
		if len(list) <= maxBranches {
			p.variants = list
		}
		if t := p.schema; t != nil && (t.kinds != 0 || len(t.enum)+len(t.alts) > 0) { // s itself defines the type
			if u := t.orListed(p.variants); u != t {
				p.schema, unions = u, append(unions, u)
			}
			continue
		}
		switch typ, found := typeOf(list, ^branchSet(0)); {
		case typ != nil:
			p.schema, p.ofBranches = typ, true
		case found:
			p.schema, p.ofBranches = &Schema{branching: branching{contested: true}}, true
			for _, v := range list {
				if v.use == declares {
					p.schema.alts = append(p.schema.alts, v.schema)
				}
			}
			unions = append(unions, p.schema)
		}
	}
	deriveFacts(unions)
}

// addAll adds the branches of s and returns them.
func (b *branches) addAll(s *Schema, depth int) (in branchSet) {
	if depth == maxAlternatives {
		return 0
	}
	for _, alt := range s.alts {
		in |= b.add(alt, condition{}, depth)
	}
	for _, c := range s.conditions {
		in |= b.add(c.then, c, depth)
	}
	return in
}

// add adds a branch, or the branches inside it, and returns them. c is the branch's condition.
func (b *branches) add(s *Schema, c condition, depth int) (in branchSet) {
	if b.budget--; b.budget < 0 {
		return otherBranches
	}
	if in = b.addAll(s, depth+1); in == 0 {
		in = otherBranches
		if b.count < maxBranches {
			in = 1 << b.count
			b.count++
		}
	}
	if s.closed {
		b.closed |= in
	}
	b.note(s, in, declares)
	if c.test != nil && (c.use == needs || len(c.test.Properties) == 1) { // with several, one is enough for else
		b.note(c.test, in, c.use)
	}
	return in
}

// note records what branches say about the properties of s.
func (b *branches) note(s *Schema, in branchSet, use variantUse) {
	if b.budget -= len(s.Properties); b.budget < 0 {
		return
	}
	for _, p := range s.Properties {
		if use == declares {
			b.declared = append(b.declared, Property{Name: p.Name, Tag: p.Tag})
		}
		b.variants[p.Name] = append(b.variants[p.Name], variant{in, p.schema, use})
	}
}

// orListed returns a schema for the values that fit s. If s is a string and some variants are
// enums, they become its alternatives. The value is then held until its end, and can rule out
// branches.
func (s *Schema) orListed(list []variant) *Schema {
	if plain, _ := s.IsString(); !plain {
		return s
	}
	var alts []*Schema
	for _, v := range list {
		if len(v.schema.enum) > 0 {
			alts = append(alts, v.schema)
		}
	}
	if alts == nil {
		return s
	}
	return &Schema{alts: append(alts, s)}
}

// typeOf returns a schema that types a text as all variants in these branches do. It returns nil if
// they disagree, and false if there are none.
func typeOf(list []variant, in branchSet) (typ *Schema, found bool) {
	for _, v := range list {
		switch {
		case v.use != declares || v.in&in == 0:
		case !found:
			typ, found = v.schema, true
		case typ != v.schema && !typ.isPlainAs(v.schema):
			return nil, true
		}
	}
	return typ, found
}

// isPlainAs reports whether s and t have the same scalar types and no other keywords.
func (s *Schema) isPlainAs(t *Schema) bool {
	const scalars = kindNull | kindBoolean | kindInteger | kindNumber | kindString
	return s.kinds == t.kinds && s.kinds != 0 && s.kinds&^scalars == 0 && len(s.enum)+len(s.alts)+len(t.enum)+len(t.alts) == 0
}

// typeIn returns the schema of a property in the remaining branches of s.
func (s *Schema) typeIn(p *Property) *Schema {
	if p.ofBranches && s.ruledOut != 0 {
		if typ, _ := typeOf(p.variants, ^s.ruledOut); typ != nil {
			return typ
		}
	}
	return p.schema
}

// IsContested reports whether branches disagree about the property with the schema s.
func (s *Schema) IsContested() bool { return s.contested }

// Given returns s without the branches that a value rules out. value is the JSON of the property
// with this tag; nil if it is unknown. If the value rules out all branches, which only happens if
// the schema or the call is wrong, all stay. If the property may be any string, only its name rules
// out branches, because the value may have been sent before it was complete.
func (s *Schema) Given(tag string, value jsontext.Value) *Schema {
	i, ok := s.indexOf(tag)
	if !ok {
		return s
	}
	p := &s.Properties[i]
	if isString, _ := s.typeIn(p).IsString(); isString {
		value = nil
	}
	var declaring, out branchSet
	for _, v := range p.variants {
		declaring |= v.in
		if value != nil && len(v.schema.enum) > 0 && v.schema.lists(value) == (v.use == excludes) {
			out |= v.in
		}
	}
	if declaring == 0 {
		return s
	}
	if out = (out|s.closedBranches&^declaring)&^otherBranches | s.ruledOut; out == s.ruledOut || out == s.allBranches {
		return s
	}
	narrowed := *s
	narrowed.ruledOut = out
	return &narrowed
}

// lists reports whether a JSON value is in the enum of s.
func (s *Schema) lists(value jsontext.Value) bool {
	if value.Kind() == '"' {
		isString, ok := s.enumTexts[rawjson.Unquote(value)]
		return ok && isString
	}
	isString, ok := s.enumTexts[rawjson.CompactString(value)]
	return ok && !isString
}
