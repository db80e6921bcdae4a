package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file types the properties that only branches of a schema declare: its alternatives (anyOf, oneOf), what
// follows from a condition (if, then, else), and dependentSchemas. A call is written one property after the
// other, and a value that is known rules out branches for the values behind it: see [Schema.Given].

// branchSet is a set of branches. The last one stands for all that are too many to be told apart.
type branchSet uint64

const (
	maxBranches             = 63
	otherBranches branchSet = 1 << maxBranches
)

// variant is what a branch, or several, says of a property.
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

// condition is a schema that holds under a condition.
type condition struct {
	then *Schema
	test *Schema    // nil if it is not known
	use  variantUse // of the properties of test
}

// readConditions returns what follows from if, then and else, each of which may be nil.
func readConditions(test, then, otherwise *Schema) (list []condition) {
	if then != nil {
		list = append(list, condition{then, test, needs})
	}
	if otherwise != nil {
		list = append(list, condition{otherwise, test, excludes})
	}
	return list
}

// branches collects the branches of a schema, and what they say of each property.
type branches struct {
	count    int // of branches that can be told apart
	budget   int // how many properties may still be visited
	closed   branchSet
	declared []Property           // without schemas; a name may come twice
	variants map[string][]variant // by name
}

// declareBranches declares in s the properties that its branches declare. If they say different things of a
// property, its types are alternatives. It visits at most as many properties as budget says.
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
		if t := p.schema; t != nil && (t.kinds != 0 || len(t.enum)+len(t.alts) > 0) { // s itself says of which type it is
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

// addAll adds the branches of s, and returns them.
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

// add adds a branch, or the branches that it has, and returns them. c is the condition of the branch.
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
	if c.test != nil && (c.use == needs || len(c.test.Properties) == 1) { // of several, one that differs is enough
		b.note(c.test, in, c.use)
	}
	return in
}

// note adds what branches say of the properties of s.
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

// orListed returns a schema for what fits s. If s is a string and some variants are enums, the schema has them as
// alternatives, so that the value is known when it ends.
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

// typeOf returns a schema that types a text as all variants do that declare a property in branches of the set. It
// returns nil if they differ, and whether there is any.
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

// isPlainAs reports whether s and t are of the same types, all of them scalar, and nothing else.
func (s *Schema) isPlainAs(t *Schema) bool {
	const scalars = kindNull | kindBoolean | kindInteger | kindNumber | kindString
	return s.kinds == t.kinds && s.kinds != 0 && s.kinds&^scalars == 0 && len(s.enum)+len(s.alts)+len(t.enum)+len(t.alts) == 0
}

// typeIn returns the schema of the property in the branches that are left of s.
func (s *Schema) typeIn(p *Property) *Schema {
	if p.ofBranches && s.ruledOut != 0 {
		if typ, _ := typeOf(p.variants, ^s.ruledOut); typ != nil {
			return typ
		}
	}
	return p.schema
}

// IsContested reports whether branches say different things of the property that s is of.
func (s *Schema) IsContested() bool { return s.contested }

// Given returns the schema of an object whose property of this tag has the value, a JSON text: s without the
// branches that the value rules out. If it rules out all, which only a wrong schema or a wrong call does, all stay.
// value is nil if it is not known. A value that may be any string rules out by its name alone: it may have been sent
// before it was whole.
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

// lists reports whether a JSON value is a member of the enum of s.
func (s *Schema) lists(value jsontext.Value) bool {
	if value.Kind() == '"' {
		isString, ok := s.enumTexts[rawjson.Unquote(value)]
		return ok && isString
	}
	isString, ok := s.enumTexts[rawjson.CompactString(value)]
	return ok && !isString
}
