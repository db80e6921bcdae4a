package translate

import (
	"errors"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
)

// scripted answers with one text after another, each stopped at the end of the calls, and records
// why it is asked.
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

// collectCorrected returns the answer to a request for a call of write, which has to be readable and
// whose content must not be "wrong".
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

// TestAskedAgain holds that all reasons to ask a model again share one budget.
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
		"unread, right":             {[]string{unread, whole}, []Reason{"", ReasonUnread}, "right"},
		"unread, wrong":             {[]string{unread, wrong}, []Reason{"", ReasonUnread}, "wrong"},
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
				want = "write {}" // no member of its input came whole
			}
			if got := show(m); !strings.Contains(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
			if want := 10 * len(tt.answers); m.Usage.OutputTokens < want { // the usage of an answer that is left early is an estimate, and may be more
				t.Errorf("%d tokens, want %d", m.Usage.OutputTokens, want)
			}
		})
	}
}

// TestBudget holds that there is a bound for all reasons together, and one for each.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		asked   []Reason
		allowed int
	}{
		{[]Reason{ReasonStopped, ReasonStopped, ReasonStopped}, 2},
		{[]Reason{ReasonInvalid, ReasonUnread}, 1},
		{[]Reason{ReasonStopped, ReasonInvalid, ReasonStopped, ReasonStopped, ReasonUnread}, 3},
	} {
		var b budget
		allowed := 0
		for _, why := range tt.asked {
			if b.spend(why) {
				allowed++
			}
		}
		if allowed != tt.allowed {
			t.Errorf("%q: %d, want %d", tt.asked, allowed, tt.allowed)
		}
	}
}

// TestRefusals holds that each reason for which the parser gives a call back, or breaks one off that need not
// break off, has a sentence of its own.
func TestRefusals(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{} // the reason, by the sentence
	see := func(e ast.Expr) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Value == `""` || lit.Value == `"incomplete"` { // which breaks off
			return
		}
		reason := strings.Trim(lit.Value, `"`)
		why, ok := english.refusal(reason)
		switch other := said[why]; {
		case !ok || why == "":
			t.Errorf("nothing is said of the reason %s", reason)
		case other != "" && other != reason:
			t.Errorf("the same is said of %s as of %s", reason, other)
		}
		said[why] = reason
	}
	for _, name := range files {
		file, err := goparser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "giveBackCall" || f.Sel.Name == "giveBackLiteral") {
					see(n.Args[0])
				}
			case *ast.AssignStmt:
				if f, ok := n.Lhs[0].(*ast.SelectorExpr); ok && f.Sel.Name == "reason" {
					see(n.Rhs[0])
				}
			}
			return true
		})
	}
	for _, reason := range []string{messages.ReasonAmbiguous, messages.ReasonNoToolFits} {
		if why, ok := english.refusal(reason); !ok || why == "" {
			t.Errorf("nothing is said of the reason %s", reason)
		}
	}
	if len(said) < 7 {
		t.Errorf("only the reasons %v were found", slices.Collect(maps.Values(said)))
	}
}
