package proxy

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The longest number that is calculated with, and the most digits of its exponent.
const (
	maxNumber   = 400
	maxExponent = 3
)

// isSmallNumber reports whether calculating with a number takes about as much work as
// reading it. 1e1000000 does not: it becomes a million digits.
func isSmallNumber(n json.Number) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	return len(n) <= maxNumber && len(strings.TrimLeft(exponent, "+-0")) <= maxExponent
}

// instance is a value that is to be checked, with what the estimate needs to know of it.
type instance struct {
	value   any
	kind    string // the name of its type in JSON Schema
	depth   int
	size    int // the number of values in it, itself included
	members map[string]*instance
	items   []*instance
}

// maxInstanceDepth is how deep a value may be nested.
const maxInstanceDepth = 200

// readInstance returns an instance for a value of encoding/json, nil if it is nested too
// deep or holds a number that is not small.
func readInstance(value any, depth int) *instance {
	in := &instance{value: value, depth: depth, size: 1}
	if depth > maxInstanceDepth {
		return nil
	}
	switch v := value.(type) {
	case nil:
		in.kind = "null"
	case bool:
		in.kind = "boolean"
	case string:
		in.kind = "string"
	case json.Number:
		in.kind = "number"
		if !isSmallNumber(v) {
			return nil
		}
	case []any:
		in.kind = "array"
		in.items = make([]*instance, len(v))
		for i := range v {
			if in.items[i] = readInstance(v[i], depth+1); in.items[i] == nil {
				return nil
			}
			in.size += in.items[i].size
		}
	case map[string]any:
		in.kind = "object"
		in.members = make(map[string]*instance, len(v))
		for name := range v {
			if in.members[name] = readInstance(v[name], depth+1); in.members[name] == nil {
				return nil
			}
			in.size += in.members[name].size
		}
	}
	return in
}

// work is the work of checking a value against a schema.
type work struct {
	all int
	// inPlace is the number of schemas that are applied to the value itself. For each of
	// them the library looks through the others for a circle.
	inPlace int
}

// costEstimate adds up the work of a check. It visits each pair of a schema and a value
// once, also where the library comes to the pair on many paths and does its work again
// on each.
type costEstimate struct {
	known map[visit]work // all is -1 while the pair is being visited
	left  int            // visits that may still be done
}

// visit is a pair of a schema and a value that it is applied to.
type visit struct {
	schema *jsonschema.Schema
	value  *instance
}

// checkCost returns the work of checking a value. It is above budget, and not exact, if
// the estimate itself takes too many visits.
func checkCost(s *jsonschema.Schema, v *instance, budget int) int {
	const visits = 2 // that take as long as one unit of work
	c := costEstimate{known: map[visit]work{}, left: visits * budget}
	return c.of(s, v).all/visits + 1
}

// endless is more work than any budget has. Sums stop there, and do not overflow.
const endless = 1 << 30

// of returns the work of checking v against s, endless if the check leads back to itself.
func (c *costEstimate) of(s *jsonschema.Schema, v *instance) work {
	if s == nil || v == nil {
		return work{}
	}
	if c.left--; c.left < 0 {
		return work{endless, 1}
	}
	at := visit{s, v}
	if w, ok := c.known[at]; ok {
		if w.all < 0 { // it is being visited
			return work{endless, 1}
		}
		return w
	}
	c.known[at] = work{all: -1}
	w := work{1 + v.depth/16 + (len(v.members)+len(v.items)+len(s.Required)+len(s.DependentRequired))/4, 1}
	if s.Types == nil || hasType(s.Types.ToStrings(), v) {
		c.inPlace(&w, s, v)
		c.below(&w, s, v)
	}
	w.all = min(w.all+w.inPlace/256, endless)
	c.known[at] = w
	return w
}

// hasType reports whether a schema with these types applies to the value; none are all.
func hasType(types []string, v *instance) bool {
	return len(types) == 0 || slices.Contains(types, v.kind) || v.kind == "number" && slices.Contains(types, "integer")
}

// inPlace adds the work of the schemas within s that apply to the value itself.
func (c *costEstimate) inPlace(w *work, s *jsonschema.Schema, v *instance) {
	if s.Enum != nil {
		w.all = min(w.all+1+len(s.Enum.Values)*v.size/4, endless)
	}
	if s.Const != nil {
		w.all += v.size
	}
	switch text := v.value.(type) {
	case string:
		w.all += len(text) / 256
	case json.Number: // each schema makes a fraction of it
		if len(text) > 20 || strings.ContainsAny(string(text), "eE") {
			w.all += 4
		}
	}
	if s.UniqueItems {
		w.all = min(w.all+v.size*min(len(v.items), 20), endless)
	}
	add := func(list ...*jsonschema.Schema) {
		for _, part := range list {
			p := c.of(part, v)
			w.all = min(w.all+p.all, endless)
			w.inPlace = min(w.inPlace+p.inPlace, endless)
		}
	}
	add(s.Ref, s.Not, s.If, s.Then, s.Else)
	add(s.AllOf...)
	add(s.AnyOf...)
	add(s.OneOf...)
	for _, part := range s.DependentSchemas {
		add(part)
	}
	for _, dependency := range s.Dependencies {
		if part, ok := dependency.(*jsonschema.Schema); ok {
			add(part)
		}
	}
	// Where these lead depends on how the check came here. They are not followed.
	if s.RecursiveRef != nil || s.DynamicRef != nil {
		w.all = endless
	}
}

// below adds the work of the schemas within s that apply to the parts of the value.
func (c *costEstimate) below(w *work, s *jsonschema.Schema, v *instance) {
	add := func(part *jsonschema.Schema, in *instance) {
		w.all = min(w.all+c.of(part, in).all, endless)
	}
	for name, in := range v.members {
		add(s.Properties[name], in)
		for _, part := range s.PatternProperties { // whose patterns match everything
			add(part, in)
		}
		if part, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			add(part, in)
		}
		add(s.UnevaluatedProperties, in)
		if s.PropertyNames != nil {
			add(s.PropertyNames, &instance{value: name, kind: "string", depth: in.depth, size: 1})
		}
	}
	items, _ := s.Items.(*jsonschema.Schema)
	inTurn, _ := s.Items.([]*jsonschema.Schema)
	additional, _ := s.AdditionalItems.(*jsonschema.Schema)
	for i, in := range v.items {
		if i < len(s.PrefixItems) {
			add(s.PrefixItems[i], in)
		} else {
			add(s.Items2020, in)
		}
		if i < len(inTurn) {
			add(inTurn[i], in)
		} else {
			add(additional, in)
		}
		add(items, in)
		add(s.Contains, in)
		add(s.UnevaluatedItems, in)
	}
}
