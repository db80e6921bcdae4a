package fidelity

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

var update = flag.Bool("update", false, "write the table of damage into README.md")

// TestRoundTrip checks that the client gets what a model means. It runs for about a second; make fidelity
// checks a million instances.
func TestRoundTrip(t *testing.T) {
	if err := runTrips(t.Output(), 0, uint64(testcost.Cases(4_000, 20_000))); err != nil {
		t.Fatal(err)
	}
}

// FuzzInstances does what TestRoundTrip does, with instances that the fuzzer chooses.
func FuzzInstances(f *testing.F) {
	f.Add([]byte("a"))
	f.Add([]byte{0, 0, 0, 255, 255, 255, 40, 80, 120, 160, 200, 240})
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := roundTrip(fromBytes(data)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzDamage checks that no damage changes a call silently.
func FuzzDamage(f *testing.F) {
	for i := range DamageKinds {
		f.Add(uint16(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, kind uint16, seed uint64) {
		k := &DamageKinds[int(kind)%len(DamageKinds)]
		d, _, err := RunTrial(k, seed)
		if err != nil {
			t.Fatal(err)
		}
		if d.Result == Changed {
			t.Fatalf("%s, seed %d\n%s", k, seed, &d)
		}
	})
}

// TestDamage checks that no call is changed silently, and that the tables in README.md match the
// measurement. A brief run damages fewer writings of each kind, and compares the tables without their
// figures.
func TestDamage(t *testing.T) {
	const all = 300
	perKind := testcost.Cases(15, all)
	if *update {
		perKind = all
	}
	whole := perKind == all
	tallies, err := TallyAll(perKind)
	if err != nil {
		t.Fatal(err)
	}
	if err := silentChange(tallies); err != nil {
		t.Error(err)
	}
	if whole {
		checkReasons(t, tallies)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for i, table := range Tables(tallies) {
		name := []string{"damage", "damage in elements", "damage in other formats"}[i]
		start, end := "<!-- "+name+": 300 writings of each kind, from seed 1 -->\n", "<!-- end of "+name+" -->"
		before, rest, _ := strings.Cut(text, start)
		old, after, found := strings.Cut(rest, end)
		switch {
		case !found:
			t.Fatal("README.md has no place for the table of", name)
		case *update:
			text = before + start + table + end + after
		case whole && old != table || documented(old) != documented(table):
			t.Errorf("README.md is stale: run go test ./translate/fidelity -run TestDamage -update\n%s", table)
		}
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkReasons checks that each reason of an outcome comes from damage, except reasons that no text of an answer
// alone can give.
func checkReasons(t *testing.T, tallies []*Tally) {
	elsewhere := map[messages.Reason]bool{
		messages.ReasonTooLong: true,                                     // the text is longer than these
		messages.ReasonEcho:    true, messages.ReasonExampleCopied: true, // the prompt has an example
		messages.ReasonLostByServer: true, messages.ReasonAskedAgain: true, messages.ReasonToolChoice: true, // a request or server with more than text
		messages.ReasonRepeated: true, // the conversation has the call
	}
	for _, reason := range messages.Reasons() {
		given := slices.ContainsFunc(tallies, func(tally *Tally) bool { return tally.Reasons[reason] })
		if given == elsewhere[reason] {
			t.Errorf("%s: given by damage: %t", reason, given)
		}
	}
}

// documented returns a table of damage without its figures.
func documented(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		columns := strings.Split(line, " | ")
		b.WriteString(strings.Join(columns[:min(2, len(columns))], " | ") + "\n")
	}
	return b.String()
}

// TestForms holds that calls are written and damaged in every format that the parser reads, but for some that
// nobody writes.
func TestForms(t *testing.T) {
	for _, name := range translate.AcceptedFormats() {
		if !slices.Contains(formats, name) && !slices.Contains([]string{"kimi-k3", "step3", "minimax-m3"}, name) {
			t.Errorf("%s has no form", name)
		}
	}
}
