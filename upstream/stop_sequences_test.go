package upstream

import (
	"errors"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// inPieces yields the text in pieces of n bytes, and then the last chunk.
func inPieces(text string, n int, last translate.Chunk, fail error) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		for text != "" {
			piece := text[:min(n, len(text))]
			text = text[len(piece):]
			if !yield(translate.Chunk{Text: piece}, nil) {
				return
			}
		}
		yield(last, fail)
	}
}

func TestWatchStops(t *testing.T) {
	end := translate.Chunk{Stop: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 77}}
	tests := []struct {
		name     string
		text     string
		stops    []string
		want     string
		sequence string // "" if the text has none
	}{
		{"none in it", "one two", []string{"END"}, "one two", ""},
		{"no sequences", "one END", nil, "one END", ""},
		{"in the middle", "one END two", []string{"END"}, "one ", "END"},
		{"at the start", "END two", []string{"END"}, "", "END"},
		{"at the end", "one END", []string{"END"}, "one ", "END"},
		{"only its beginning", "one EN", []string{"END"}, "one EN", ""},
		{"its beginning twice", "one EENEND two", []string{"END"}, "one EEN", "END"},
		{"whole first", "a <stop> b", []string{"<stop> b", "top"}, "a <s", "top"},
		{"the longer at one place", "a <stop> b", []string{"stop>", "<stop>"}, "a ", "<stop>"},
		{"overlap", "aaab", []string{"aab"}, "a", "aab"},
		{"many bytes in a character", "né — fin", []string{"— fin"}, "né ", "— fin"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for n := 1; n <= len(test.text); n++ {
				var text strings.Builder
				var last translate.Chunk
				for c, err := range watchStops(&translate.Prompt{}, test.stops, inPieces(test.text, n, end, nil)) {
					if err != nil || last.Stop != "" {
						t.Fatalf("%+v, %v after %+v", c, err, last)
					}
					text.WriteString(c.Text)
					last = c
				}
				want := messages.StopEndTurn
				if test.sequence != "" {
					want = messages.StopSequence
				}
				if text.String() != test.want || last.Stop != want || last.StopSequence != test.sequence {
					t.Errorf("in pieces of %d: %q, %s %q", n, &text, last.Stop, last.StopSequence)
				}
				if last.Left != (test.sequence != "") {
					t.Errorf("in pieces of %d: left %v", n, last.Left)
				}
			}
		})
	}
}

// TestWatchStopsFindsTheFirst compares the result with separate searches for each sequence.
func TestWatchStopsFindsTheFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string {
		b := make([]byte, 1+random.IntN(most))
		for i := range b {
			b[i] = "ab"[random.IntN(2)]
		}
		return string(b)
	}
	for range 2000 {
		text, stops := word(30), []string{word(6), word(6), word(6), word(12)}
		want, sequence, end := text, "", len(text)+1
		for _, s := range stops {
			if i := strings.Index(text, s); i >= 0 && (i+len(s) < end || i+len(s) == end && len(s) > len(sequence)) {
				want, sequence, end = text[:i], s, i+len(s)
			}
		}
		var got strings.Builder
		var last translate.Chunk
		for c := range watchStops(&translate.Prompt{}, stops, inPieces(text, 1+random.IntN(5), translate.Chunk{Stop: messages.StopEndTurn}, nil)) {
			got.WriteString(c.Text)
			last = c
		}
		if got.String() != want || last.StopSequence != sequence {
			t.Errorf("%q in %q: %q, %q, want %q, %q", stops, text, &got, last.StopSequence, want, sequence)
		}
	}
}

// TestWatchStopsHoldsLittle checks that text is sent as soon as it cannot begin a sequence.
func TestWatchStopsHoldsLittle(t *testing.T) {
	var got []string
	for c := range watchStops(&translate.Prompt{}, []string{"END"}, inPieces("aE b EN", 1, translate.Chunk{Stop: messages.StopEndTurn}, nil)) {
		got = append(got, c.Text)
	}
	if s := strings.Join(got, "|"); s != "a||E |b| |||EN" {
		t.Errorf("%q", s)
	}
}

func TestWatchStopsLosesNothingInAFailure(t *testing.T) {
	failure := errors.New("cut")
	var text string
	var err error
	for c, e := range watchStops(&translate.Prompt{}, []string{"END"}, inPieces("one EN", 2, translate.Chunk{}, failure)) {
		text, err = text+c.Text, e
	}
	if text != "one EN" || err != failure {
		t.Errorf("%q, %v", text, err)
	}
}

// TestWatchStopsEscaped makes a model repeat a sequence in the escaped form of the prompt.
func TestWatchStopsEscaped(t *testing.T) {
	stops := []string{"</s>", "b"}
	req := &messages.Request{StopSequences: stops, Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "</s>"}}}}}
	p, err := translate.Render(req, translate.Target{ModelOptions: translate.ModelOptions{Family: "mistral", EscapeSpecialTokens: new(true)}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 9 {
		var text string
		var last translate.Chunk
		for c := range watchStops(p, stops, inPieces("a &lt;/ "+p.Turns[0].Parts[0].Text+" b", 1+n, translate.Chunk{Stop: messages.StopEndTurn}, nil)) {
			text, last = text+c.Text, c
		}
		if text != "a &lt;/ " || last.StopSequence != "</s>" {
			t.Errorf("pieces of %d: %q, %+v", 1+n, text, last)
		}
	}
}

func TestSplitStops(t *testing.T) {
	req := &messages.Request{
		MaxTokens: 1, StopSequences: []string{"END"}, Tools: []messages.Tool{{Name: "f", InputSchema: []byte(`{"type":"object"}`)}},
		Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Hi"}}}},
	}
	p, err := translate.Render(req, translate.Target{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		can         Features
		names       bool
		send, watch string
	}{
		{StopSequences, true, translate.CallsEnd + " END", ""},
		{StopSequences, false, translate.CallsEnd, "END"},
		{0, true, "", "END"},
		{0, false, "", "END"},
	} {
		send, watch := splitStops(p, test.can, test.names)
		if strings.Join(send, " ") != test.send || strings.Join(watch, " ") != test.watch {
			t.Errorf("%+v: send %q, watch for %q", test, send, watch)
		}
	}
}
