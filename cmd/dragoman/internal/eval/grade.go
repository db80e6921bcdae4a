package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// want is what is expected of an answer.
type want struct {
	calls []wantCall
	any   bool // one call or more, whatever it calls; calls is empty
	loose bool // values are compared by BFCL's rules: see same
}

// wantCall is a call that is expected, with its arguments by their names.
type wantCall struct {
	name string
	args map[string]wantArg
}

// wantArg is an argument of such a call: the values that will do, and whether the call may
// do without it.
type wantArg struct {
	allowed  []any
	optional bool
}

// Call is a call that the model made.
type Call struct {
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

// grade returns "" if the calls are those that are expected, each once and in any
// order, else what is wrong.
func (w want) grade(calls []Call) string {
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

// pairing gives each expected call a call of its own. A call may do for several expected
// ones: so a call that has been given to one is taken away again if that one can have
// another (an augmenting path in a bipartite graph).
type pairing struct {
	want  want
	calls []Call
	taken []int // by call: the number of the expected call that has it, from 1 on; 0 for none
}

// find gives the n-th expected call a call, and reports whether there was one. Calls that
// are seen are not tried: the search has been there.
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

// why returns how a call that no expected one has differs from the n-th expected: the first
// of the same name, or else the first.
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

// wrong returns "" if c will do for the expected call, else the first difference: in the
// name, in an argument that was given, or in one that is missing.
func (w want) wrong(expected wantCall, c Call) string {
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

// same reports whether a value will do where allowed is expected. Numbers are compared by
// their value. Strings have to be equal, or with w.loose alike in what BFCL compares of
// them; then an object may also be expected in BFCL's way.
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

// sameMembers reports whether an object will do where allowed is expected, which has in
// BFCL's way a list of the values that will do for each member. "" in the list says that
// the member may be missing.
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

// sameNumber reports whether two numbers are equal, whatever their spelling: 3, 3.0 and
// 0.3e1 are. Two that cannot be read are equal if they are spelled alike.
func sameNumber(a, b json.Number) bool {
	const precision = 256
	x, _, errX := big.ParseFloat(string(a), 10, precision, big.ToNearestEven)
	y, _, errY := big.ParseFloat(string(b), 10, precision, big.ToNearestEven)
	return a == b || errX == nil && errY == nil && x.Cmp(y) == 0
}

// ignored takes away what BFCL ignores in strings, beside case, and writes single quotes
// as double ones.
var ignored = strings.NewReplacer(" ", "", ",", "", ".", "", "/", "", "-", "", "_", "", "*", "", "^", "", "'", `"`)

// standard returns what BFCL compares of a string.
func standard(s string) string { return ignored.Replace(strings.ToLower(s)) }

// longest is how much of a value the report shows at most, in bytes.
const longest = 120

// show returns values as JSON for people to read, with "or" between them and long ones cut.
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
