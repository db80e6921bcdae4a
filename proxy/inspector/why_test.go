package inspector

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Completions without the call that the model meant, named by the reason.
const (
	fenced   = "Let me look.\n\n```xml\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>\n```\n"
	jsonOnly = "Let me look.\n\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n```\nDone.\n"
	foreign  = "Let me look.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": \"Oslo\"}<|tool_call_end|><|tool_calls_section_end|>"
	refused  = "Let me look.\n<function_calls>\n<invoke name=\"get_weather\">\n<city\n</invoke>\n</function_calls>\n"
	drafted  = "I call it.\n<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Oslo</parameter>\n</invoke>\n</function_calls>\n</think>\nDone."
	halfCall = "Let me look.\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Os"
)

// withResult is the question after its call, with the result.
var withResult = strings.Replace(question, asks, asks+`,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}]},`+
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"4 degrees"}]}`, 1)

const asks = `{"role":"user","content":"What is the weather in Oslo?"}`

// why returns why an exchange has no calls.
func (w *watched) why(id string) []whyNoCall {
	w.t.Helper()
	var got struct {
		Completions []whyNoCall `json:"completions"`
	}
	if err := json.Unmarshal([]byte(w.see("exchanges/"+id+"/why")), &got); err != nil {
		w.t.Fatal(err)
	}
	return got.Completions
}

// shapedIn returns the text of a completion that is marked as having the shape of a call.
func (w *watched) shapedIn(id, completion string) string {
	w.t.Helper()
	var got struct {
		Spans []Span `json:"spans"`
	}
	if err := json.Unmarshal([]byte(w.see("exchanges/"+id+"/spans")), &got); err != nil {
		w.t.Fatal(err)
	}
	out, from := "", int64(0)
	for _, s := range got.Spans {
		if s.Kind == spanShaped {
			out += completion[from:s.End]
		}
		from = s.End
	}
	return out
}

// Text in the shape of a call shows in the list and in the completion, with a change that would make it a call.
func TestWhyNoCall(t *testing.T) {
	thinking := map[string]string{"drafted": translate.ThinkingMaybe}
	format := map[string]string{"in JSON": translate.FormatJSON}
	for name, tt := range map[string]struct {
		completion string
		mark       Mark
		misread    string
		begins     string // what is marked
		keys       []string
	}{
		"drafted": {drafted, MarkLeaked, "leaked", "<function_calls>", []string{"thinking: marked"}},
		"fenced":  {fenced, MarkLeaked, "leaked quoted", "```xml\n<function_calls>", []string{"quoted_calls: read"}},
		"in JSON": {jsonOnly, MarkLeaked, "leaked quoted", "{\"name\"", []string{"format: legacy"}},
		"foreign": {foreign, MarkLeaked, "leaked", "<|tool_calls_section_begin|>", []string{"accept: [kimi]", "format: kimi"}},
		"refused": {refused, MarkRefused, "refused", "<function_calls>", []string{"repair: 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, writes(tt.completion, ""), func(o *proxy.Options) { o.Routes[0].Thinking, o.Routes[0].Format = thinking[name], format[name] })
			w.ask(question)
			line := w.ended(1)[0]
			if line.Mark != tt.mark || len(line.Misread) != 1 || !strings.HasPrefix(line.Misread[0], tt.misread) {
				t.Errorf("the list says %q of %q", line.Mark, line.Misread)
			}
			if got := w.shapedIn(line.ID, tt.completion); !strings.HasPrefix(got, tt.begins) || strings.Contains(got, "Let me look") || strings.Contains(got, "Done") {
				t.Errorf("marked is %q", got)
			}
			why := w.why(line.ID)
			if len(why) != 1 || len(why[0].Outcomes) != 1 || why[0].Outcomes[0].Why == "" {
				t.Fatalf("it says %+v", why)
			}
			var keys []string
			for _, c := range why[0].Changes {
				keys = append(keys, c.Keys)
				if c.Why == "" || c.File != "claude-* claude-2.1 claude-2.1 "+c.Keys || c.Change != nil && !slices.Equal(c.Calls, []string{"get_weather"}) {
					t.Errorf("it offers %+v", c)
				}
			}
			if !slices.Equal(keys, tt.keys) {
				t.Errorf("it offers %q; want %q", keys, tt.keys)
			}
		})
	}
}

// A call only in thinking shows as well, whether the thinking is part of the text or the upstream sends it in a
// separate field.
func TestWhyInThinking(t *testing.T) {
	call := "I call it.\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>"
	for name, first := range map[string]translate.Chunk{"in the text": {Text: "<think>" + call + "</think>\n"}, "apart": {Thinking: call}} {
		w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			_ = yield(first, nil) && yield(translate.Chunk{Text: "Done.", Stop: messages.StopEndTurn}, nil)
		}))
		w.ask(question)
		line := w.ended(1)[0]
		why := w.why(line.ID)
		if line.Mark != MarkLeaked || len(why) != 1 || len(why[0].Outcomes) != 1 || why[0].Outcomes[0].Tool != "get_weather" || !strings.Contains(why[0].Outcomes[0].Why, "thinking") {
			t.Errorf("%s: the list says %s, the panel %+v", name, line.Mark, why)
		}
	}
}

// A model that is stuck shows in the list, with what to try, even if the reminder helped.
func TestWhyStuck(t *testing.T) {
	for first, misread := range map[string]string{"": "empty", strings.TrimPrefix(drafted[:strings.Index(drafted, "</think>")], "I call it.\n"): "clean repeated"} {
		asked := 0
		w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			text := first
			if asked++; asked == 2 {
				text = "It is cold."
			}
			yield(translate.Chunk{Text: text, Stop: messages.StopEndTurn}, nil)
		}))
		w.ask(withResult)
		line := w.ended(1)[0]
		why := w.why(line.ID)
		if line.Mark != MarkStuck || !slices.Equal(line.Misread, []string{misread}) || asked != 2 || len(why) != 1 || len(why[0].Outcomes) != 1 || why[0].Outcomes[0].Why == "" ||
			len(why[0].Changes) != 1 || why[0].Changes[0].Keys != "result_note: on" {
			t.Errorf("%q: asked %d times, the list says %s of %q, the panel %+v", first, asked, line.Mark, line.Misread, why)
		}
	}
}

// Words in place of a call show in the list, with what to try.
func TestWhyProse(t *testing.T) {
	const chat = `{"model":"claude-2.1","messages":[{"role":"user","content":"Weather?"}],"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]}`
	const converse = `{"messages":[{"role":"user","content":[{"text":"Weather?"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"get_weather","inputSchema":{"json":{"type":"object"}}}}]}}`
	const eval, says = "dragoman eval --config 'my file.yaml' --model claude-2.1", "answered in words. It was offered get_weather."
	forced := strings.Replace(question, `"tools":`, `"tool_choice":{"type":"any"},"tools":`, 1)
	for name, tt := range map[string]struct {
		path, body, says string
		tries            []string
	}{
		"free":     {"/v1/messages", question, says, []string{`{"tool_choice":{"type":"any"}}`, eval, "constrain: try", ""}},
		"chat":     {"/v1/chat/completions", chat, says, []string{`{"tool_choice":"required"}`, eval, "constrain: try", ""}},
		"converse": {"/model/claude-2.1/converse", converse, says, []string{`{"toolConfig":{"toolChoice":{"any":{},"auto":null}}}`, eval, "constrain: try", ""}},
		"forced":   {"/v1/messages", forced, "forces a call", []string{eval, "constrain: try", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, writes("It rains.", ""), func(o *proxy.Options) {
				o.Routes[0].Wire, o.Routes[0].Features = proxy.WireChat, upstream.Override{Without: upstream.Prefill}
				o.Upstreams["east/chat"] = o.Upstreams["east"]
			})
			w.post(tt.path, tt.body)
			line := w.ended(1)[0]
			why := w.why(line.ID)
			if line.Mark != MarkNoCall || len(why) != 1 || !strings.Contains(why[0].Prose, tt.says) || len(why[0].Outcomes) > 0 {
				t.Fatalf("%s: %+v", line.Mark, why)
			}
			var tries []string
			for _, c := range why[0].Changes {
				tries = append(tries, c.Keys+c.Command+string(c.Members))
				if c.Why == "" || (c.File != "") != (c.Keys != "") {
					t.Errorf("it offers %+v", c)
				}
			}
			if !slices.Equal(tries, tt.tries) {
				t.Errorf("it offers %q; want %q", tries, tt.tries)
			}
		})
	}
}

// Text that has no shape of a call is not marked as one.
func TestNoShape(t *testing.T) {
	for _, completion := range []string{"Use `<invoke>` & <b>such</b>.\n", "A list:\n```json\n{\"city\": \"Oslo\"}\n```\nand a script:\n```sh\nls\n```\nand ```"} {
		w := watch(t, writes(completion, ""))
		w.ask(question)
		line := w.ended(1)[0]
		if line.Mark != MarkNoCall || w.shapedIn(line.ID, completion) != "" {
			t.Errorf("%q: %s", completion, line.Mark)
		}
	}
}

// An answer with all its calls, or without any need for one, has no such explanation.
func TestNothingIsLost(t *testing.T) {
	const call = "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>"
	free := strings.Replace(question, `"tools":`, `"tool_choice":{"type":"none"},"tools":`, 1)
	for body, completion := range map[string]string{question: call, withResult: "It rains.", free: "It rains.", question[:strings.Index(question, `,"tools"`)] + "}": "It rains."} {
		w := watch(t, writes(completion, ""))
		w.ask(body)
		line := w.ended(1)[0]
		if why := w.why(line.ID); line.Mark != MarkClean || len(why) != 0 || w.shapedIn(line.ID, completion) != "" {
			t.Errorf("%q: %s, %v", completion, line.Mark, why)
		}
	}
}

// A longer answer is offered where a call was cut.
func TestWhyCut(t *testing.T) {
	w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		yield(translate.Chunk{Text: halfCall, Stop: messages.StopMaxTokens}, nil)
	}))
	w.ask(question)
	line := w.ended(1)[0]
	why := w.why(line.ID)
	if line.Mark != MarkCut || len(why) != 1 || len(why[0].Changes) != 1 || why[0].Changes[0].Keys != "max_tokens: 800" {
		t.Errorf("%s: %+v", line.Mark, why)
	}
}

// The same completion is parsed again under a change, and no model is asked.
func TestReparse(t *testing.T) {
	w := watch(t, writes(fenced, ""))
	w.ask(question)
	id := w.ended(1)[0].ID
	parse := func(body string) string { return do(t, w.request("POST", "exchanges/"+id+"/reparse", body)) }
	var got struct {
		Before, After struct {
			Content    []struct{ Type, Name string }
			StopReason string `json:"stop_reason"`
		}
	}
	if err := json.Unmarshal([]byte(parse(`{"quoted_calls":"read"}`)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Before.Content) != 1 || got.Before.StopReason != "end_turn" || len(got.After.Content) != 2 || got.After.Content[1].Name != "get_weather" {
		t.Errorf("got %+v", got)
	}
	for body, why := range map[string]string{`{"accept":"none"}`: "accept: unknown value. Use one of: ", `{"format":"all"}`: "format: unknown value", `{"x":1}`: "the body cannot be read"} {
		if got := parse(body); !strings.Contains(got, why) {
			t.Errorf("%s: %s", body, got)
		}
	}
	w.ended(1)
}

// Each outcome but the clean one has a mark.
func TestOutcomesAreMarked(t *testing.T) {
	for _, kind := range messages.OutcomeKinds {
		if mark, ok := markOf[string(kind)]; !ok && kind != messages.OutcomeClean {
			t.Errorf("%s has the mark %q", kind, mark)
		}
	}
}

func TestMarks(t *testing.T) {
	for want, line := range map[Mark]Line{
		"":           {Open: true, ErrorType: "x"},
		MarkFailed:   {Status: 200, Terminal: "error", Misread: []string{"refused ambiguous"}},
		MarkCut:      {Status: 200, Terminal: string(metrics.ClientGone)},
		MarkRefused:  {Status: 200, Terminal: "complete", Misread: []string{"repaired type", "refused ambiguous"}},
		MarkLeaked:   {Status: 200, Terminal: "complete", Misread: []string{"leaked"}, StopReason: "max_tokens"},
		MarkStuck:    {Status: 200, Terminal: "complete", Misread: []string{"repaired type", "clean repeated"}},
		MarkInvalid:  {Status: 200, Terminal: "complete", Misread: []string{"invalid missing_parameters"}},
		MarkRepaired: {Status: 200, Terminal: "complete", Misread: []string{"type_fallback type"}, Silent: slowAfter.Microseconds()},
		MarkNoCall:   {Status: 200, Terminal: "complete", StopReason: "end_turn", mayCall: true, Silent: slowAfter.Microseconds()},
		MarkSlow:     {Status: 200, Terminal: "complete", Silent: slowAfter.Microseconds()},
		MarkClean:    {Status: 200, Terminal: "complete", Silent: slowAfter.Microseconds() - 1},
	} {
		if got := line.mark(); got != want {
			t.Errorf("%+v is %q; want %q", line, got, want)
		}
	}
}

// What a client is told of a failure is among the events, as the last one.
func TestErrorEvent(t *testing.T) {
	w := watch(t, model(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		_ = yield(translate.Chunk{Text: "half"}, nil) &&
			yield(translate.Chunk{}, &upstream.Error{Status: 529, Type: messages.ErrorOverloaded, Message: "the upstream says no", RequestID: "req-of-theirs"})
	}))
	w.ask(question)
	line := w.ended(1)[0]
	events := w.see("exchanges/" + line.ID + "/events")
	if !strings.Contains(events, `"name":"error"`) || !strings.Contains(events, `the upstream says no`) || line.Mark != MarkFailed {
		t.Errorf("%s: %s", line.Mark, events)
	}
	if x := w.open(line.ID); !strings.Contains(fmt.Sprint(x.Upstreams), "the upstream says no") || !strings.Contains(fmt.Sprint(x.Upstreams), "req-of-theirs") {
		t.Errorf("of the upstream it says %+v", x.Upstreams)
	}
}

// A text is found in requests and in completions, whatever its case.
func TestSearch(t *testing.T) {
	w := watch(t, writes("It rains in Bergen.", ""))
	w.ask(question)
	w.ask(strings.Replace(question, "Oslo", "Rome", 1))
	lines := w.ended(2)
	for text, want := range map[string][]string{"OSLO": {lines[1].ID}, "rains+in+berg": {lines[0].ID, lines[1].ID}, "Paris": {}, "": {}} {
		var got struct{ IDs []string }
		if err := json.Unmarshal([]byte(w.see("search?text="+text)), &got); err != nil || !slices.Equal(got.IDs, want) {
			t.Errorf("%q is in %v; want %v", text, got.IDs, want)
		}
	}
}
