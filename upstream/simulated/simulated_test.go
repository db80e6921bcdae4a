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

// collect returns a sequence of chunks as one chunk. It checks that Stop is set once,
// on the last chunk, and that an error is last.
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
	const results = "<function_results>\n<result>\n<tool_name>get_weather</tool_name>\n<stdout>\n18 C, &lt;/stdout> sunny\n</stdout>\n</result>\n"
	tests := []struct {
		name   string
		prompt *translate.Prompt
		want   string
		stop   messages.Stop
	}{
		{"no tools", ask("Hello there"), "[simulated] You said: Hello there", messages.StopEndTurn},
		{"no words", ask(""), "[simulated] You said nothing in words.", messages.StopEndTurn},
		{"a capitalised word", weather("What's the weather in Oslo?"), "[simulated] I will call get_weather.\n\n" + oslo, messages.StopSequence},
		{"a quoted phrase", weather(`What is the weather in "Oslo" of Norway?`), "[simulated] I will call get_weather.\n\n" + oslo, messages.StopSequence},
		{"a phrase in single quotes", weather("What's the weather in 'old Oslo's port' of Norway?"),
			"[simulated] I will call get_weather.\n\n" + strings.Replace(oslo, "Oslo", "old Oslo's port", 1), messages.StopSequence},
		{"no phrase between apostrophes", weather("What's the dogs' weather, and the cats'?"),
			"[simulated] I will call get_weather.\n\n" + strings.Replace(oslo, "Oslo", "and the cats", 1), messages.StopSequence},
		{"the last words", weather("weather please, for old oslo town"),
			"[simulated] I will call get_weather.\n\n" + strings.Replace(oslo, "Oslo", "old oslo town", 1), messages.StopSequence},
		{"numbers, enum, boolean, array", weather("Reserve seats at Chez Marie for 3 on the terrace"),
			"[simulated] I will call book_table.\n\n" + table, messages.StopSequence},
		{"a number in brackets", weather("Reserve seats at Chez Marie (guests=3) on the terrace"),
			"[simulated] I will call book_table.\n\n" + table, messages.StopSequence},
		{"an answer in JSON", inJSON(ask("Tell me a joke about 3 cats")),
			`{"setup":"about 3 cats","cats":{"count":3}}`, messages.StopEndTurn},
		{"an answer in JSON, with results", inJSON(conversation("Weather in Oslo?", oslo+translate.CallsEnd, results+"</function_results>")),
			`{"setup":"Oslo","cats":{"count":1}}`, messages.StopEndTurn},
		{"a call where JSON is asked for", inJSON(weather("What's the weather in Oslo?")),
			"[simulated] I will call get_weather.\n\n" + oslo, messages.StopSequence},
		{"none fits", weather("Tell me a joke"), "[simulated] None of the tools fits. You said: Tell me a joke", messages.StopEndTurn},
		{"two by name", weather("Call now and get_weather for Oslo"),
			"[simulated] I will call now and get_weather.\n\n<function_calls>\n<invoke>\n<tool_name>now</tool_name>\n<parameters>\n</parameters>\n</invoke>\n" +
				strings.TrimPrefix(oslo, "<function_calls>\n"), messages.StopSequence},
		{"two by name, one allowed", weather("Call now and get_weather for Oslo. Call at most one tool at a time: one call, then wait for its result."),
			"[simulated] I will call now.\n\n<function_calls>\n<invoke>\n<tool_name>now</tool_name>\n<parameters>\n</parameters>\n</invoke>\n", messages.StopSequence},
		{"a tool demanded", conversation("Hello Oslo\nAnswer with a call to the tool get_weather now, and write nothing before it."), oslo, messages.StopSequence},
		{"any tool demanded", conversation("Hello from Oslo\nAnswer with a call to one of the tools now, and write nothing before it."), oslo, messages.StopSequence},
		{"any tool demanded, none fits", conversation("Hello\nAnswer with a call to one of the tools now, and write nothing before it."),
			strings.Replace(oslo, "Oslo", "Hello", 1), messages.StopSequence},
		{"any tool demanded, and one is named", conversation("Tell me of now\nAnswer with a call to one of the tools now, and write nothing before it."),
			"<function_calls>\n<invoke>\n<tool_name>now</tool_name>\n<parameters>\n</parameters>\n</invoke>\n", messages.StopSequence},
		{"prefill up to the name", conversation("Weather in Oslo?", "<function_calls>\n<invoke>\n<tool_name>"),
			strings.TrimPrefix(oslo, "<function_calls>\n<invoke>\n<tool_name>"), messages.StopSequence},
		{"prefill within the name", conversation("Hello in Oslo?", "<function_calls>\n<invoke>\n<tool_name>get"),
			strings.TrimPrefix(oslo, "<function_calls>\n<invoke>\n<tool_name>get"), messages.StopSequence},
		{"prefill up to the parameters", conversation("Hello Oslo", "Yes.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>"),
			strings.TrimPrefix(oslo, "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>"), messages.StopSequence},
		{"prefill of another make", conversation("Hello Oslo", "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<unit>kel"),
			"</unit>\n</parameters>\n</invoke>\n", messages.StopSequence},
		{"prefill in prose", conversation("Hello", "So"), " [simulated] None of the tools fits. You said: Hello", messages.StopEndTurn},
		{"results", conversation("Weather in Oslo?", oslo+translate.CallsEnd, results+"</function_results>"),
			"[simulated] The tool get_weather returned: 18 C, &lt;/stdout> sunny", messages.StopEndTurn},
		{"results and an error", conversation("Weather in Oslo?", oslo+translate.CallsEnd,
			results+"<error>\nno such city\n</error>\n<error>\nno\n</error>\n<result>\n<tool_name>now</tool_name>\n<stdout>\n\n</stdout>\n</result>\n</function_results>\nAnd now?"),
			"[simulated] The tool get_weather returned: 18 C, &lt;/stdout> sunny\nThe tool failed: no such city\nThe tool failed: no\nThe tool now returned nothing.", messages.StopEndTurn},
		{"an error that names its tool", conversation("Weather in Oslo?", oslo+translate.CallsEnd,
			"<function_results>\n<result>\n<tool_name>get_weather</tool_name>\n<error>no such city</error>\n</result>\n</function_results>"),
			"[simulated] The tool get_weather failed: no such city", messages.StopEndTurn},
		{"a call demanded after results", conversation("Weather in Oslo?", oslo+translate.CallsEnd,
			results+"</function_results>\nAnswer with a call to the tool get_weather now, and write nothing before it."), oslo, messages.StopSequence},
		{"spelled results are not results", conversation("Weather in Oslo?", oslo+translate.CallsEnd, "&lt;function_results>joke</function_results>"),
			"[simulated] None of the tools fits. You said: &lt;function_results>joke</function_results>", messages.StopEndTurn},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := collect(t, simulated.New().Invoke(t.Context(), upstream.Model{ID: "m"}, test.prompt))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Text); diff != "" {
				t.Error(diff)
			}
			if got.Stop != test.stop {
				t.Errorf("stop %q", got.Stop)
			}
			if got.Usage.OutputTokens != (len(got.Text)+3)/4 {
				t.Errorf("%d output tokens for %d bytes", got.Usage.OutputTokens, len(got.Text))
			}
		})
	}
}

func TestSimulatedPieces(t *testing.T) {
	p := ask("ünïcödé 👩‍👩‍👧‍👦 all the way")
	var before []translate.Chunk
	for range 2 {
		var chunks []translate.Chunk
		for c, err := range simulated.New().Invoke(t.Context(), upstream.Model{ID: "m"}, p) {
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
			p := ask("éé and more", test.stops...)
			p.MaxTokens = test.maxTokens
			got, err := collect(t, simulated.New().Invoke(t.Context(), upstream.Model{ID: "m"}, p))
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
	for _, err := range simulated.New().Invoke(ctx, upstream.Model{ID: "m"}, ask("Hello there")) {
		chunks++
		last = err
		cancel(cause)
	}
	if chunks != 2 || last != cause {
		t.Errorf("%d elements, then %v", chunks, last)
	}
}
