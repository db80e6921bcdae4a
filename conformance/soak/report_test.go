package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dragoman/conformance/answer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// samples are the samples of an hour. The figure is collected from time to time, and grows by this many bytes
// in all.
func samples(growth float64) (list []sample) {
	begin := time.Unix(0, 0)
	for n := range 3600 {
		list = append(list, sample{
			at:  begin.Add(time.Duration(n) * time.Second),
			rss: 40e6 + float64(n%50)*1e5 + growth*float64(n)/3600, heap: 8e6, goroutines: 30 + float64(n%7), descriptors: 20,
		})
	}
	return list
}

func TestJudge(t *testing.T) {
	for growth, problem := range map[float64]string{0: "", 5e6: "", 20e6: "resident memory, MB grow by 20."} {
		r := newReport(options{})
		r.samples = samples(growth)
		r.judge()
		if got := strings.Join(r.Problems, "; "); (problem == "") != (got == "") || !strings.HasPrefix(got, problem) {
			t.Errorf("growth of %v: %q, want %q", growth, got, problem)
		}
		if s := r.Slopes[0]; math.Abs(s.PerHour-growth/1e6) > .3 {
			t.Errorf("growth of %v: %+v", growth, s)
		}
	}
}

// checkAnswer finds an answer that differs from the order.
func TestCheckAnswer(t *testing.T) {
	o := order{number: 3, size: 100, fault: "none"}
	good := answer.Answer{Text: o.text(), Call: `{"text":"Note 3. if a<b && \"c\" { </canary> }\n` + `if a<b && \"c\" { </canary> }\n\\ end"}`, Stop: "tool_use"}
	if kind, err := o.checkAnswer(&good); kind != "whole" || err != nil {
		t.Fatalf("%s, %v", kind, err)
	}
	for _, change := range []func(*answer.Answer){
		func(a *answer.Answer) { a.Text = a.Text[1:] },
		func(a *answer.Answer) { a.Call = `{"text":"Note 3. "}` },
		func(a *answer.Answer) { a.Call = "" },
		func(a *answer.Answer) { a.Stop = "end_turn" },
		func(a *answer.Answer) { a.Failure = "api_error" },
	} {
		bad := good
		change(&bad)
		if kind, err := o.checkAnswer(&bad); err == nil {
			t.Errorf("%+v is %s", bad, kind)
		}
	}
}

// leaking finds the canary, wherever the pieces of the log are cut.
func TestLeaking(t *testing.T) {
	for cut := range len("a Canary b") {
		l := new(leaking)
		for _, piece := range []string{"a Canary b"[:cut], "a Canary b"[cut:]} {
			_, _ = l.Write([]byte(piece))
		}
		if !l.found {
			t.Errorf("not found when cut at %d", cut)
		}
	}
}
