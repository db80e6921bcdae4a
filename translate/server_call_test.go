package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// answerOf returns the message for an answer of these chunks, and its line with the outcomes of the
// calls.
func answerOf(t *testing.T, req *messages.Request, target Target, chunks ...Chunk) (line string, m *messages.Message) {
	t.Helper()
	prompt, err := Render(req, target)
	if err != nil {
		t.Fatal(err)
	}
	left := false
	m, err = messages.Collect(Events(req, prompt, func(*Prompt) iter.Seq2[Chunk, error] {
		return func(yield func(Chunk, error) bool) {
			for _, c := range chunks {
				if left = !yield(c, nil); left {
					return
				}
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, b := range m.Content {
		switch b.Type {
		case messages.BlockToolUse:
			parts = append(parts, b.Name+string(b.Input))
		case messages.BlockThinking:
			parts = append(parts, "("+b.Thinking+")")
		default:
			parts = append(parts, `"`+b.Text+`"`)
		}
	}
	for _, o := range m.Outcomes {
		from := ""
		if o.FromServer {
			from = "server "
		}
		parts = append(parts, "["+from+strings.TrimSuffix(string(o.Kind)+" "+o.Reason.String(), " none")+"]")
	}
	return string(m.StopReason) + ": " + strings.Join(parts, " "), m
}

// serverRequest returns a request with two tools and this tool_choice.
func serverRequest(t *testing.T, choice string) *messages.Request {
	t.Helper()
	body := `{"model":"m","max_tokens":99,"tool_choice":` + choice + `,"tools":[
		{"name":"book","description":"Book <invoke> rooms.","input_schema":{"type":"object","properties":{"room":{"type":"string"},"count":{"type":"integer"}},"required":["room"]}},
		{"name":"ping","input_schema":{"type":"object","properties":{}}}],
		"messages":[{"role":"user","content":"What does <invoke> do?"}]}`
	req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestServerCalls(t *testing.T) {
	const auto, single = `{"type":"auto"}`, `{"type":"auto","disable_parallel_tool_use":true}`
	call := func(name, input string) Chunk { return Chunk{Calls: []ToolUse{{Name: name, Input: []byte(input)}}} }
	text := func(s string) Chunk { return Chunk{Text: s} }
	stop := func(s messages.Stop) Chunk { return Chunk{Stop: s} }
	cut := func(name, input string) Chunk {
		c := call(name, input)
		c.Stop = messages.StopMaxTokens
		return c
	}
	book := call("book", `{"room": "A", "count": 3}`)
	done := stop(messages.StopToolUse)
	for _, tt := range []struct {
		name, choice string
		chunks       []Chunk
		want         string
	}{
		{"alone", auto, []Chunk{book, done}, `tool_use: book{"room":"A","count":3} [server clean]`},
		{"of a server that says end_turn", auto, []Chunk{book, stop(messages.StopEndTurn)}, `tool_use: book{"room":"A","count":3} [server clean]`},
		{"between texts", auto, []Chunk{text("So "), text("be it <"), book, text("Done.\n"), call("ping", ""), text("\nEnd"), done},
			`tool_use: "So be it <" book{"room":"A","count":3} "Done." ping{} "\nEnd" [server clean] [server clean]`},
		{"two in one chunk", auto, []Chunk{{Calls: []ToolUse{book.Calls[0], {Name: "ping", Input: []byte(" {} ")}}}, done}, `tool_use: book{"room":"A","count":3} ping{} [server clean] [server clean]`},
		{"behind thinking", auto, []Chunk{{Thinking: "hm"}, book, done}, `tool_use: (hm) book{"room":"A","count":3} [server clean]`},
		{"in thinking that was never closed", auto, []Chunk{text("<think>I call"), book, done}, `tool_use: "<think>I call" book{"room":"A","count":3} [server clean]`},
		{"behind a call in text", auto, []Chunk{text(`<tool_call>{"name":"ping","arguments":{}}</tool_call>`), book, done}, `tool_use: ping{} book{"room":"A","count":3} [repaired json_call] [server clean]`},
		{"before a call in text", auto, []Chunk{book, text(`<tool_call>{"name":"ping","arguments":{}}</tool_call>`), done}, `tool_use: book{"room":"A","count":3} ping{} [server clean] [repaired json_call]`},
		{"within a call in text", auto, []Chunk{text(`<invoke name="book"><parameter name="room">A</parameter>`), book, text(`</invoke>`), done}, `tool_use: book{"room":"A"} [repaired bare_call]`},
		{"of another case", auto, []Chunk{call("functions.Book", `{"room":"A"}`), done}, `tool_use: book{"room":"A"} [server repaired tool_name]`},
		{"with slips", auto, []Chunk{call("book", "{'room': 'A',}"), done}, `tool_use: book{"room":"A"} [server repaired mended_json]`},
		{"with half a character", auto, []Chunk{call("book", `{"room":"a\ud83d"}`), done}, `tool_use: book{"room":"a\ufffd"} [server clean]`},
		{"of no tool", auto, []Chunk{call("fly", `{"to":"B"}`), done}, `tool_use: fly{"to":"B"} [server unknown_tool]`},
		{"without a name", auto, []Chunk{call("", `{"to":"B"}`), done}, `end_turn: "{\"name\":\"\",\"arguments\":{\"to\":\"B\"}}" [server refused no_tool_fits]`},
		{"with another parameter", auto, []Chunk{call("book", `{"rooms":"A"}`), done}, `tool_use: book{"rooms":"A"} [server invalid missing_parameters]`},
		{"whose arguments are no JSON", auto, []Chunk{text("So:"), call("book", "A <b>"), text("!"), done}, `end_turn: "So:" "{\"name\":\"book\",\"arguments\":A <b>}!" [server refused missing_brace]`},
		{"cut", auto, []Chunk{cut("book", `{"count":3,"room":"A lo`)}, `max_tokens: book{"count":3} [server incomplete]`},
		{"cut before its arguments", auto, []Chunk{cut("book", "")}, `max_tokens: book{} [server incomplete]`},
		{"whole where the answer was cut", auto, []Chunk{cut("book", `{"room":"A"}`)}, `max_tokens: book{"room":"A"} [server clean]`},
		{"two cut at once", auto, []Chunk{{Calls: []ToolUse{{Name: "book", Input: []byte(`{"count":3,"room":"A lo`)}, {Name: "book", Input: []byte(`{"room":"B","count":`)}}, Stop: messages.StopMaxTokens}},
			`max_tokens: book{"count":3} book{"room":"B"} [server incomplete] [server incomplete]`},
		{"open although the model came to its end", auto, []Chunk{call("book", `{"room":"A`), done}, `max_tokens: "{\"name\":\"book\",\"arguments\":{\"room\":\"A}" [server refused invalid_json]`},
		{"where none may come", `{"type":"none"}`, []Chunk{text("So."), book, text("x"), done}, `end_turn: "So." [server leaked tool_choice]`},
		{"where one may come", single, []Chunk{book, call("ping", "{}"), done}, `tool_use: book{"room":"A","count":3} [server clean]`},
		{"with what we have escaped", auto, []Chunk{call("book", `{"room":"a &lt;invoke> &lt;b>"}`), done}, `tool_use: book{"room":"a <invoke> &lt;b>"} [server clean]`},
		{"lost", auto, []Chunk{text("So."), done}, `end_turn: "So." [server refused lost_by_server]`},
		{"lost, with all that the model wrote", auto, []Chunk{{Stop: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 30}}}, `end_turn: [server refused lost_by_server]`},
		{"nothing to lose", auto, []Chunk{{Stop: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 2}}}, `end_turn: [empty]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, m := answerOf(t, serverRequest(t, tt.choice), Target{}, tt.chunks...)
			want := strings.ReplaceAll(tt.want, `\n`, "\n")
			if got = strings.ReplaceAll(got, `\"`, `"`); got != strings.ReplaceAll(want, `\"`, `"`) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			for _, b := range m.Content {
				if b.Type == messages.BlockToolUse && b.ID == "" {
					t.Error("a call without an id")
				}
			}
		})
	}
}

// Tags that the server left beside the calls that it read are no text, and hide no call. The pieces of the text may
// be of any size.
func TestLeakedTags(t *testing.T) {
	call := func(name, input string) Chunk { return Chunk{Calls: []ToolUse{{Name: name, Input: []byte(input)}}} }
	text := func(s string) Chunk { return Chunk{Text: s} }
	stop := func(s messages.Stop) Chunk { return Chunk{Stop: s} }
	book, done := call("book", `{"room": "A", "count": 3}`), stop(messages.StopToolUse)
	for _, tt := range []struct {
		name   string
		chunks []Chunk
		want   string
	}{
		{"behind a leaked tag", []Chunk{call("ping", "{}"), text("\n<tool_call>\n"), book, done}, `tool_use: ping{} book{"room":"A","count":3} [server clean] [server clean]`},
		{"among leaked tags", []Chunk{text("\n<tool_call>\n"), call("ping", "{}"), text("\n</tool_call>\n<tool_call>\n"), book, text(">\n</tool_call>\n"), done},
			`tool_use: ping{} book{"room":"A","count":3} [server clean] [server clean]`},
		{"behind all leaked tags", []Chunk{text("<tool_call>\n</tool_call>\n<tool_call>\n</tool_call>"), {Calls: []ToolUse{{Name: "ping"}, book.Calls[0]}, Stop: messages.StopToolUse}},
			`tool_use: ping{} book{"room":"A","count":3} [server clean] [server clean]`},
		{"behind text and a leaked tag", []Chunk{text("Let me see.\n\n<｜DSML｜function_calls>"), call("ping", "{}"), text("</｜DSML｜invoke>\n</｜DSML｜function_calls>"), done},
			`tool_use: "Let me see." ping{} [server clean]`},
		{"before a leaked tag and text", []Chunk{call("ping", "{}"), text("\n</tool_call>\nDone."), done}, "tool_use: ping{} \"\nDone.\" [server clean]"},
		{"before and behind leaked tags of many kinds", []Chunk{text("See:<|tool_calls_section_begin|>"), call("ping", "{}"), text("<|tool_call_end|><|tool_calls_section_end|>"), done}, `tool_use: "See:" ping{} [server clean]`},
		{"behind half a call", []Chunk{call("ping", "{}"), text("\n<tool_call>\n{\"name\": \"ping\""), book, done},
			"tool_use: ping{} \"\n<tool_call>\n{\"name\": \"ping\"\" book{\"room\":\"A\",\"count\":3} [server clean] [leaked incomplete] [server clean]"},
		{"behind half a call in tags", []Chunk{call("ping", "{}"), text("\n<tool_call>\n<function=book>\n<parameter=room>\nA"), book, done},
			"tool_use: ping{} \"\n<tool_call>\n<function=book>\n<parameter=room>\nA\" book{\"room\":\"A\",\"count\":3} [server clean] [refused no_tool_fits] [server clean]"},
		{"behind half a call in front", []Chunk{text("\n<tool_call>\n{\"name\": \"ping\""), book, done},
			"tool_use: \"<tool_call>\n{\"name\": \"ping\"\" book{\"room\":\"A\",\"count\":3} [refused invalid_json] [server clean]"},
		{"behind a sentence about a tag", []Chunk{text("I write <tool_call> to call. The tag is <tool_call>"), call("ping", "{}"), text("I wrote </tool_call>"), done},
			`tool_use: "I write <tool_call> to call. The tag is <tool_call>" ping{} "I wrote </tool_call>" [server clean]`},
		{"before a tag in its line", []Chunk{call("ping", "{}"), text("</tool_call> is the end."), done}, `tool_use: ping{} "</tool_call> is the end." [server clean]`},
		{"a tag without a call", []Chunk{text("a\n</tool_call>\n"), stop(messages.StopEndTurn)}, "end_turn: \"a\n</tool_call>\n\""},
		{"before a call in text behind a tag", []Chunk{book, text("\n</tool_call>\n<tool_call>\n"), text(`{"name":"ping","arguments":{}}`), text("\n</tool_call>"), done}, `tool_use: book{"room":"A","count":3} ping{} [server clean] [repaired json_call]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var pieces []Chunk
			for _, c := range tt.chunks {
				if len(c.Calls) > 0 {
					pieces = append(pieces, c)
					continue
				}
				for i := range len(c.Text) {
					pieces = append(pieces, text(c.Text[i:i+1]))
				}
				if c.Stop != "" {
					pieces = append(pieces, c)
				}
			}
			for _, chunks := range [][]Chunk{tt.chunks, pieces} {
				if got, _ := answerOf(t, serverRequest(t, `{"type":"auto"}`), Target{ToolAPI: true, ModelOptions: ModelOptions{Rescue: new(true)}}, chunks...); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

// If a prefill has begun a call and the server reads it too, it is one call.
func TestServerCallOfPrefill(t *testing.T) {
	got, _ := answerOf(t, serverRequest(t, `{"type":"tool","name":"book"}`), Target{Prefill: true, ModelOptions: ModelOptions{Format: FormatJSON}},
		Chunk{Calls: []ToolUse{{Name: "book", Input: []byte(`{"room":"A"}`)}}, Stop: messages.StopToolUse})
	if want := `tool_use: book{"room":"A"} [server clean]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A call in text and from the server counts once, in either order. Without rescue, text is text.
func TestServerCallTwice(t *testing.T) {
	const inText = `<tool_call>{"name":"book","arguments":{"count":3,"room":"A"}}</tool_call>`
	other := Chunk{Calls: []ToolUse{{Name: "book", Input: []byte(`{"room":"B"}`)}}}
	book := Chunk{Calls: []ToolUse{{Name: "book", Input: []byte(`{"room":"A","count":3.0}`)}}}
	text, done := Chunk{Text: inText}, Chunk{Stop: messages.StopToolUse}
	for _, tt := range []struct {
		name   string
		rescue bool
		chunks []Chunk
		want   string
	}{
		{"text first", true, []Chunk{text, book, done}, `tool_use: book{"count":3,"room":"A"} [repaired json_call]`},
		{"the server first", true, []Chunk{book, text, done}, `tool_use: book{"room":"A","count":3.0} [server clean]`},
		{"with others", true, []Chunk{text, other, book, book, done}, `tool_use: book{"count":3,"room":"A"} book{"room":"B"} book{"room":"A","count":3.0} [repaired json_call] [server clean] [server clean]`},
		{"two from the server", true, []Chunk{book, book, done}, `tool_use: book{"room":"A","count":3.0} book{"room":"A","count":3.0} [server clean] [server clean]`},
		{"no rescue", false, []Chunk{text, book, done}, `tool_use: "` + inText + `" book{"room":"A","count":3.0} [server clean]`},
		{"text alone, no rescue", false, []Chunk{text, {Stop: messages.StopEndTurn}}, `end_turn: "` + inText + `"`},
		{"text alone", true, []Chunk{text, {Stop: messages.StopEndTurn}}, `tool_use: book{"count":3,"room":"A"} [repaired json_call]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := answerOf(t, serverRequest(t, `{"type":"auto"}`), Target{ToolAPI: true, ModelOptions: ModelOptions{Rescue: new(tt.rescue)}}, tt.chunks...); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Servers of chat completions take names of 64 letters. A longer name is shortened in the tools, the choice and past
// calls. The client gets its own name back, from the server's calls and from calls in text.
func TestLongToolNames(t *testing.T) {
	long := strings.Repeat("a_long_name_", 8) // 96 letters
	short := long[:55] + "_" + "HASH"
	sum := sha256.Sum256([]byte(long))
	short = strings.Replace(short, "HASH", hex.EncodeToString(sum[:4]), 1)
	body := `{"model":"m","max_tokens":99,"tool_choice":{"type":"tool","name":"LONG"},"tools":[
		{"name":"LONG","input_schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}},{"name":"LONGER","input_schema":{"type":"object"}}],
		"messages":[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"LONG","input":{"a":"x"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"one"}]}]}`
	body = strings.ReplaceAll(strings.ReplaceAll(body, "LONGER", long+"r"), "LONG", long)
	req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	target := Target{ToolAPI: true, ModelOptions: ModelOptions{Rescue: new(true)}}
	prompt, err := Render(req, target)
	if err != nil {
		t.Fatal(err)
	}
	past := prompt.Turns[1].Parts[0]
	if api := prompt.ToolAPI; api.Tools[0].Name != short || api.Tools[1].Name == short || len(api.Tools[1].Name) != 64 || api.Name != short || past.Name != short {
		t.Errorf("the server gets %+v, %+v", api, past)
	}
	want := "tool_use: " + long + `{"a":"1"}`
	for _, chunks := range [][]Chunk{
		{{Calls: []ToolUse{{Name: short, Input: []byte(`{"a":"1"}`)}}}, {Stop: messages.StopToolUse}},
		{{Calls: []ToolUse{{Name: long, Input: []byte(`{"a":"1"}`)}}}, {Stop: messages.StopToolUse}},
		{{Text: `<tool_call>{"name":"` + short + `","arguments":{"a":"1"}}</tool_call>`}, {Stop: messages.StopEndTurn}},
		{{Text: `<function_calls><invoke name="` + short + `"><parameter name="a">1</parameter></invoke></function_calls>`}, {Stop: messages.StopEndTurn}},
	} {
		if got, _ := answerOf(t, req, target, chunks...); !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if prompt, err := Render(req, Target{}); err != nil || strings.Contains(prompt.System[0].Text, short) {
		t.Errorf("a prompt has the short name: %v", err)
	}
}

// TestServerCallTrace checks that a trace shows a server's call as JSON, in its place in the text.
func TestServerCallTrace(t *testing.T) {
	req := serverRequest(t, `{"type":"auto"}`)
	prompt, err := Render(req, Target{})
	if err != nil {
		t.Fatal(err)
	}
	trace := NewTrace(req, prompt)
	chunks := []Chunk{{Text: "So. "}, {Calls: []ToolUse{{Name: "ping", Input: []byte("{}")}}, Text: "Done."}, {Stop: messages.StopToolUse}}
	var completion string
	var last Step
	for _, c := range chunks {
		completion += c.Completion()
		last = trace.Read(c)
	}
	if want := `So. {"name":"ping","arguments":{}}Done.`; completion != want || last.End != len(want) || !last.Done {
		t.Errorf("%q, %+v", completion, last)
	}
}

// TestToolAPIPrompt checks that tools, calls and results are parts of their own, without any words
// of Dragoman's.
func TestToolAPIPrompt(t *testing.T) {
	body := `{"model":"m","max_tokens":2048,"thinking":{"type":"enabled","budget_tokens":1024},"stop_sequences":["END"],"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"system":"Be brief.",
		"tools":[{"name":"book","description":"Book.","strict":true,"input_examples":[{"room":"A"},{"room":"<invoke>"}],"input_schema":{"type":"object","properties":{"room":{"type":"string"}}}}],
		"messages":[{"role":"user","content":"Go."},
			{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"So."},{"type":"tool_use","id":"toolu_1","name":"book","input":{"room":"A"}},{"type":"tool_use","id":"toolu_2","name":"book","input":{"room":"<invoke>"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","is_error":true,"content":[{"type":"text","text":"full"},{"type":"image","source":{"type":"url","url":"https://a.test/1"}}]},{"type":"tool_result","tool_use_id":"toolu_1","content":"one"},{"type":"text","text":"On."}]}]}`
	req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for model, ids := range map[string][2]string{"qwen3-8b": {prompt.DerivedID("toolu_1", 0)[:9], prompt.DerivedID("toolu_2", 0)[:9]}, "kimi-k2": {"functions.book:0", "functions.book:1"}} {
		prompt, err := Render(req, Target{ModelOptions: ModelOptions{Family: model, ExampleCall: ExampleOn}, ToolAPI: true, TryPrefill: true})
		if err != nil {
			t.Fatal(err)
		}
		prompt.System = prompt.System[:1] // without the instruction to think
		got, err := json.Marshal(prompt)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"system":[{"text":"Be brief."}],"turns":[{"role":"user","parts":[{"type":"text","text":"Go."}]},{"role":"assistant","parts":[` +
			`{"type":"thinking","text":"hm"},{"type":"text","text":"So."},` +
			`{"type":"tool_use","id":"ONE","name":"book","input":{"room":"A"}},{"type":"tool_use","id":"TWO","name":"book","input":{"room":"&lt;invoke>"}}]},` +
			`{"role":"user","parts":[{"type":"tool_result","id":"ONE","content":[{"type":"text","text":"one"}]},` +
			`{"type":"tool_result","id":"TWO","content":[{"type":"text","text":"full"},{"type":"image","source":{"type":"url","url":"https://a.test/1"}}],"is_error":true},` +
			`{"type":"text","text":"On."}]}],"stop_sequences":["END"],"max_tokens":2048,"tool_api":{"tools":[{"name":"book","description":"Book.\n\nExamples of its input:\n{\"room\":\"A\"}\n{\"room\":\"&lt;invoke>\"}",` +
			`"input_schema":{"type":"object","properties":{"room":{"type":"string"}}},"strict":true}],"choice":"auto","single":true}}`
		if want = strings.NewReplacer("ONE", ids[0], "TWO", ids[1]).Replace(want); string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", model, got, want)
		}
		_, origins, err := RenderOrigins(t.Context(), req, Target{ModelOptions: ModelOptions{Family: model}, ToolAPI: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, turn := range origins.Turns {
			if len(turn) != len(prompt.Turns[i].Parts) {
				t.Errorf("the origins of turn %d are of %d parts", i, len(turn))
			}
		}
		if part := origins.Turns[2][0]; part.Source != "messages.2.content.1" {
			t.Errorf("the first result is from %+v", part)
		}
	}
}

// FuzzServerCalls checks G2, G4 and G6 for a server's call between two texts, for any texts, call
// and cuts.
func FuzzServerCalls(f *testing.F) {
	for i, seed := range parseSeeds(f) {
		input := [...]string{`{"s":"a","n":1}`, "", "x", `{"s":"a`, `{"p":"&lt;invoke>"}}`}[i%5]
		f.Add(seed[:len(seed)/2], "t", input, seed[len(seed)/2:], uint8(i))
		f.Add(seed, "functions.case", input, seed, uint8(i+3))
	}
	f.Fuzz(func(t *testing.T, before, name, input, behind string, seed uint8) {
		req := fuzzRequest()
		req.ToolChoice = fuzzChoices[seed%8]
		prompt := &Prompt{Asking: asking{Declared: format.List[int(seed)%len(format.List)], Target: Target{ModelOptions: ModelOptions{StreamValues: when(seed%3 > 0, ValuesFlow)}}}}
		if seed%4 > 1 {
			prompt.ToolAPI, prompt.Target.Rescue = &ToolAPI{}, new(seed%4 == 2)
		}
		if seed%5 > 2 {
			prompt.Target.Thinking = [...]string{ThinkingMaybe, ThinkingOpen}[seed%2]
		}
		prompt.Target.UnaskedThinking = [...]string{UnaskedText, UnaskedBlock, UnaskedHide}[seed/8%3]
		c := fuzzStops[int(seed)%len(fuzzStops)]
		read := func(n int) string {
			m, err := messages.Collect(checked(t, Events(req, prompt, func(p *Prompt) iter.Seq2[Chunk, error] {
				return func(yield func(Chunk, error) bool) {
					for c := range (completion{text: before}).chunks(n)(p) {
						if c.Stop = ""; !yield(c, nil) {
							return
						}
					}
					if !yield(Chunk{Calls: []ToolUse{{Name: name, Input: []byte(input)}}}, nil) {
						return
					}
					completion{text: behind, stop: c.stop, sequence: c.sequence}.chunks(n)(p)(yield)
				}
			})))
			if err != nil {
				t.Fatalf("pieces of %d: %v", n, err)
			}
			return show(m)
		}
		whole := read(0)
		for _, n := range []int{1, 3} {
			if got := read(n); got != whole {
				t.Fatalf("pieces of %d:\n%s\nwhole:\n%s", n, got, whole)
			}
		}
	})
}
