package messages

import (
	"slices"
	"strings"
	"testing"
)

// TestNames checks that each name of the API is recognized, also in another case, and that other
// names are not.
func TestNames(t *testing.T) {
	for _, name := range apiNames {
		client := slices.Contains(freeNames, name)
		if meant, free := lookUpName([]byte(name)); meant != "" || free != client {
			t.Errorf("%s: %q, %v", name, meant, free)
		}
		other := strings.ToUpper(name[:1]) + name[1:]
		if meant, _ := lookUpName([]byte(other)); meant != name {
			t.Errorf("%s: %q", other, meant)
		}
		if meant, free := lookUpName([]byte(name + "x")); meant != "" || !free && !slices.Contains(apiNames, name+"x") {
			t.Errorf("%sx: %q, %v", name, meant, free)
		}
	}
}
