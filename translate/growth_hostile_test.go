package translate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// hostileUnits are texts that once took quadratic time: held text is searched again if the search
// does not remember its place.
var hostileUnits = []string{
	"```\n<function_calls>\n", "]]>", "```json", "<path>x", "<content>\n<path>", "<content>a</content>", "</content>\n</path>\n", "<function_calls><invoke>",
	"<tool_call>{", "{\"name\":\"zz\",\"arguments\":{}}", "[write(", "call:write{", "<think>", "</think>\n", "<|channel|>analysis", "<invoke name=\"write\">\n<parameter name=\"content\">",
	"write<t\n", "}}\nwrite<tool", "call:write,<|\"|>~~~\n", "functions.", "Action: write\n", "<call_record tool=\"", "[Calling tool: write",
	"<tool_call>\n{\"name\":\"write\",\"arguments\":{\"path\":\"a}}\n</tool_call>\n", "[{\"name\":\"write\",\"arguments\":{\"path\":\"a}},\n", "{\"name=\"write\", 7, {}, ",
	"<\\/content>\n", "</tool_call>\n", "</content\n", "<zz>\n",
}

// TestGrowthOfShownCalls checks the same of a value that shows parts of calls.
func TestGrowthOfShownCalls(t *testing.T) {
	const mark = markup.Mark
	for _, unit := range []string{
		mark + "</tool_call>", mark + "<invoke name=\"write\">" + mark + "<content>a", mark + "</invoke>" + mark + "<invoke name=\"write\">" + mark + "<content>a",
		mark + "<content>" + mark + "</content>", "<\\/parameter>\n", "</tool_call>\n", "<invoke name=\"write\">\n<parameter name=\"content\">a\n",
		"</parameter>\n</x>\n<invoke name=\"write\">\n<parameter name=\"content\">a",
	} {
		for _, before := range []string{"<function_calls>\n<invoke name=\"write\">\n<parameter name=\"content\">", mark + "<tool_call>" + mark + "<invoke name=\"write\">" + mark + "<content>"} {
			for _, piece := range []int{0, 1} {
				p := &Prompt{Asking: asking{Declared: format.MiniMaxCalls, Reads: format.NewReads(format.MiniMaxCalls, nil, 0)}}
				read := func(size int) func() {
					return func() {
						drain(t, benchRequest(), p, completion{before + benchText(unit, size), messages.StopEndTurn, ""}.chunks(piece))
					}
				}
				if ratio := testcost.Ratio(10, read(16<<10), read(64<<10)); ratio > 10 {
					t.Errorf("%q in pieces of %d after %q: four times the text costs %.1f times as much", unit, piece, before, ratio)
				}
			}
		}
	}
}

// TestGrowthOfBrokenLists checks the same of lists whose second call has no end, again and again: whether the first one
// counts is only known at the end of the answer.
func TestGrowthOfBrokenLists(t *testing.T) {
	for _, name := range []string{FormatLegacy, FormatJSON, format.Mistral} {
		f, _ := format.Named(name)
		p := &Prompt{Asking: asking{Declared: f, Reads: format.NewReads(f, []*format.Format{f}, 0), Escaped: markup.Escapes{Tags: markup.InTurns}}}
		read := func(size int) func() {
			text := benchText(`[{"name":"write","arguments":{"content":"a"}},{"name":"write","arg`+"\n", size)
			return func() { drain(t, benchRequest(), p, completion{text, messages.StopEndTurn, ""}.chunks(0)) }
		}
		if ratio := testcost.Ratio(20, read(16<<10), read(128<<10)); ratio > 20 {
			t.Errorf("%s: eight times the text costs %.1f times as much", name, ratio)
		}
	}
}

// TestGrowthOfNames checks the same of lines that begin with the name of a tool, and go on with the beginning of a tag,
// in every format.
func TestGrowthOfNames(t *testing.T) {
	for _, f := range format.All() {
		units := []string{"write<t\n", "write</t\n", "}}\nwrite<tool"}
		for _, tag := range []string{f.CallOpener, f.CallCloser, f.BeforeCalls} {
			if tag = strings.TrimSpace(tag); len(tag) > 1 {
				units = append(units, "write"+tag[:len(tag)/2]+"\n")
			}
		}
		p := &Prompt{Asking: asking{Declared: f, Reads: format.NewReads(f, []*format.Format{f}, 0), Escaped: markup.Escapes{Tags: markup.InTurns}}}
		for _, unit := range units {
			read := func(size int) func() {
				return func() {
					drain(t, benchRequest(), p, completion{benchText(unit, size), messages.StopEndTurn, ""}.chunks(0))
				}
			}
			if ratio := testcost.Ratio(10, read(4<<10), read(16<<10)); ratio > 10 {
				t.Errorf("%s, %q: four times the text costs %.1f times as much", f.Name, unit, ratio)
			}
		}
	}
}

// TestGrowthOfHostileTexts checks G6 with expensive texts: four times the text costs at most ten
// times as much, in every format and for every kind of text.
func TestGrowthOfHostileTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for n := range testcost.Cases(100, 1500) {
		f := format.All()[r.IntN(len(format.All()))]
		var unit, before strings.Builder
		for range 1 + r.IntN(3) {
			unit.WriteString(hostileUnits[r.IntN(len(hostileUnits))])
		}
		for range r.IntN(3) {
			before.WriteString(hostileUnits[r.IntN(len(hostileUnits))])
		}
		accepts := []*format.Format{f}
		if r.IntN(2) == 0 {
			accepts = format.All()
		}
		p := &Prompt{Asking: asking{
			Declared: f, Reads: format.NewReads(f, accepts, 0), Escaped: markup.Escapes{Tags: markup.InTurns},
			Target: Target{ModelOptions: ModelOptions{
				QuotedCalls: when(r.IntN(2) == 0, QuotedRead), StreamValues: when(r.IntN(2) == 0, ValuesFlow), UnaskedThinking: UnaskedBlock,
				Thinking: []string{ThinkingMarked, ThinkingMaybe, ThinkingOpen}[r.IntN(3)],
			}},
		}}
		piece := []int{0, 1, 64}[r.IntN(3)]
		// Whether the last string of the text ends decides how much there is to read. Even and odd numbers of units differ.
		read := func(units int) func() {
			return func() {
				for more := range 2 {
					text := before.String() + strings.Repeat(unit.String(), units+more)
					drain(t, benchRequest(), p, completion{text, messages.StopEndTurn, ""}.chunks(piece))
				}
			}
		}
		units := 4<<10/unit.Len() + 1
		if ratio := testcost.Ratio(10, read(units), read(4*units)); ratio > 10 {
			t.Errorf("case %d, %s, %q and then %q in pieces of %d, quoted %v, thinking %s: four times the text costs %.1f times as much",
				n, f.Name, before.String(), unit.String(), piece, p.Target.QuotedCalls, p.Asking.Target.Thinking, ratio)
		}
	}
}
