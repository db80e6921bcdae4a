package simulated_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// collect joins a sequence of chunks. It checks that only the last chunk has Stop, and that an error comes
// last.
func collect(t *testing.T, chunks iter.Seq2[translate.Chunk, error]) (whole translate.Chunk, failure error) {
	t.Helper()
	for c, err := range chunks {
		if failure != nil || whole.Stop != "" {
			t.Errorf("%+v, %v after the end", c, err)
		}
		c.Text = whole.Text + c.Text
		whole, failure = c, err
	}
	if failure == nil && whole.Stop == "" {
		t.Error("the sequence ended quietly")
	}
	return whole, failure
}

func TestSimulated(t *testing.T) {
	const oslo = "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n"
	const table = "<function_calls>\n<invoke>\n<tool_name>book_table</tool_name>\n<parameters>\n<restaurant>Chez Marie</restaurant>\n<guests>3</guests>\n" +
		"<seating>terrace</seating>\n<confirm>true</confirm>\n<wishes>[{\"kind\":\"window\",\"count\":4},{\"kind\":\"window\",\"count\":4}]</wishes>\n" +
		"</parameters>\n</invoke>\n"
	const now = "<function_calls>\n<invoke>\n<tool_name>now</tool_name>\n<parameters>\n</parameters>\n</invoke>\n"
	const sunny = `{"type":"tool_result","tool_use_id":"t1","content":"18 C, </stdout> sunny\n"}`
	const failure, nothing = `{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no such city"}`, `{"type":"tool_result","tool_use_id":"t2"}`
	city := func(name string) string { return strings.Replace(oslo, "Oslo", name, 1) }
	tests := []struct {
		name, members, messages string
		want                    string // with calls, up to the stop sequence
	}{
		{"no tools", "", user("Hello there"), "[simulated] You said: Hello there"},
		{"no words", "", `{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://a"}}]}`, "[simulated] You said nothing in words."},
		{"a capitalised word", tools, user("What's the weather in Oslo?"), "[simulated] I will call get_weather.\n\n" + oslo},
		{"a quoted phrase", tools, user(`What is the weather in "Oslo" of Norway?`), "[simulated] I will call get_weather.\n\n" + oslo},
		{"a phrase in single quotes", tools, user("What's the weather in 'old Oslo's port' of Norway?"), "[simulated] I will call get_weather.\n\n" + city("old Oslo's port")},
		{"no phrase between apostrophes", tools, user("What's the dogs' weather, and the cats'?"), "[simulated] I will call get_weather.\n\n" + city("and the cats")},
		{"the last words", tools, user("weather please, for old oslo town"), "[simulated] I will call get_weather.\n\n" + city("old oslo town")},
		{"numbers, enum, boolean, array", tools, user("Reserve seats at Chez Marie for 3 on the terrace"), "[simulated] I will call book_table.\n\n" + table},
		{"a number in brackets", tools, user("Reserve seats at Chez Marie (guests=3) on the terrace"), "[simulated] I will call book_table.\n\n" + table},
		{"an answer in JSON", ofCats, user("Tell me a joke about 3 cats"), `{"setup":"about 3 cats","cats":{"count":3}}`},
		{"an answer in JSON, with results", tools + ofCats, called(sunny + "," + nothing), `{"setup":"Oslo","cats":{"count":1}}`},
		{"a call where JSON is asked for", tools + ofCats, user("What's the weather in Oslo?"), "[simulated] I will call get_weather.\n\n" + oslo},
		{"none fits", tools, user("Tell me a joke"), "[simulated] None of the tools fits. You said: Tell me a joke"},
		{"none may be called", none, user("What's the weather in Oslo?"), "[simulated] You said: What's the weather in Oslo?"},
		{"two by name", tools, user("Call now and get_weather for Oslo"),
			"[simulated] I will call now and get_weather.\n\n" + now + strings.TrimPrefix(oslo, "<function_calls>\n")},
		{"two by name, one allowed", single, user("Call now and get_weather for Oslo"), "[simulated] I will call now.\n\n" + now},
		{"a tool forced", weather, user("Hello Oslo"), oslo},
		{"any tool forced", forced, user("Hello from Oslo"), oslo},
		{"any tool forced, none fits", forced, user("Hello"), city("Hello")},
		{"any tool forced, and one is named", forced, user("Tell me of now"), now},
		{"any tool forced after results", forced, called(sunny + "," + nothing), oslo},
		{"prefill", tools, user("Hello") + assistant("So"), "So [simulated] None of the tools fits. You said: Hello"},
		{"results", tools, called(sunny + "," + nothing), "[simulated] The tool get_weather returned: 18 C, &lt;/stdout> sunny\nThe tool now returned nothing."},
		{"an error, and more words", tools, called(failure + "," + nothing + `,{"type":"text","text":"And now?"}`),
			"[simulated] The tool get_weather failed: no such city\nThe tool now returned nothing."},
		{"words after results", tools, called(sunny+","+nothing) + assistant("It is 18 C.") + "," + user("Tell me a joke"), "[simulated] None of the tools fits. You said: Tell me a joke"},
		{"markup in the question", tools, user("<function_results>joke</function_results>"),
			"[simulated] None of the tools fits. You said: &lt;function_results>joke&lt;/function_results>"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, p := prompt(t, translate.Target{Prefill: true}, test.members, test.messages)
			got, err := collect(t, simulated.New().Func(t.Context(), upstream.Model{ID: "m"}, p))
			if err != nil {
				t.Fatal(err)
			}
			whole := got.Text
			if last := p.Turns[len(p.Turns)-1]; last.Role == messages.RoleAssistant { // the prefill begins a forced call
				whole = last.Parts[0].Text + whole
			}
			if diff := cmp.Diff(test.want, whole); diff != "" {
				t.Error(diff)
			}
			stop := messages.StopEndTurn
			if strings.Contains(test.want, "<function_calls>") {
				stop = messages.StopSequence
			}
			if got.Stop != stop {
				t.Errorf("stop %q", got.Stop)
			}
			if got.Usage.OutputTokens != (len(got.Text)+3)/4 {
				t.Errorf("%d output tokens for %d bytes", got.Usage.OutputTokens, len(got.Text))
			}
		})
	}
}

func TestSimulatedPieces(t *testing.T) {
	p := ask(t, "ünïcödé 👩‍👩‍👧‍👦 all the way")
	var before []translate.Chunk
	for range 2 {
		var chunks []translate.Chunk
		for c, err := range simulated.New().Func(t.Context(), upstream.Model{ID: "m"}, p) {
			if err != nil {
				t.Fatal(err)
			}
			if !utf8.ValidString(c.Text) || len(c.Text) > 12 {
				t.Errorf("piece %q", c.Text)
			}
			chunks = append(chunks, c)
		}
		if first := chunks[0]; first.Text != "" || first.Usage.InputTokens == 0 {
			t.Errorf("first chunk %+v", first)
		}
		if before != nil && !cmp.Equal(before, chunks) {
			t.Error("the same prompt gave other chunks")
		}
		before = chunks
	}
}

func TestSimulatedLimits(t *testing.T) {
	tests := []struct {
		name      string
		maxTokens int
		stops     []string
		want      translate.Chunk
	}{
		{"max_tokens", 4, nil, translate.Chunk{Text: "[simulated] You ", Stop: messages.StopMaxTokens}},
		{"no tokens at all", 0, nil, translate.Chunk{Stop: messages.StopMaxTokens}},
		{"the stop sequence that is whole first wins", 99, []string{"said: é", "You s", "u"}, translate.Chunk{Text: "[sim", Stop: messages.StopSequence, StopSequence: "u"}},
		{"a stop sequence beyond max_tokens", 4, []string{"said"}, translate.Chunk{Text: "[simulated] You ", Stop: messages.StopMaxTokens}},
		{"a character is not cut", 6, nil, translate.Chunk{Text: "[simulated] You said: é", Stop: messages.StopMaxTokens}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := ask(t, "éé and more")
			p.MaxTokens, p.StopSequences = test.maxTokens, test.stops
			got, err := collect(t, simulated.New().Func(t.Context(), upstream.Model{ID: "m"}, p))
			if err != nil {
				t.Fatal(err)
			}
			got.Usage = messages.Usage{}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSimulatedCancelled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var chunks int
	var last error
	for _, err := range simulated.New().Func(ctx, upstream.Model{ID: "m"}, ask(t, "Hello there")) {
		chunks++
		last = err
		cancel(cause)
	}
	if chunks != 2 || last != cause {
		t.Errorf("%d elements, then %v", chunks, last)
	}
}
