package upstream

import (
	"iter"
	"strings"
	"testing"
)

func TestWholeCharacters(t *testing.T) {
	for _, tt := range []struct{ name, events, want string }{
		{"joined", `"Hi \ud83d"|"\ude00!"`, `"Hi \ud83d\ude00"|"!"`},
		{"in two members", `["x\ud83d","x\ud83d"]|["\ude00","\ude00y"]`, `["x\ud83d\ude00","x\ud83d\ude00"]|["","y"]`},
		{"one after another", `"\ud83d"|"\ude00\ud83d"|"\ude01"`, `"\ud83d\ude00"|"\ud83d\ude01"|""`},
		{"another character follows", `"\ud83d"|"x"`, `"\ufffd"|"x"`},
		{"the first half again", `"\ud83d"|"\ud83d\ude00"`, `"\ufffd"|"\ud83d\ude00"`},
		{"a second half too many", `"\ud83d"|["\ude00","\ude01"]`, `"\ufffd"|["\ufffd","\ufffd"]`},
		{"a second half alone", `"x"|"\ude00"`, `"x"|"\ufffd"`},
		{"not at the end", `"\ud83d."|"\ude00"`, `"\ufffd."|"\ufffd"`},
		{"the end", `"\ud83d"`, `"\ufffd"`},
		{"not JSON", `"\ud83d"|[DONE]`, `"\ufffd"|[DONE]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := joined(wholeCharacters(reused(strings.Split(tt.events, "|"))))
			if got = strings.ReplaceAll(got, ping+"|", ""); got != tt.want+"|" || err != nil {
				t.Errorf("%s, %v", got, err)
			}
			for range wholeCharacters(reused(strings.Split(tt.events, "|"))) {
				break // leaves the range
			}
		})
	}
}

// TestManyHalves joins an event of many texts, in time that grows with its length.
func TestManyHalves(t *testing.T) {
	const n = 200_000
	list := func(text string) string { return "[" + strings.TrimSuffix(strings.Repeat(`"`+text+`",`, n), ",") + "]" }
	got, err := joined(wholeCharacters(reused([]string{list(`\ud83d`), list(`\ude00`)})))
	if want := ping + "|" + list(`\ud83d\ude00`) + "|" + list("") + "|"; got != want || err != nil {
		t.Errorf("%d bytes, want %d; %v", len(got), len(want), err)
	}
}

// reused yields the events from one buffer, as readers do.
func reused(events []string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var buffer []byte
		for _, event := range events {
			buffer = append(buffer[:0], event...)
			if !yield(buffer, nil) {
				return
			}
		}
	}
}

// TestHalfBeforeAFailure checks that a waiting event comes before the error.
func TestHalfBeforeAFailure(t *testing.T) {
	failure := gatewayError("cut", nil)
	got, err := joined(wholeCharacters(func(yield func([]byte, error) bool) {
		_ = yield([]byte(`"a\ud83d"`), nil) && yield(nil, failure)
	}))
	if got != ping+`|"a\ufffd"|` || err != failure {
		t.Errorf("%s, %v", got, err)
	}
}

// TestHalfHoldsNothingUp checks that another event is sent in place of one that waits for the next.
func TestHalfHoldsNothingUp(t *testing.T) {
	sent, got := 0, 0
	for range wholeCharacters(func(yield func([]byte, error) bool) {
		for _, event := range []string{`"a"`, `"\ud83d"`, `"\ude00\ud83d"`, `"b"`} {
			if sent++; !yield([]byte(event), nil) {
				return
			}
			if got < sent {
				t.Errorf("%d of %d events", got, sent)
			}
		}
	}) {
		got++
	}
}
