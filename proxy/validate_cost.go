package proxy

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The longest number and the largest exponent that are reckoned with.
const (
	maxNumber   = 400
	maxExponent = 3 // digits
)

// isReckonable tells whether it takes no more to reckon with a number than to read it.
func isSmallNumber(n json.Number) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	return len(n) <= maxNumber && len(strings.TrimLeft(exponent, "+-0")) <= maxExponent
}

// instance is a value that is to be checked.
type instance struct {
	value   any
	kind    string // of JSON Schema
	depth   int
	size    int // values in it, and itself
	members map[string]*instance
	items   []*instance
}

// maxInstanceDepth is how deep a value may be that is checked.
const maxInstanceDepth = 200

// readInstance takes a value apart; nil if it is too deep or holds a number beyond reckoning.
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

// work is what it takes to check a value: all of it, and how many schemas are gone through
// for the value itself, because the library looks for circles among these for each of them.
type work struct{ all, inPlace int }

// fitWork estimates the work of checks. It visits each schema once for each value that it
// is to hold for, where the library visits it on every way that leads there.
type costEstimate struct {
	known map[visit]work // in all -1 while it is being found
	left  int            // of visits that may still be done
}

type visit struct {
	schema *jsonschema.Schema
	value  *instance
}

// checkCost returns the work of checking a value, above budget if it takes more to tell.
func checkCost(s *jsonschema.Schema, v *instance, budget int) int {
	const visits = 2 // for one unit of work
	f := costEstimate{known: map[visit]work{}, left: visits * budget}
	return f.of(s, v).all/visits + 1
}

const endless = 1 << 30

// of returns at most endless, so that sums do not overflow.
func (f *costEstimate) of(s *jsonschema.Schema, v *instance) work {
	if s == nil || v == nil {
		return work{}
	}
	if f.left--; f.left < 0 {
		return work{endless, 1}
	}
	at := visit{s, v}
	if w, ok := f.known[at]; ok {
		if w.all < 0 {
			return work{endless, 1} // it leads back to itself
		}
		return w
	}
	f.known[at] = work{all: -1}
	w := work{1 + v.depth/16 + (len(v.members)+len(v.items)+len(s.Required)+len(s.DependentRequired))/4, 1}
	if s.Types == nil || hasType(s.Types.ToStrings(), v) {
		f.inPlace(&w, s, v)
		f.below(&w, s, v)
	}
	w.all = min(w.all+w.inPlace/256, endless)
	f.known[at] = w
	return w
}

func hasType(types []string, v *instance) bool {
	return len(types) == 0 || slices.Contains(types, v.kind) || v.kind == "number" && slices.Contains(types, "integer")
}

// inPlace adds the work of the schemas that have to hold for the value itself.
func (f *costEstimate) inPlace(w *work, s *jsonschema.Schema, v *instance) {
	if s.Enum != nil {
		w.all = min(w.all+1+len(s.Enum.Values)*v.size/4, endless)
	}
	if s.Const != nil {
		w.all += v.size
	}
	switch text := v.value.(type) {
	case string:
		w.all += len(text) / 256
	case json.Number: // it is made a fraction for each schema
		if len(text) > 20 || strings.ContainsAny(string(text), "eE") {
			w.all += 4
		}
	}
	if s.UniqueItems {
		w.all = min(w.all+v.size*min(len(v.items), 20), endless)
	}
	add := func(list ...*jsonschema.Schema) {
		for _, part := range list {
			p := f.of(part, v)
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
	// Where these lead is known only on the way.
	if s.RecursiveRef != nil || s.DynamicRef != nil {
		w.all = endless
	}
}

// below adds the work of the schemas that have to hold for what is in the value.
func (f *costEstimate) below(w *work, s *jsonschema.Schema, v *instance) {
	add := func(part *jsonschema.Schema, in *instance) {
		w.all = min(w.all+f.of(part, in).all, endless)
	}
	for name, in := range v.members {
		add(s.Properties[name], in)
		for _, part := range s.PatternProperties { // which match everything
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
