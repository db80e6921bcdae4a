package eval

import (
	"slices"
	"testing"
)

// calls reads a model's calls.
func calls(t *testing.T, text string) []MadeCall {
	t.Helper()
	var list []MadeCall
	if err := unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestGrade grades by our own rules: a call must match exactly.
func TestGrade(t *testing.T) {
	const expected = `[
		{"name": "f", "input": {"n": 3, "s": "a b", "list": [1, "x"], "object": {"k": null, "b": true}}, "optional": ["list"], "accept": {"s": ["A", 7]}},
		{"name": "g", "input": {}}]`
	const g = `, {"name": "g", "input": {}}]`
	tests := []struct{ name, calls, why string }{
		{"as expected", `[{"name": "f", "input": {"n": 3, "s": "a b", "list": [1, "x"], "object": {"b": true, "k": null}}}` + g, ""},
		{"in another order", `[{"name": "g", "input": {}}, {"name": "f", "input": {"n": 3, "s": "a b", "list": [1, "x"], "object": {"b": true, "k": null}}}]`, ""},
		{"other spellings of numbers", `[{"name": "f", "input": {"n": 0.3e1, "s": "a b", "list": [1.0, "x"], "object": {"b": true, "k": null}}}` + g, ""},
		{"optional left out", `[{"name": "f", "input": {"n": 3, "s": "a b", "object": {"b": true, "k": null}}}` + g, ""},
		{"accepted", `[{"name": "f", "input": {"n": 3, "s": "A", "object": {"b": true, "k": null}}}` + g, ""},
		{"accepted of another type", `[{"name": "f", "input": {"n": 3, "s": 7, "object": {"b": true, "k": null}}}` + g, ""},
		{"string for a number", `[{"name": "f", "input": {"n": "3", "s": "A", "object": {"b": true, "k": null}}}` + g, `f: n is "3", expected: 3`},
		{"other letters", `[{"name": "f", "input": {"n": 3, "s": "a B", "object": {"b": true, "k": null}}}` + g, `f: s is "a B", expected: "a b" or "A" or 7`},
		{"white space", `[{"name": "f", "input": {"n": 3, "s": "a b\n", "object": {"b": true, "k": null}}}` + g, `f: s is "a b\n", expected: "a b" or "A" or 7`},
		{"order of a list", `[{"name": "f", "input": {"n": 3, "s": "A", "list": ["x", 1], "object": {"b": true, "k": null}}}` + g, `f: list is ["x",1], expected: [1,"x"]`},
		{"member left out", `[{"name": "f", "input": {"n": 3, "s": "A", "object": {"b": true}}}` + g, `f: object is {"b":true}, expected: {"b":true,"k":null}`},
		{"argument left out", `[{"name": "f", "input": {"s": "A", "object": {"b": true, "k": null}}}` + g, "f: n is missing"},
		{"argument too many", `[{"name": "f", "input": {"n": 3, "s": "A", "object": {"b": true, "k": null}}}, {"name": "g", "input": {"x": 1}}]`, "g: x is not expected"},
		{"another tool", `[{"name": "f", "input": {"n": 3, "s": "A", "object": {"b": true, "k": null}}}, {"name": "h", "input": {}}]`, "h was called, expected: g"},
		{"a call left out", `[{"name": "g", "input": {}}]`, "calls: 1, expected: 2"},
		{"no call", `[]`, "calls: 0, expected: 2"},
	}
	var list []expectedCall
	if err := unmarshal([]byte(expected), &list); err != nil {
		t.Fatal(err)
	}
	var w want
	for _, e := range list {
		c, err := e.read()
		if err != nil {
			t.Fatal(err)
		}
		w.calls = append(w.calls, c)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if why := w.grade(calls(t, test.calls)); why != test.why {
				t.Errorf("got  %s\nwant %s", why, test.why)
			}
		})
	}
}

// TestGradeNumbers: digits that a float64 would lose still count.
func TestGradeNumbers(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"9007199254740993", "9007199254740992", false},
		{"9007199254740993", "9007199254740993.0", true},
		{"1e400", "10e399", true},
		{"1e400", "1e401", false},
		{"0.1", "0.10", true},
		{"-0", "0", true},
	} {
		value := func(text string) any {
			var v any
			if err := unmarshal([]byte(text), &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
		if same := (want{}).same(value(test.a), value(test.b)); same != test.same {
			t.Errorf("%s and %s: %t", test.a, test.b, same)
		}
	}
}

// TestGradePairs: some calls match two of the expected calls.
func TestGradePairs(t *testing.T) {
	either := wantCall{"f", map[string]wantArg{"x": {allowed: []any{"a", "b"}}}}
	one := wantCall{"f", map[string]wantArg{"x": {allowed: []any{"a"}}}}
	w := want{calls: []wantCall{either, one}}
	if why := w.grade(calls(t, `[{"name": "f", "input": {"x": "a"}}, {"name": "f", "input": {"x": "b"}}]`)); why != "" {
		t.Error(why)
	}
	if why := w.grade(calls(t, `[{"name": "f", "input": {"x": "b"}}, {"name": "f", "input": {"x": "b"}}]`)); why != `f: x is "b", expected: "a"` {
		t.Error(why)
	}

	// With so many equal calls, trying every order would never end.
	many := want{calls: slices.Repeat([]wantCall{either}, 40)}
	many.calls[39] = one
	made := slices.Repeat(calls(t, `[{"name": "f", "input": {"x": "b"}}]`), 40)
	if why := many.grade(made); why != `f: x is "b", expected: "a"` {
		t.Error(why)
	}
}

// TestGradeAsBFCL grades by BFCL's rules.
func TestGradeAsBFCL(t *testing.T) {
	list, err := Load("testdata/bfcl/BFCL_v4_parallel_multiple.json")
	if err != nil {
		t.Fatal(err)
	}
	const multiply = `[{"name": "math_multiply", "input": {"a": 3.0, "b": 2.5}}, `
	for _, test := range []struct{ name, calls, why string }{
		{"as expected", multiply + `{"name": "book", "input": {"guest": {"type": "Adult", "ages": [30]}, "note": "late"}}]`, ""},
		{"letters and signs", multiply + `{"name": "book", "input": {"guest": {"type": "A-DULT."}, "note": "La te"}}]`, ""},
		{"optional left out", multiply + `{"name": "book", "input": {"guest": {"type": "adult"}}}]`, ""},
		{"member left out", multiply + `{"name": "book", "input": {"guest": {"ages": [30]}}}]`, `book: guest is {"ages":[30]}, expected: {"ages":["",[30]],"type":["Adult"]}`},
		{"member too many", multiply + `{"name": "book", "input": {"guest": {"type": "adult", "age": 30}}}]`, `book: guest is {"age":30,"type":"adult"}, expected: {"ages":["",[30]],"type":["Adult"]}`},
		{"another value", multiply + `{"name": "book", "input": {"guest": {"type": "adult", "ages": [31]}}}]`, `book: guest is {"ages":[31],"type":"adult"}, expected: {"ages":["",[30]],"type":["Adult"]}`},
		{"required left out", multiply + `{"name": "book", "input": {"note": ""}}]`, "book: guest is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if why := list.Questions[0].want.grade(calls(t, test.calls)); why != test.why {
				t.Errorf("got  %s\nwant %s", why, test.why)
			}
		})
	}

	relevance, err := Load("testdata/bfcl/BFCL_v4_live_irrelevance.json")
	if err != nil {
		t.Fatal(err)
	}
	call := calls(t, `[{"name": "book", "input": {}}]`)
	for i, test := range []struct{ none, some string }{{"", "calls: 1, expected: 0"}, {"no call, some call expected", ""}} {
		q := relevance.Questions[i]
		if none := q.want.grade(nil); none != test.none {
			t.Errorf("%s without a call: %q", q.ID, none)
		}
		if some := q.want.grade(call); some != test.some {
			t.Errorf("%s with a call: %q", q.ID, some)
		}
	}
}
