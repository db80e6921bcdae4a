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
	"prose before the parameters":            95,
	"prose between parameters":               95,
	"white space around values":              60, // the others are read as written
}

// TestAims checks the aims in the legacy and attribute formats. Every second seed is for each of them.
func TestAims(t *testing.T) {
	const n = 2000 // the shares of fewer vary by some percent
	for name, least := range aims {
		var kinds []*DamageKind
		for i := range DamageKinds {
			if k := &DamageKinds[i]; k.name == name && forms[k.Format][0].group&ours != 0 {
				kinds = append(kinds, k)
			}
		}
		exact, all := 0, 0
		for seed := 0; all < n && len(kinds) > 0; seed++ {
			d, ok, err := RunTrial(kinds[seed%len(kinds)], uint64(seed/len(kinds)))
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				all++
			}
			if ok && d.Result == Exact {
				exact++
			}
		}
		if 100*exact < least*all || all == 0 {
			t.Errorf("%s: %d of %d are read exactly; want %d %%", name, exact, all, least)
		}
	}
}
