package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
	"dragoman/upstream/upstreamtest"
)

// hookedModel is the simulated model with a function that runs before each answer, and may return an error instead.
type hookedModel struct {
	upstream.Func
	mu     sync.Mutex
	asked  int
	before func(n int, m upstream.Model) error
}

func (c *hookedModel) Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error) {
	return upstream.Func(c.answer).Prepare(m, p)
}

func (c *hookedModel) answer(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.before != nil {
		if err := c.before(c.asked, m); err != nil {
			return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
		}
	}
	return simulated.New().Func(ctx, m, p)
}

// options returns the options of a run with the built-in questions, except the loops.
func options(t *testing.T, via proxy.Upstream) Options {
	t.Helper()
	list, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Model:     Model{Name: "sim", UpstreamModel: proxy.UpstreamModel{Upstream: "sim", Model: "sim"}, Upstream: via},
		Questions: withoutLoops(list), Formats: translate.Formats(), Out: t.TempDir(), Concurrency: 3,
		About: About{Set: "the built-in questions", Upstream: "sim", Version: "test"},
	}
}

// withoutLoops returns the questions that take one answer.
func withoutLoops(list []Question) []Question {
	return slices.DeleteFunc(list, func(q Question) bool { return q.loop != nil })
}

func readFile(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestResume stops a run in the middle of a line of results, and continues it. The report is the same as without the
// stop, and no question is asked twice.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := options(t, simulated.New())
		if _, err := Run(t.Context(), whole); err != nil {
			t.Fatal(err)
		}

		ctx, cancel := context.WithCancel(t.Context())
		model := &hookedModel{before: func(n int, _ upstream.Model) error {
			if n == 20 {
				cancel()
			}
			return nil
		}}
		o := options(t, model)
		_, err := Run(ctx, o)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the same command continues") {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(o.Out, MarkdownFile)); err == nil {
			t.Error("there is a report of part of the questions")
		}
		path := filepath.Join(o.Out, ResultsFile)
		kept := readFile(t, path)
		answered := strings.Count(kept, "\n")
		if answered == 0 || answered >= 20 {
			t.Fatalf("%d answers were kept", answered)
		}
		torn := kept + kept[:strings.IndexByte(kept, '\n')/2]
		if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}

		model.asked, model.before = 0, nil
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if want := len(o.Questions)*len(o.Formats) - answered; model.asked != want {
			t.Errorf("asked %d questions, want %d", model.asked, want)
		}
		if got, want := readFile(t, o.Out, MarkdownFile), readFile(t, whole.Out, MarkdownFile); got != want {
			t.Errorf("the report is\n%s\nin one go\n%s", got, want)
		}
		if lines := strings.Count(readFile(t, path), "\n"); lines != len(o.Questions)*len(o.Formats) {
			t.Errorf("there are %d results", lines)
		}

		model.asked = 0
		o.Questions[0].digest = "another question by the same id"
		if _, err := Run(t.Context(), o); err != nil || model.asked != len(o.Formats) {
			t.Errorf("%v, asked %d questions", err, model.asked)
		}
	})
}

// TestNoAnswer: questions whose upstream fails count in no figure, are reported, and are asked again.
func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &hookedModel{before: func(int, upstream.Model) error {
			return &upstream.Error{Status: 400, Type: "invalid_request_error", Message: "no"}
		}}
		o := options(t, model)
		o.Questions, o.Formats = o.Questions[:2], o.Formats[:1]
		report, err := Run(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), "2 of 2 questions got no answer") || !strings.Contains(err.Error(), "400 invalid_request_error: no") {
			t.Fatal(err)
		}
		if s := report.Formats[0]; s.Failed != 2 || s.Right != 0 || s.cells()[3] != "–" {
			t.Errorf("got %+v", s)
		}
		if model.asked != 2 {
			t.Errorf("asked %d times: to ask again is of no use", model.asked)
		}
		model.before = nil
		report, err = Run(t.Context(), o)
		if err != nil || report.Failed() != 0 {
			t.Errorf("%v, %+v", err, report)
		}
	})
}

// TestAskAgain: an overloaded upstream, and a model without prefill.
func TestAskAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &hookedModel{before: func(n int, m upstream.Model) error {
			switch {
			case n <= 3:
				return &upstream.Error{Status: 529, Type: "overloaded_error", Message: "later"}
			case m.Can.Has(upstream.Prefill):
				return &upstream.Error{Status: 400, Type: "invalid_request_error", Message: "no prefill", Refuses: upstream.Prefill}
			}
			return nil
		}}
		o := options(t, model)
		o.Questions, o.Formats = o.Questions[:1], o.Formats[:1]
		o.Model.UpstreamModel.Features.With = upstream.Prefill
		if report, err := Run(t.Context(), o); err != nil || report.Formats[0].Right != 1 {
			t.Fatalf("%v, %+v", err, report)
		}
		if model.asked != 5 {
			t.Errorf("asked %d times", model.asked)
		}
	})
}

// TestNoResults: a file that contains something else is an error.
func TestNoResults(t *testing.T) {
	o := options(t, simulated.New())
	if err := os.WriteFile(filepath.Join(o.Out, ResultsFile), []byte("a letter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), ":1: not a result of an earlier run") {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, true, 4, 1)
	p.add(Record{})
	p.add(Record{Wrong: "x"})
	p.end()
	want := "\r" + strings.Repeat("█", 7) + strings.Repeat("░", 23) + " 1/4" +
		"\r" + strings.Repeat("█", 15) + strings.Repeat("░", 15) + " 2/4, right of those asked now: 100.0 %" +
		"\r" + strings.Repeat("█", 22) + strings.Repeat("░", 8) + " 3/4, right of those asked now: 50.0 %\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
	newProgress(io.Writer(nil), false, 4, 1).add(Record{}) // nobody looks

	// Without a terminal there is a line for each tenth, and none that is drawn over.
	out.Reset()
	p = newProgress(&out, false, 40, 2)
	for range 38 {
		p.add(Record{})
	}
	p.end()
	if got := out.String(); strings.Count(got, "\n") != 10 || !strings.HasPrefix(got, "4/40, right of those asked now: 100.0 %\n8/40, ") || !strings.HasSuffix(got, "\n40/40, right of those asked now: 100.0 %\n") {
		t.Errorf("got %q", got)
	}
}

// TestUntil: a slow model gets too little time. The report covers the ways in which every question was asked, or some
// questions of each kind in one way; later runs continue.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &hookedModel{before: func(int, upstream.Model) error {
			time.Sleep(10 * time.Second)
			return nil
		}}
		o := options(t, model)
		var err error
		if o.Questions, err = Quick(); err != nil {
			t.Fatal(err)
		}
		o.Questions = withoutLoops(o.Questions)
		var notes strings.Builder
		o.Formats, o.Concurrency, o.Until, o.Notes = o.Formats[:2], 1, time.Now().Add(95*time.Second), &notes
		report, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		want := "Questions: 20, each in 2 ways. The first answer took 10 s; 39 more take up to 6 min. After 85 s it ends with the ways that are complete by then; --quick=false has no limit.\n"
		if notes.String() != want {
			t.Errorf("notes are %q", notes.String())
		}
		if len(report.Formats) != 1 || report.Unasked != 11 || report.Formats[0].Questions != 9 || len(report.Kinds) != 4 || report.Failed() != 0 {
			t.Errorf("got %+v", report)
		}
		if want := "because the time was up: 11. Ways left out, because the time was up: attribute. The same command continues with them."; !strings.Contains(report.leftOut(), want) {
			t.Error(report.leftOut())
		}

		// One answer was still running. The next ones complete the first way.
		o.Until = time.Now().Add(205 * time.Second)
		if report, err = Run(t.Context(), o); err != nil || report.Unasked != 0 || len(report.Formats) != 1 || report.Formats[0].Questions != 20 || !slices.Equal(report.UnaskedWays, []string{"attribute"}) {
			t.Errorf("%v, got %+v", err, report)
		}

		o.Until = time.Now().Add(time.Hour)
		if report, err = Run(t.Context(), o); err != nil || report.leftOut() != "" || report.Formats[1].Questions != 20 || model.asked != 9+1+20+1+11 {
			t.Errorf("%v, asked %d, got %+v", err, model.asked, report)
		}

		o.Out, o.Until = t.TempDir(), time.Now().Add(5*time.Second)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "the time was up before the first answer") {
			t.Error(err)
		}
	})
}

// TestSameName: two models have the same name on two servers, and neither gets the other's answers. Results without an
// upstream count for both.
func TestSameName(t *testing.T) {
	first := &hookedModel{}
	o := options(t, first)
	o.Questions, o.Formats, o.Model.At = o.Questions[:3], o.Formats[:1], "http://one/v1"
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	second := &hookedModel{}
	o.Model.Upstream, o.Model.At = second, "http://two/v1"
	if _, err := Run(t.Context(), o); err != nil || second.asked != 3 {
		t.Errorf("%v, asked %d", err, second.asked)
	}
	path := filepath.Join(o.Out, ResultsFile)
	old := strings.ReplaceAll(readFile(t, path), `"upstream":"http://one/v1",`, "")
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Model.At = "http://three/v1"
	if _, err := Run(t.Context(), o); err != nil || second.asked != 3 {
		t.Errorf("%v, asked %d", err, second.asked)
	}
}

// cutModel returns a model that writes a text, with or without a call, until max_tokens.
func cutModel(text string) upstream.Func {
	return func(context.Context, upstream.Model, *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{Text: text, Stop: messages.StopMaxTokens}, nil)
		}
	}
}

// TestNoCall: for a question that no tool fits, an answer without a call is right, even a long one that was cut. A call
// is wrong.
func TestNoCall(t *testing.T) {
	for text, right := range map[string]int{
		"Once upon a time": 1,
		"<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Oslo</parameter>\n</invoke>\n</function_calls>": 0,
	} {
		o := options(t, cutModel(text))
		var err error
		if o.Questions, err = Quick(); err != nil {
			t.Fatal(err)
		}
		o.Questions = slices.DeleteFunc(o.Questions, func(q Question) bool { return q.ID != "quick-greeting" })
		o.Formats = []string{"attribute"}
		if report, err := Run(t.Context(), o); err != nil || report.Formats[0].Right != right {
			t.Errorf("%q: %v, %+v", text, err, report.Wrong)
		}
	}
}

// TestConstrained: if a model's entry asks for constraints, a forced call in eval is constrained as well. Forced leaves
// out questions that expect no call or several.
func TestConstrained(t *testing.T) {
	const ask = `{"id":%q,"question":"What time is it?","tools":[{"name":"now","input_schema":{"type":"object","properties":{"zone":{"type":"string"}}}}],"expected":[%s]}` + "\n"
	const call = `{"name":"now","input":{}}`
	set, err := read(strings.NewReader(fmt.Sprintf(ask, "a", call)+fmt.Sprintf(ask, "b", "")+fmt.Sprintf(ask, "c", call+","+call)), "a.jsonl", nil)
	if err != nil {
		t.Fatal(err)
	}
	for constrain, want := range map[string]bool{proxy.ConstrainOff: false, proxy.ConstrainTry: true} {
		fake := upstreamtest.NewChat(nil)
		fake.Guided.Kind = upstream.GuidedVLLM
		served := httptest.NewServer(fake)
		up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: served.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		o := options(t, up)
		o.Questions, o.Formats = Forced(set.Questions), o.Formats[:1]
		m := &o.Model.UpstreamModel
		m.Wire, m.Constrain, m.Guided = proxy.WireChat, constrain, upstream.GuidedVLLM
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if list := fake.Requests(); len(list) != 1 || strings.Contains(string(list[0].Body), `"structured_outputs":{"grammar"`) != want {
			t.Errorf("%s: %d requests, the first is %s", constrain, len(list), list[0].Body)
		}
		up.Close()
		served.Close()
	}
}
