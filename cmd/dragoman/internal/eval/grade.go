package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// want is the expected answer.
type want struct {
	calls []wantCall
	any   bool // at least one call of any tool; calls is then empty
	loose bool // compare values by BFCL's rules: see same
}

// wantCall is an expected call with its arguments.
type wantCall struct {
	name string
	args map[string]wantArg
}

// wantArg is an argument of an expected call: its accepted values, and whether it is optional.
type wantArg struct {
	allowed  []any
	optional bool
}

// MadeCall is a call that the model made.
type MadeCall struct {
	Name    string         `json:"name"`
	Input   map[string]any `json:"input"`
	Result  string         `json:"result,omitempty"` // in a loop: what the tool returned
	IsError bool           `json:"is_error,omitempty"`
}

// grade returns "" if the calls are exactly the expected ones, in any order; otherwise it returns what is wrong.
func (w want) grade(calls []MadeCall) string {
	switch {
	case w.any && len(calls) > 0:
		return ""
	case w.any:
		return "no call, some call expected"
	case len(calls) != len(w.calls):
		return fmt.Sprintf("calls: %d, expected: %d", len(calls), len(w.calls))
	}
	p := pairing{w, calls, make([]int, len(calls))}
	for n := range w.calls {
		if !p.find(n, make([]bool, len(calls))) {
			return p.why(n)
		}
	}
	return ""
}

// pairing assigns a call to each expected call. A call may match several expected calls, so an assigned call is taken
// away again if its expected call can have another one (an augmenting path in a bipartite graph).
type pairing struct {
	want  want
	calls []MadeCall
	taken []int // by call: the number of its expected call, from 1; 0 for none
}

// find assigns a call to the n-th expected call, and reports whether that worked. It skips calls that are seen, because
// the search has already tried them.
func (p pairing) find(n int, seen []bool) bool {
	for i, c := range p.calls {
		if seen[i] || p.want.wrong(p.want.calls[n], c) != "" {
			continue
		}
		seen[i] = true
		if p.taken[i] == 0 || p.find(p.taken[i]-1, seen) {
			p.taken[i] = n + 1
			return true
		}
	}
	return false
}

// why returns how an unassigned call differs from the n-th expected call. It prefers a call with the same name.
func (p pairing) why(n int) (why string) {
	for i, c := range p.calls {
		same := c.Name == p.want.calls[n].name
		if p.taken[i] == 0 && (why == "" || same) {
			why = p.want.wrong(p.want.calls[n], c)
		}
		if p.taken[i] == 0 && same {
			break
		}
	}
	return why
}

// wrong returns "" if c matches the expected call. Otherwise it returns the first difference: in the name, in a given
// argument, or in a missing one.
func (w want) wrong(expected wantCall, c MadeCall) string {
	if c.Name != expected.name {
		return fmt.Sprintf("%s was called, expected: %s", c.Name, expected.name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Input)) {
		arg, known := expected.args[name]
		switch {
		case !known:
			return fmt.Sprintf("%s: %s is not expected", c.Name, name)
		case !slices.ContainsFunc(arg.allowed, func(a any) bool { return w.same(a, c.Input[name]) }):
			return fmt.Sprintf("%s: %s is %s, expected: %s", c.Name, name, show(c.Input[name]), show(arg.allowed...))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected.args)) {
		if _, given := c.Input[name]; !given && !expected.args[name].optional {
			return fmt.Sprintf("%s: %s is missing", c.Name, name)
		}
	}
	return ""
}

// same reports whether got matches the expected value allowed. Numbers are compared by value. Strings must be equal;
// with w.loose they only must be alike in what BFCL compares, and allowed may be an object in BFCL's layout.
func (w want) same(allowed, got any) bool {
	switch a := allowed.(type) {
	case json.Number:
		g, ok := got.(json.Number)
		return ok && sameNumber(a, g)
	case string:
		g, ok := got.(string)
		return ok && (a == g || w.loose && standard(a) == standard(g))
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(a, g, w.same)
	case map[string]any:
		g, ok := got.(map[string]any)
		return ok && (maps.EqualFunc(a, g, w.same) || w.loose && w.sameMembers(a, g))
	default:
		return allowed == got // true, false, null
	}
}

// sameMembers reports whether an object matches allowed, an object in BFCL's layout with a list of accepted values for
// each field. "" in a list means that the field may be missing.
func (w want) sameMembers(allowed, got map[string]any) bool {
	for name := range got {
		if _, known := allowed[name]; !known {
			return false
		}
	}
	for name, values := range allowed {
		list, ok := values.([]any)
		value, given := got[name]
		switch {
		case !ok:
			return false
		case !given && !slices.Contains(list, any("")):
			return false
		case given && !slices.ContainsFunc(list, func(a any) bool { return w.same(a, value) }):
			return false
		}
	}
	return true
}

// sameNumber reports whether two numbers are equal, however they are written: 3, 3.0 and 0.3e1 are equal. Unreadable
// numbers are equal if their texts are.
func sameNumber(a, b json.Number) bool {
	const precision = 256
	x, _, errX := big.ParseFloat(string(a), 10, precision, big.ToNearestEven)
	y, _, errY := big.ParseFloat(string(b), 10, precision, big.ToNearestEven)
	return a == b || errX == nil && errY == nil && x.Cmp(y) == 0
}

// ignored removes what BFCL ignores in strings, besides case, and turns single quotes into double ones.
var ignored = strings.NewReplacer(" ", "", ",", "", ".", "", "/", "", "-", "", "_", "", "*", "", "^", "", "'", `"`)

// standard returns the part of a string that BFCL compares.
func standard(s string) string { return ignored.Replace(strings.ToLower(s)) }

// longest is the longest text of a value in the report, in bytes.
const longest = 120

// show returns values as JSON for people, joined by "or", with long ones cut.
func show(values ...any) string {
	var list []string
	for _, v := range values {
		b := marshal(v)
		if len(b) > longest {
			b = append([]byte(strings.ToValidUTF8(string(b[:longest]), "")), "…"...)
		}
		list = append(list, string(b))
	}
	return strings.Join(list, " or ")
}
