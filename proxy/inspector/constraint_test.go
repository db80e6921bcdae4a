package inspector

import (
	"testing"

	"dragoman/translate"
)

// TestConstraintIsShown: the constraint of a prompt follows its parts.
func TestConstraintIsShown(t *testing.T) {
	p := &translate.Prompt{
		Turns:      []translate.Turn{{Role: "user", Parts: []translate.Part{{Type: translate.PartText, Text: "Go."}}}},
		Constraint: &translate.Constraint{Grammar: "root ::= \"a\"\n"},
	}
	var last section
	var shown string
	eachSection(p, func(s section, text string) { last, shown = s, text })
	if last.Role != "constraint" || shown != p.Constraint.Grammar {
		t.Errorf("%+v %q", last, shown)
	}
}
