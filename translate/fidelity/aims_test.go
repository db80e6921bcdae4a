package fidelity

import "testing"

// aims are the lowest shares of damaged writings that translate must read exactly as meant, in percent. No
// kind of damage may change a call silently: see TestDamage.
var aims = map[string]int{
	"a value not closed":                     95,
	"no value closed":                        85,
	"a value closed by a word":               95,
	"closing tags of two values swapped":     95,
	"opening tag instead of the closing one": 95,
	"invoke doubled":                         95,
	"prose in the invoke":                    95,
	"prose between parameters":               95,
	"white space around values":              60, // the others are read as written
}

// TestAims checks the aims.
func TestAims(t *testing.T) {
	const n = 2000 // the shares of fewer vary by some percent
	found := 0
	for i := range DamageKinds {
		k := &DamageKinds[i]
		least, ok := aims[k.Name]
		if !ok || k.Format != "" {
			continue
		}
		found++
		tally, err := TallyKind(k, 1, n)
		if err != nil {
			t.Fatal(err)
		}
		if exact := tally.Count[Exact]; 100*exact < least*n {
			t.Errorf("%s: %.1f %% are read exactly; want %d %%", k.Name, 100*float64(exact)/float64(n), least)
		}
	}
	if found != len(aims) {
		t.Errorf("%d of %d aims are for a kind that there is", found, len(aims))
	}
}
