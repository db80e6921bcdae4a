package fidelity

import (
	"flag"
	"os"
	"strings"
	"testing"

	"dragoman/translate/testcost"
)

var update = flag.Bool("update", false, "write the table of damage into README.md")

// TestRoundTrip checks that the client gets what a model means, for as many instances as take a second
// or so; make fidelity takes a million.
func TestRoundTrip(t *testing.T) {
	if err := runTrips(t.Output(), uint64(testcost.Cases(4_000, 20_000))); err != nil {
		t.Fatal(err)
	}
}

// FuzzInstances is TestRoundTrip with instances that a fuzzer chooses.
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
		f.Add(uint8(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, kind uint8, seed uint64) {
		k := &DamageKinds[int(kind)%len(DamageKinds)]
		d, _, err := RunTrial(k, seed)
		if err != nil {
			t.Fatal(err)
		}
		if d.Result == Changed {
			t.Fatalf("%s, seed %d\nmeant\n%swritten (then %s)\n%q\nread\n%s", k.Name, seed, showCalls(d.Meant), d.Answer.Stop, d.Answer.Text, d.Read)
		}
	})
}

// TestDamage checks that nothing is changed silently, and that the table in README.md is what is
// measured. A brief run damages fewer writings of each kind, and compares the table without its figures.
func TestDamage(t *testing.T) {
	whole := *update || testcost.Long()
	perKind := 60
	if whole {
		perKind = 300
	}
	tallies, err := TallyAll(perKind)
	if err != nil {
		t.Fatal(err)
	}
	if err := silentChange(tallies); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), "from seed 1 -->\n")
	old, after, found := strings.Cut(rest, "<!-- end of damage -->")
	if !found {
		t.Fatal("README.md has no place for the table")
	}
	table := Table(tallies)
	if *update {
		if err := os.WriteFile("README.md", []byte(before+"from seed 1 -->\n"+table+"<!-- end of damage -->"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if whole && old != table || documented(old) != documented(table) {
		t.Errorf("README.md is stale: run go test ./translate/fidelity -run TestDamage -update\n%s", table)
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
