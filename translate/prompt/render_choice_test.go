package prompt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/messages"
)

// TestChoiceLeavesWhatIsCached checks that the start of the system prompt, with the tools and the
// client's text, does not depend on settings of the answer, and that the instructions follow in
// their order.
func TestChoiceLeavesWhatIsCached(t *testing.T) {
	tools := []messages.Tool{{Name: "f", Description: "F"}, {Name: "g"}}
	system := []messages.BlockParam{{Type: messages.BlockText, Text: "Be brief."}, {Type: messages.BlockText, Text: "Be <tools> kind."}}
	choices := []messages.ToolChoice{{Type: messages.ChoiceAuto}, {Type: messages.ChoiceAny}, {Type: messages.ChoiceTool, Name: "g"}, {Type: messages.ChoiceNone}}
	for _, target := range []Target{{}, {Prefill: true}, {TextWire: true, ModelOptions: ModelOptions{Language: "fr"}}, {ModelOptions: ModelOptions{Format: format.JSON}}, {ModelOptions: ModelOptions{Format: format.Attribute, Language: language.Auto}}} {
		before := mustRender(t, &messages.Request{Messages: []messages.MessageParam{user("hi")}, Tools: tools, System: system}, target).System
		l := LanguageOf(target.Language, &messages.Request{}, nil)
		f, err := format.Named(target.Format)
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range choices {
			for _, single := range []bool{false, true} {
				for _, thinking := range []messages.Thinking{messages.ThinkingOff, messages.ThinkingShown, messages.ThinkingOmitted} {
					for _, schema := range []string{"", `{"type":"object"}`} {
						choice.DisableParallelToolUse = single
						req := &messages.Request{
							Messages: []messages.MessageParam{user("hi")}, Tools: tools, System: system,
							ToolChoice: choice, Thinking: thinking, OutputSchema: jsontext.Value(schema),
						}
						var want []Text
						switch {
						case choice.Type == messages.ChoiceNone:
							want = append(want, Text{Text: l.CallNoTool})
						case single:
							want = append(want, Text{Text: l.OneCallAtATime})
						}
						if thinking != messages.ThinkingOff {
							want = append(want, Text{Text: strings.ReplaceAll(l.ThinkFirst, "thinking>", f.ThinkingTag()+">")})
						}
						if schema != "" {
							want = append(want, Text{Text: l.AnswerInJSON + schema})
						} else {
							req.OutputSchema = nil
						}
						name := fmt.Sprintf("%+v, %+v, thinking %d, schema %s", target, choice, thinking, schema)
						got := mustRender(t, req, target).System
						if len(got) < len(before) || !slices.EqualFunc(got[:len(before)], before, sameText) {
							t.Fatalf("%s: the prompt begins with\n%v, not with\n%v", name, got, before)
						}
						if !slices.EqualFunc(got[len(before):], want, sameText) {
							t.Errorf("%s: configured by\n%q, want\n%q", name, got[len(before):], want)
						}
					}
				}
			}
		}
	}
}

func sameText(a, b Text) bool { return a.Text == b.Text }
