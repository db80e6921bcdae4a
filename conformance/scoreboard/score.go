package scoreboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
)

// answer is a parser's result for a completion.
type answer struct {
	Calls []call  `json:"calls"`
	Text  string  `json:"text"`
	Error string  `json:"error"`
	MS    float64 `json:"ms"`
}

// verdict is the score of an answer.
type verdict int

const (
	exact   verdict = iota // the expected calls
	refused                // no call, but an error or the markup as text
	changed                // other calls than expected, or no call without any sign of it
	silent                 // the parser did not finish in time
)

func (v verdict) String() string {
	return []string{"exact", "refused", "silently changed", "not done"}[v]
}

// show is the answer for people.
func (a answer) show() string {
	const longest = 300
	var out strings.Builder
	if a.Error != "" {
		fmt.Fprintf(&out, "error %s", a.Error)
	}
	for _, c := range a.Calls {
		fmt.Fprintf(&out, "%s(%.*s) ", c.Name, longest, c.Input)
	}
	if a.Text != "" {
		fmt.Fprintf(&out, "and %.*q", longest, a.Text)
	}
	return out.String()
}

// judge compares an answer with the expected calls. Text matters only if a call is refused.
func (c *item) judge(a answer) verdict {
	if a.Error != "" {
		return refused
	}
	for _, calls := range c.Accepted {
		if sameCalls(a.Calls, calls) {
			return exact
		}
	}
	if len(a.Calls) == 0 && strings.Contains(strings.ToLower(a.Text), strings.ToLower(c.Accepted[0][0].Name)) {
		return refused
	}
	return changed
}

func sameCalls(a, b []call) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !reflect.DeepEqual(plain(a[i].Input), plain(b[i].Input)) {
			return false
		}
	}
	return true
}

// runs reports whether the input is a JSON object, so that a tool can be called with it.
func (c call) runs() bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(c.Input, &object) == nil && object != nil
}

// plain returns a JSON value where equal numbers have equal texts.
func plain(data json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err.Error()
	}
	return normal(v)
}

func normal(v any) any {
	switch v := v.(type) {
	case json.Number:
		const precision = 256
		if f, _, err := big.ParseFloat(string(v), 10, precision, big.ToNearestEven); err == nil {
			return "number " + f.Text('g', 60)
		}
		return v
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = normal(v[name])
		}
	case string:
		return "string " + v
	}
	return v
}

// tally counts verdicts.
type tally struct {
	of [silent + 1]int
	ms float64
}

func (t *tally) add(v verdict, ms float64) {
	t.of[v]++
	t.ms += ms
}

// join adds the counts of another tally.
func (t *tally) join(other tally) {
	for v, n := range other.of {
		t.of[v] += n
	}
	t.ms += other.ms
}

// cell returns the counts for a cell of a table.
func (t *tally) cell() string {
	cell := fmt.Sprintf("%d / %d / %d", t.of[exact], t.of[refused], t.of[changed])
	if n := t.of[silent]; n > 0 {
		cell += fmt.Sprintf(", %d not done", n)
	}
	return cell
}
