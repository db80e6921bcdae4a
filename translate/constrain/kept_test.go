package constrain_test

import (
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// BenchmarkAnswer makes the constraint of a forced call, with and without the cache.
func BenchmarkAnswer(b *testing.B) {
	for name, memo := range map[string]*translate.Memo{"new": nil, "kept": translate.NewMemo()} {
		b.Run(name, func(b *testing.B) {
			p := asked(b, "json", messages.ToolChoice{Type: messages.ChoiceAny}, tools, memo)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := translate.Constrain(b.Context(), p, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestKept checks that a constraint is made once for the same tools, and again for others.
func TestKept(t *testing.T) {
	memo := translate.NewMemo()
	made := func(choice string, list []messages.Tool) *translate.Constraint {
		c, err := translate.Constrain(t.Context(), asked(t, "json", messages.ToolChoice{Type: choice}, list, memo), true)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := made(messages.ChoiceAny, tools)
	if made(messages.ChoiceAny, tools) != first {
		t.Error("made anew")
	}
	if other := made(messages.ChoiceAny, tools[:1]); other.Grammar == first.Grammar {
		t.Error("the constraint of other tools")
	}
	if other := made(messages.ChoiceAuto, tools); other.Triggers == nil {
		t.Error("the constraint of another choice")
	}
}
