package translate

import (
	"runtime"
	"strings"
	"testing"

	input "dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/testcost"
)

// endless is an answer with head, and then unit repeated.
type endless struct{ head, unit string }

// chunks yields size bytes of the answer in pieces of about 8 KB, and records the highest memory
// use.
func (e endless) chunks(size int, peak *uint64) Ask {
	return whatever(func(yield func(Chunk, error) bool) {
		if !yield(Chunk{Text: e.head}, nil) {
			return
		}
		piece := strings.Repeat(e.unit, 1+8<<10/len(e.unit))
		for n, i := len(e.head), 0; n < size; n, i = n+len(piece), i+1 {
			if !yield(Chunk{Text: piece}, nil) {
				return
			}
			if i%128 == 0 {
				*peak = max(*peak, heapInUse())
			}
		}
		yield(Chunk{Stop: messages.StopMaxTokens}, nil)
	})
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestBounds checks that an endless answer does not fill the memory, wherever the model is in it. A
// brief answer is 2 MB longer than the limit on kept text.
func TestBounds(t *testing.T) {
	const call = CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n"
	tests := []struct {
		name     string
		text     endless
		size     int
		most     uint64 // bytes
		outcomes string // of the last calls
		whole    bool   // each parameter is sent when it is complete
	}{
		{"text", endless{"", "so on and on "}, 32 << 20, 1 << 20, "", false},
		{"blanks", endless{"A", " \n"}, 32 << 20, 1 << 20, "", false},
		{"a string", endless{call + "<s>", "so on "}, 32 << 20, 1 << 20, "incomplete cut_value", false},
		{"a string that is sent when it is whole", endless{call + "<s>", "so on "}, 64 << 20, 80 << 20, "refused too_long", true},
		{"a call in thinking", endless{"<thinking>\n" + call + "<s>", "so on "}, 32 << 20, 8 << 20, "", false},
		{"many calls in thinking", endless{"<thinking>\n", call + "<s>x</s></parameters></invoke>" + CallsEnd + "\n"}, 32 << 20, 8 << 20, "leaked thinking", false},
		{"a call to a tool that was not offered", endless{"<invoke name=\"other\">\n<parameter name=\"s\">", "so on "}, 32 << 20, 8 << 20, "leaked too_long", false},
		{"a wrapper", endless{CallsStart, "\n"}, 32 << 20, 8 << 20, "", false},
		{"an array", endless{call + "<a>[1", ",1"}, 64 << 20, 80 << 20, "refused too_long", false},
		{"an object for the parameters", endless{call + "{\"s\":\"", "so on "}, 64 << 20, 80 << 20, "refused too_long", false},
		{"a call in JSON", endless{"<tool_call>{\"name\":\"t\",\"arguments\":{\"s\":\"", "so on "}, 64 << 20, 80 << 20, "refused too_long", false},
		{"what is no parameter", endless{call + "so ", "on and <x/>\n"}, 32 << 20, 8 << 20, "refused stray_text", false},
		{"empty entities", endless{call + "<s>", "&amp;"}, 32 << 20, 1 << 20, "incomplete cut_value", false},
		{"tags in a value", endless{call + "<s>", "</n><n>"}, 32 << 20, 1 << 20, "incomplete cut_value", false},
		{"calls", endless{"", "<invoke name=\"t\"></invoke>\n"}, 8 << 20, 8 << 20, "repaired bare_call", false},
		{"broken calls", endless{CallsStart + "<invoke name=\"t\"></invoke>", "<invoke name=\"$NAME\">\n"}, 32 << 20, 8 << 20, "refused no_tool_fits", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			size := testcost.Cases(min(tt.size, int(tt.most)+2<<20, emit.MaxHeld+8<<20), tt.size)
			before := heapInUse()
			peak := before
			var outcomes []messages.Outcome
			prompt := &Prompt{Asking: asking{Escaped: markup.Escapes{Tags: markup.TagInvoke}, Target: Target{ModelOptions: ModelOptions{StreamValues: when(!tt.whole, ValuesFlow)}}}}
			for e, err := range Events(fuzzRequest(), prompt, tt.text.chunks(size, &peak)) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Type == messages.MessageDelta {
					outcomes = e.Message.Outcomes
				}
			}
			if peak-before > tt.most {
				t.Errorf("%d MB of it took %d KB", size>>20, (peak-before)>>10)
			}
			got := ""
			if n := len(outcomes); n > 0 && outcomes[n-1].Kind != messages.OutcomeClean {
				got = string(outcomes[n-1].Kind) + " " + outcomes[n-1].Reason.String()
			}
			if got != tt.outcomes {
				t.Errorf("outcome %q, want %q", got, tt.outcomes)
			}
		})
	}
	t.Run("many parameters", func(t *testing.T) {
		var b strings.Builder
		for i := range 2 * tagged.MaxParameters {
			b.WriteString("<parameter name=\"p" + strings.Repeat("i", i%7) + string(rune('a'+i%26)) + strings.Repeat("x", i/26%200) + "\">1</parameter>\n")
		}
		m := parse(t, fuzzRequest(), completion{CallsStart + `<invoke name="t">` + b.String(), messages.StopEndTurn, ""}, 0)
		if n := len(m.Outcomes); n != 1 || m.Outcomes[0].Reason != messages.ReasonTooLong || len(collectMembers(m)) > tagged.MaxParameters {
			t.Errorf("%d parameters: %+v", len(collectMembers(m)), m.Outcomes)
		}
	})
}

func collectMembers(m *messages.Message) (names []string) {
	for name := range rawjson.NamedMembers(m.Content[0].Input) {
		names = append(names, name)
	}
	return names
}

// strayed returns two calls with misplaced text: before a parameter, and after everything.
func strayed(text string) string {
	return CallsStart + "<invoke name=\"t\">" + text + "<parameter name=\"s\">y</parameter>{\"s\":\"z\"}</invoke> " +
		"<invoke><tool_name>t</tool_name><parameters><s>y</s></parameters>" + text + "</invoke>" + CallsEnd
}

// TestBoundsHold checks that text at a limit gives the same message in pieces of any size. A brief
// run uses one size per text.
func TestBoundsHold(t *testing.T) {
	long := strings.Repeat("ä\xff ", input.MaxUndecided/7) // six bytes and a replaced one
	texts := []string{
		"<thinking>\n<invoke name=\"t\"><parameter name=\"s\">" + long + "</parameter></invoke> <invoke name=\"t\"></invoke>",
		"<invoke name=\"other\"><parameter name=\"s\">" + long + "</parameter></invoke>",
		CallsStart + strings.Repeat("\n", input.MaxUndecided) + "<invoke name=\"t\"></invoke>",
		"<tool_call>{\"" + strings.Repeat("a", format.MaxToolName-4) + "\":1,\"name\":\"t\"}</tool_call>",
		"<tool_call>{\"name\":\"" + strings.Repeat("a", format.MaxToolName-3) + "\"}</tool_call>",
	}
	for n := tagged.MaxStray - 8; n <= tagged.MaxStray+1; n++ {
		texts = append(texts, strayed(strings.Repeat("x", n)+"  \n "), strayed(strings.Repeat("x", n)+"    "), strayed("{"+strings.Repeat("x", n)+"  \n "),
			strayed(strings.Repeat("x", n)+"\n{\"s\":1}"), strayed(strings.Repeat("so on \n  ", tagged.MaxStray/9-1)+strings.Repeat("x", n%16)+"\n<x>"))
	}
	for _, text := range texts {
		for extra := range 4 {
			text := strings.Repeat("x", extra) + text
			want := show(parse(t, fuzzRequest(), completion{text, messages.StopEndTurn, ""}, 0))
			sizes := []int{1, 5, 1000}
			if !testcost.Long() {
				sizes = sizes[min(extra, 2):][:1]
			}
			for _, n := range sizes {
				if got := show(parse(t, fuzzRequest(), completion{text, messages.StopEndTurn, ""}, n)); got != want {
					t.Fatalf("pieces of %d give\n%.200s … %s\nat once\n%.200s … %s", n, got, got[max(0, len(got)-100):], want, want[max(0, len(want)-100):])
				}
			}
		}
	}
}
