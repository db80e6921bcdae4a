package check

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The longest number that the check calculates with, and the limit of digits in its exponent.
const (
	maxNumber   = 400
	maxExponent = 3
)

// isSmallNumber reports whether calculating with a number takes about as much work as reading it. For 1e1000000 it does
// not: it becomes a million digits.
func isSmallNumber(n json.Number) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	return len(n) <= maxNumber && len(strings.TrimLeft(exponent, "+-0")) <= maxExponent
}

// maxDepth limits the nesting of a value, and the number of schemas that may lead from one to the next for one value.
const maxDepth = 200

// endless is more work than any budget allows.
const endless = 1 << 30

// rehearsal counts the work of a check along the library's own paths, and stops when the budget is spent.
type rehearsal struct{ left int }

// checkCost returns the work of checking a value; more than budget if the check should not be done.
func checkCost(s *jsonschema.Schema, v any, budget int) int {
	const steps = 2 // as many steps as take one unit of work
	r := rehearsal{steps * budget}
	r.measure(v, 0)
	r.check(s, v, 0, 0)
	return budget - r.left/steps + 1
}

// spend takes work from the budget, and reports whether there was enough.
func (r *rehearsal) spend(n int) bool {
	r.left -= min(n, endless)
	return r.left >= 0
}

// measure spends the number of values in v, and returns that number.
func (r *rehearsal) measure(v any, depth int) (size int) {
	if size = 1; depth > maxDepth || !r.spend(1) {
		r.spend(endless)
		return size
	}
	switch v := v.(type) {
	case json.Number:
		if !isSmallNumber(v) {
			r.spend(endless)
		}
	case []any:
		for _, item := range v {
			size += r.measure(item, depth+1)
		}
	case map[string]any:
		for _, member := range v {
			size += r.measure(member, depth+1)
		}
	}
	return size
}

// check spends the work of checking v against s. around is the number of schemas that have led to s for the same value:
// the library searches all of them for a circle.
func (r *rehearsal) check(s *jsonschema.Schema, v any, depth, around int) {
	if s == nil {
		return
	}
	if around > maxDepth || !r.spend(1+depth/16+around/32+(len(s.Required)+len(s.DependentRequired))/2) {
		r.spend(endless)
		return
	}
	if s.Types != nil && !hasType(s.Types.ToStrings(), v) {
		return
	}
	if s.Enum != nil || s.Const != nil || s.UniqueItems {
		times := 1
		if s.Enum != nil {
			times += len(s.Enum.Values)
		}
		if list, ok := v.([]any); ok && s.UniqueItems {
			times += min(len(list), 20)
		}
		r.spend(times * r.measure(v, depth) / 2)
	}
	if n, ok := v.(json.Number); ok && (len(n) > 20 || strings.ContainsAny(string(n), "eE")) {
		r.spend(8) // each schema takes a fraction of this
	}
	// The targets of these references depend on the path that led here. The rehearsal does not follow them.
	if s.RecursiveRef != nil || s.DynamicRef != nil {
		r.spend(endless)
	}
	for _, list := range [][]*jsonschema.Schema{{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf} {
		for _, part := range list {
			r.check(part, v, depth, around+1)
		}
	}
	for _, part := range s.DependentSchemas {
		r.check(part, v, depth, around+1)
	}
	for _, dependency := range s.Dependencies {
		part, _ := dependency.(*jsonschema.Schema)
		r.check(part, v, depth, around+1)
	}
	switch v := v.(type) {
	case string:
		r.spend(len(v) / 128)
	case map[string]any:
		for name, member := range v {
			r.check(s.PropertyNames, name, depth, 0)
			r.check(s.Properties[name], member, depth+1, 0)
			for _, part := range s.PatternProperties { // compiled patterns match every text: see anyText
				r.check(part, member, depth+1, 0)
			}
			additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
			r.check(additional, member, depth+1, 0)
			r.check(s.UnevaluatedProperties, member, depth+1, 0)
		}
	case []any:
		r.items(s, v, depth+1)
	}
}

// items spends the work of checking the items of a list.
func (r *rehearsal) items(s *jsonschema.Schema, list []any, depth int) {
	each, _ := s.Items.(*jsonschema.Schema)
	inTurn, _ := s.Items.([]*jsonschema.Schema)
	additional, _ := s.AdditionalItems.(*jsonschema.Schema)
	for i, item := range list {
		if i < len(s.PrefixItems) {
			r.check(s.PrefixItems[i], item, depth, 0)
		} else {
			r.check(s.Items2020, item, depth, 0)
		}
		if i < len(inTurn) {
			r.check(inTurn[i], item, depth, 0)
		} else {
			r.check(additional, item, depth, 0)
		}
		for _, part := range []*jsonschema.Schema{each, s.Contains, s.UnevaluatedItems} {
			r.check(part, item, depth, 0)
		}
	}
}

// hasType reports whether a schema with these types applies to a value. Without types, it applies to every value.
func hasType(types []string, v any) bool {
	var of string
	switch v.(type) {
	case nil:
		of = "null"
	case bool:
		of = "boolean"
	case string:
		of = "string"
	case json.Number:
		of = "number"
	case []any:
		of = "array"
	case map[string]any:
		of = "object"
	}
	return len(types) == 0 || slices.Contains(types, of) || of == "number" && slices.Contains(types, "integer")
}
