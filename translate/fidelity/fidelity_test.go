package fidelity

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of damage into README.md")

// TestRoundTrip checks that the client gets what a model means, for as many instances as take a few
// seconds; make fidelity takes a million.
func TestRoundTrip(t *testing.T) {
	n := uint64(20_000)
	if testing.Short() {
		n = 2_000
	}
	if err := runTrips(t.Output(), n); err != nil {
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
// measured.
func TestDamage(t *testing.T) {
	const perKind = 300
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
	} else if old != table {
		t.Errorf("README.md is stale: run go test ./translate/fidelity -run TestDamage -update\n%s", table)
	}
}
