package chaos

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"dragoman/proxy"
	"dragoman/translate/testcost"
)

var update = flag.Bool("update", false, "write the table of docs/reference/faults.md")

// phases are the moments of an answer, in order.
var phases = []string{"connect", "headers", "first event", "mid text", "mid tool", "last frame"}

// places returns the place of a fault for each of the phases. Without a fault, an answer takes this many
// writes: the head, the events before the text, the text, more events, and the end of the body.
func (w wire) places(writes int) map[string]int {
	within := func(text string) int {
		if w.tools == proxy.ToolsNative {
			return 1 + slices.IndexFunc(nativeEvents, func(e string) bool { return strings.Contains(e, text) })
		}
		return 1 + w.lead + strings.Index(completed, text)*pieces/len(completed)
	}
	return map[string]int{
		"connect": connecting, "headers": 0, "first event": 1,
		"mid text": within("for you"), "mid tool": within("is a bird"), "last frame": writes - 2,
	}
}

// without reports the cells that do not exist.
func without(k kind, phase string) bool { return k == duplicate && phase == "connect" }

// TestMatrix runs every cell, and compares the outcomes with the page.
func TestMatrix(t *testing.T) {
	m := &matrix{cells: map[row]map[bool]map[string]string{}}
	t.Run("cells", func(t *testing.T) {
		for _, w := range slices.Concat(wires, nativeWires) {
			outcome, writes := cell{wire: w, stream: true}.run(t)
			if outcome != "whole" {
				t.Fatalf("%s without a fault: %s", w.name, outcome)
			}
			for _, k := range kinds {
				for phase, place := range w.places(writes) {
					if !without(k, phase) {
						m.run(t, w, k, phase, place)
					}
				}
			}
		}
	})
	m.hold(t, "../../docs/reference/faults.md")
}

// row is a row of the table.
type row struct {
	kind  kind
	phase string
}

// matrix collects the outcomes: by row, by streamed or not, and by wire.
type matrix struct {
	mu    sync.Mutex
	cells map[row]map[bool]map[string]string
}

// run runs the cells of one fault at one moment on one wire. The outcome must not depend on the client's HTTP
// version. With the race detector, make test uses one of the versions, and make fidelity uses both.
func (m *matrix) run(t *testing.T, w wire, k kind, phase string, place int) {
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprintf("%s/%s/%s/stream=%t", w.name, k, phase, stream), func(t *testing.T) {
			t.Parallel()
			http2 := (slices.Index(phases, phase)+slices.Index(kinds, k))%2 == 0
			outcome, _ := cell{w, &fault{kind: k, place: place}, stream, http2}.run(t)
			if testcost.Long() || *update {
				if other, _ := (cell{w, &fault{kind: k, place: place}, stream, !http2}).run(t); other != outcome {
					t.Errorf("over HTTP/2, %t: %s\nover the other: %s", http2, outcome, other)
				}
			}
			m.add(row{k, phase}, stream, w.name, outcome)
		})
	}
}

func (m *matrix) add(r row, stream bool, wire, outcome string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells[r] == nil {
		m.cells[r] = map[bool]map[string]string{true: {}, false: {}}
	}
	m.cells[r][stream][wire] = outcome
}

// table returns the outcomes as a table: the outcome of most wires first, then the exceptions. Moments with
// the same outcomes share a line.
func (m *matrix) table() string {
	var b strings.Builder
	b.WriteString("| fault | moment | streamed | whole |\n| --- | --- | --- | --- |\n")
	for _, k := range kinds {
		var moments []string
		outcomes := ""
		line := func() {
			if moments != nil {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", k, strings.Join(moments, ", "), outcomes)
			}
		}
		for _, phase := range phases {
			if without(k, phase) {
				continue
			}
			c := m.cells[row{k, phase}]
			if these := summary(c[true]) + " | " + summary(c[false]); these != outcomes {
				line()
				moments, outcomes = nil, these
			}
			moments = append(moments, phase)
		}
		line()
	}
	return b.String()
}

// summary describes the outcomes of a fault, by wire.
func summary(byWire map[string]string) string {
	wires := map[string][]string{}
	for _, wire := range slices.Sorted(maps.Keys(byWire)) {
		wires[byWire[wire]] = append(wires[byWire[wire]], wire)
	}
	outcomes := slices.SortedFunc(maps.Keys(wires), func(a, b string) int {
		return cmp.Or(len(wires[b])-len(wires[a]), strings.Compare(a, b))
	})
	s := outcomes[0]
	for _, other := range outcomes[1:] {
		s += "<br>" + strings.Join(wires[other], ", ") + ": " + other
	}
	return s
}

// hold compares the table with the table in the page, or writes it there.
func (m *matrix) hold(t *testing.T, path string) {
	const begin, end = "<!-- chaos: go test -C conformance ./chaos -update -->\n", "<!-- /chaos -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), begin)
	old, after, found := strings.Cut(rest, end)
	table := m.table()
	switch {
	case !found:
		t.Fatal(path + " has no place for the table")
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != table:
		t.Errorf("%s says otherwise; go test -C conformance ./chaos -update writes this:\n%s", path, table)
	}
}
