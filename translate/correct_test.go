package translate

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// scripted answers with one text after another. Each stops at the end of the calls. It records why
// it is asked.
type scripted struct {
	answers []string
	reasons []Reason
	last    *Prompt
}

func (s *scripted) ask(p *Prompt) iter.Seq2[Chunk, error] {
	s.reasons = append(s.reasons, p.Again())
	s.last = p
	return func(yield func(Chunk, error) bool) {
		if len(s.reasons) > len(s.answers) {
			yield(Chunk{}, errors.New("no answer is left"))
			return
		}
		answer := s.answers[len(s.reasons)-1]
		yield(Chunk{Text: answer, Stop: messages.StopSequence, StopSequence: CallsEnd, Usage: messages.Usage{InputTokens: 1, OutputTokens: 10}}, nil)
	}
}

// collectCorrected returns the answer to a request for a call of write. The checks require a
// readable call with a content other than "wrong".
func collectCorrected(t *testing.T, s *scripted) *messages.Message {
	t.Helper()
	req := benchRequest()
	req.MaxTokens = 1000
	req.Messages = []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Write."}}}}
	render := func(req *messages.Request, _ Reason) (*Prompt, error) { return Render(req, Target{Prefill: true}) }
	prompt, err := render(req, "")
	if err != nil {
		t.Fatal(err)
	}
	checks := &Checks{Readable: true, Inputs: map[string]func(jsontext.Value) string{"write": func(input jsontext.Value) string {
		if strings.Contains(string(input), "wrong") {
			return "It is wrong."
		}
		return ""
	}}}
	m, err := messages.Collect(checked(t, Corrected(req, prompt, s.ask, checks, render)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAskedAgain checks that all reasons to ask a model again share one budget.
func TestAskedAgain(t *testing.T) {
	whole := strings.TrimSuffix(callOf("right"), CallsEnd)
	wrong := strings.TrimSuffix(callOf("wrong"), CallsEnd)
	unread := strings.Replace(whole, "</content>", "\n\n", 1)
	open, closed, _ := strings.Cut(whole, "right")
	for name, tt := range map[string]struct {
		answers []string
		reasons []Reason
		content string // of the call that the client gets; "" if it is cut
	}{
		"right":                     {[]string{whole}, []Reason{""}, "right"},
		"wrong, right":              {[]string{wrong, whole}, []Reason{"", ReasonInvalid}, "right"},
		"wrong, wrong":              {[]string{wrong, wrong}, []Reason{"", ReasonInvalid}, "wrong"},
		"wrong, no answer":          {[]string{wrong}, []Reason{"", ReasonInvalid}, "wrong"},
		"unread, right":             {[]string{unread, whole}, []Reason{"", prompt.ReasonUnread}, "right"},
		"of another format, right":  {[]string{"<function=write><parameter=content>right</parameter></function>", whole}, []Reason{"", prompt.ReasonUnread}, "right"},
		"unread, wrong":             {[]string{unread, wrong}, []Reason{"", prompt.ReasonUnread}, "wrong"},
		"stopped":                   {[]string{open + "x", "y" + closed}, []Reason{"", ReasonStopped}, "x</function_calls>y"},
		"stopped, wrong, right":     {[]string{open + "x", "wrong" + closed, whole}, []Reason{"", ReasonStopped, ReasonInvalid}, "right"},
		"wrong, stopped, stopped":   {[]string{wrong, open + "x", "y", "z" + closed}, []Reason{"", ReasonInvalid, ReasonStopped, ReasonStopped}, "x</function_calls>y</function_calls>z"},
		"all that is in the budget": {[]string{open + "x", "y", "wrong" + closed, open + "x"}, []Reason{"", ReasonStopped, ReasonStopped, ReasonInvalid}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answers: tt.answers}
			m := collectCorrected(t, s)
			if diff := cmp.Diff(tt.reasons, s.reasons); diff != "" {
				t.Error(diff)
			}
			want := `write {"content":"` + tt.content + `"}`
			if tt.content == "" {
				want = "write {}" // no member of its input is complete
			}
			if got := show(m); !strings.Contains(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
			if want := 10 * len(tt.answers); m.Usage.OutputTokens < want { // the usage of an answer that is left early is an estimate, and may be higher
				t.Errorf("%d tokens, want %d", m.Usage.OutputTokens, want)
			}
		})
	}
}
