package proxy

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"dragoman/translate"
	"dragoman/translate/testcost"
	"dragoman/upstream/simulated"
)

// filled returns a body of about size bytes: text, with as many elements in place of its "…" as fit.
func filled(text, element string, size int) string {
	before, after, _ := strings.Cut(text, "…")
	n := (size - len(text)) / (len(element) + 1)
	return before + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + after
}

// numbered is like filled, with members that have different names.
func numbered(text string, size int) string {
	before, after, _ := strings.Cut(text, "…")
	var b strings.Builder
	b.WriteString(before)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `"x%x":0,`, i)
	}
	return b.String() + `"end":0` + after
}

const (
	messagesWith = `{"model":"claude-2.1","anthropic_version":"vertex-2023-10-16","max_tokens":9,"messages":[{"role":"user","content":"hi"}],`
	messagesCall = `{"model":"claude-2.1","anthropic_version":"vertex-2023-10-16","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},`
	converseWith = `{"messages":[{"role":"user","content":[{"text":"hi"}]}],`
)

// messagesLists are bodies of the Messages API with every list that has a meaning.
var messagesLists = map[string]string{
	"messages":       `{"model":"claude-2.1","anthropic_version":"v","max_tokens":9,"messages":[…]}`,
	"content":        `{"model":"claude-2.1","anthropic_version":"v","max_tokens":9,"messages":[{"role":"user","content":[…]}]}`,
	"system":         messagesWith + `"system":[…]}`,
	"tools":          messagesWith + `"tools":[…]}`,
	"stop_sequences": messagesWith + `"stop_sequences":[…]}`,
	"mcp_servers":    messagesWith + `"mcp_servers":[…]}`,
	"a schema":       messagesCall + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"enum":[…]}}}}]}`,
	"alternatives":   messagesCall + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"anyOf":[…]}}}}]}`,
	"a format":       messagesWith + `"output_config":{"format":{"type":"json_schema","schema":{"enum":[…]}}}}`,
	"metadata":       messagesWith + `"metadata":[…]}`,
	"an input":       strings.Replace(messagesCall, `"input":{}`, `"input":{"x":[…]}`, 1) + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`,
	"changes":        `{"model":"claude-2.1","anthropic_version":"v","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"system","content":[…]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
	"a result":       messagesCall + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[…]}]}]}`,
	"a document":     messagesCall + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"document","source":{"type":"content","content":[…]}}]}]}`,
}

var converseLists = map[string]string{
	"messages":   `{"messages":[…]}`,
	"content":    `{"messages":[{"role":"user","content":[…]}]}`,
	"system":     converseWith + `"system":[…]}`,
	"tools":      converseWith + `"toolConfig":{"tools":[…]}}`,
	"stops":      converseWith + `"inferenceConfig":{"stopSequences":[…]}}`,
	"paths":      converseWith + `"additionalModelResponseFieldPaths":[…]}`,
	"metadata":   converseWith + `"requestMetadata":[…]}`,
	"additional": converseWith + `"additionalModelRequestFields":{"thinking":[…]}}`,
	"a result":   `{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[…]}}]}]}`,
	"a document": `{"messages":[{"role":"user","content":[{"document":{"name":"n","source":{"content":[…]}}}]}]}`,
}

const chatWith = `{"model":"claude-2.1","messages":[{"role":"user","content":"hi"}],`

var chatLists = map[string]string{
	"messages": `{"model":"claude-2.1","messages":[…]}`,
	"content":  `{"model":"claude-2.1","messages":[{"role":"user","content":[…]}]}`,
	"system":   `{"model":"claude-2.1","messages":[{"role":"system","content":[…]},{"role":"user","content":"hi"}]}`,
	"calls":    `{"model":"claude-2.1","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[…]}]}`,
	"tools":    chatWith + `"tools":[…]}`,
	"stop":     chatWith + `"stop":[…]}`,
	"allowed":  chatWith + `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[…]}}}`,
	"schema":   chatWith + `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"enum":[…]}}}}`,
}

// hostileBodies returns bodies of this size that try to cost the server a lot, keyed by route.
func hostileBodies(size int) map[string]map[string]string {
	messages, converse, chat := map[string]string{}, map[string]string{}, map[string]string{}
	for list, text := range messagesLists {
		for _, element := range []string{`0`, `null`, `""`, `"a"`, `[]`, `{}`, `{"a":0}`, `{"type":"text","text":"a"}`, `{"type":"thinking"}`, `{"role":"user","content":"a"}`,
			`{"type":"tool_reference","tool_name":"a"}`, `{"type":"tool_removal","tool":{"type":"tool_reference","name":"f"}}`, `{"type":"web_search","name":"a"}`} {
			messages[list+" of "+element] = filled(text, element, size)
		}
	}
	for list, text := range converseLists {
		for _, element := range []string{`0`, `null`, `""`, `"a"`, `[]`, `{}`, `{"a":0}`, `{"text":"a"}`, `{"json":1}`, `{"cachePoint":{"type":"default"}}`, `{"text":"a"},{"cachePoint":{"type":"default"}}`, `{"role":"user","content":[]}`} {
			converse[list+" of "+element] = filled(text, element, size)
		}
	}
	for list, text := range chatLists {
		for _, element := range []string{`0`, `null`, `""`, `"a"`, `[]`, `{}`, `{"a":0}`, `{"type":"text","text":"a"}`, `{"role":"user","content":"a"}`,
			`{"role":"tool","tool_call_id":"a","content":"a"}`, `{"type":"function","function":{"name":"f"}}`, `{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}`} {
			chat[list+" of "+element] = filled(text, element, size)
		}
	}
	chat["unknown members"] = numbered(chatWith+`…}`, size)
	chat["unknown members of a message"] = numbered(`{"model":"claude-2.1","messages":[{"role":"user","content":"hi",…}]}`, size)
	chat["a string"] = chatWith + `"user":"` + strings.Repeat(`\n<b>&lt;\"`, size/11) + `"}`
	chat["arguments"] = `{"model":"claude-2.1","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":[` + strings.Repeat(`[],`, size/3) + `0]}"}}]}]}`
	for of, where := range map[string]string{
		"unknown members":               messagesWith + `…}`,
		"members of metadata":           messagesWith + `"metadata":{…}}`,
		"unknown members of a message":  `{"model":"claude-2.1","anthropic_version":"v","max_tokens":9,"messages":[{"role":"user","content":"hi",…}]}`,
		"unknown members of a block":    `{"model":"claude-2.1","anthropic_version":"v","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi",…}]}]}`,
		"members around other members":  messagesWith + strings.Repeat(`"y":{`, 150) + `…` + strings.Repeat(`}`, 150) + `}`,
		"unknown members of a tool":     messagesWith + `"tools":[{"name":"f","input_schema":{"type":"object"},…}]}`,
		"unknown members of the choice": messagesWith + `"tool_choice":{"type":"none",…}}`,
	} {
		messages[of] = numbered(where, size)
	}
	for of, where := range map[string]string{
		"unknown members":            converseWith + `…}`,
		"unknown members of a block": `{"messages":[{"role":"user","content":[{"text":"hi",…}]}]}`,
		"additional members":         converseWith + `"additionalModelRequestFields":{…}}`,
		"members in JSON":            converseWith + `"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"` + strings.ReplaceAll(numbered(`{…}`, size), `"`, `\"`) + `…"}}}}}`,
	} {
		converse[of] = numbered(where, size)
	}
	messages["unknown members of many blocks"] = filled(messagesLists["content"], `{"type":"text","text":"a","b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0}`, size)
	messages["a string"] = messagesWith + `"system":"` + strings.Repeat(`\n<b>&lt;\"`, size/11) + `"}`
	messages["a number"] = messagesWith + `"top_k":` + strings.Repeat("1", size) + `}`
	messages["a name"] = messagesWith + `"` + strings.Repeat(`\"`, size/2) + `":1}`
	messages["depth"] = messagesWith + strings.Repeat(`"a":{`, size/5)
	messages["a deep list"] = messagesWith + `"a":[` + strings.Repeat(strings.Repeat("[", 190)+strings.Repeat("]", 190)+",", size/381) + `0]}`
	converse["a string"] = `{"messages":[{"role":"user","content":[{"text":"` + strings.Repeat(`\n<b>&lt;\"`, size/11) + `"}]}]}`
	converse["JSON"] = `{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"json":[` + strings.Repeat(`[],`, size/3) + `0]}]}}]}]}`
	count := map[string]string{}
	for name, body := range converse {
		count[name] = `{"input":{"converse":` + body + `}}`
	}
	return map[string]map[string]string{"/v1/messages": messages, "/model/claude-2.1/converse": converse, chatPath: chat, "/model/claude-2.1/count-tokens": count}
}

// allocated returns how many bytes f allocates on the heap, freed or not, and how long f computes.
func allocated(f func()) (bytes uint64, computed time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := testcost.CPUTime()
	f()
	computed = testcost.CPUTime() - began
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, computed
}

// TestHostileBodies limits what any body may cost: eight times its own size in memory, plus a constant. Freed memory
// counts, too.
func TestHostileBodies(t *testing.T) {
	const constant, longest = 22 << 20, time.Second // taking a schema apart, and caching tools, have limits of their own
	size := 512 << 10
	if testcost.UnderRace {
		size = 16 << 10
	}
	s := newServer(t, simulated.New())
	check := func(route, name, body string) {
		most := uint64(8*len(body) + constant)
		ask := func() (w *httptest.ResponseRecorder, took uint64, computed time.Duration) {
			w = httptest.NewRecorder()
			r := newRequest("POST", route, body)
			took, computed = allocated(func() { answerTo(s, w, r) })
			return w, took, computed
		}
		w, took, computed := ask()
		if took > most { // the very first request fills caches for later ones
			w, took, computed = ask()
		}
		if took > most {
			t.Errorf("%s, %s: %d bytes for a body of %d: %d %.200s", route, name, took, len(body), w.Code, w.Body)
		}
		if computed > longest {
			t.Errorf("%s, %s: %v for a body of %d bytes", route, name, computed, len(body))
		}
		if w.Code != 200 && w.Code != 400 {
			t.Errorf("%s, %s: %d %.200s", route, name, w.Code, w.Body)
		}
	}
	for route, bodies := range hostileBodies(size) {
		for name, body := range bodies {
			check(route, name, body)
		}
	}
	for list, text := range messagesLists {
		body := filled(text, "0", size)
		for _, route := range []string{"/v1/messages/count_tokens", "/model/claude-2.1/invoke", vertexModels + "claude-2.1:rawPredict"} {
			check(route, list+" of 0", body)
		}
	}
}

// TestHostileBodiesRefusedAtOnce: the error names the first element of the wrong kind, just as if it were alone.
func TestHostileBodiesRefusedAtOnce(t *testing.T) {
	size := testcost.Cases(256<<10, 1<<20)
	s := newServer(t, simulated.New())
	for _, tt := range []struct{ route, text, element, want string }{
		{"/v1/messages", messagesLists["messages"], `0`, "messages.0: Input should be a valid dictionary"},
		{"/v1/messages", messagesLists["content"], `0`, "messages.0.content.0: Input should be a valid dictionary"},
		{"/v1/messages", strings.Replace(messagesLists["content"], "…", strings.Repeat(`{"type":"text","text":"a"},`, 3)+"…", 1), `null`, "messages.0.content.3: Input should be a valid dictionary"},
		{"/v1/messages", messagesLists["system"], `""`, "system.0: Input should be a valid dictionary"},
		{"/v1/messages", messagesLists["tools"], `[]`, "tools.0: Input should be a valid dictionary"},
		{"/v1/messages", messagesLists["a result"], `0`, "messages.2.content.0.tool_result.content.0: Input should be a valid dictionary"},
		{"/v1/messages", messagesLists["stop_sequences"], `0`, "stop_sequences.0: Input should be a valid string"},
		{"/v1/messages", messagesLists["stop_sequences"], `"a"`, "stop_sequences: List should have at most 10000 items"},
		{"/v1/messages", messagesLists["mcp_servers"], `0`, "mcp_servers.0: Input should be a valid dictionary"},
		{"/model/claude-2.1/converse", converseLists["messages"], `0`, "messages.0: This should be an object."},
		{"/model/claude-2.1/converse", converseLists["content"], `0`, "messages.0.content.0: This should be an object."},
		{"/model/claude-2.1/converse", converseLists["system"], `0`, "system.0: This should be an object."},
		{"/model/claude-2.1/converse", converseLists["tools"], `0`, "toolConfig.tools.0: This should be an object."},
		{"/model/claude-2.1/converse", converseLists["paths"], `0`, "additionalModelResponseFieldPaths.0: This should be a string."},
	} {
		w := httptest.NewRecorder()
		answerTo(s, w, newRequest("POST", tt.route, filled(tt.text, tt.element, size)))
		if w.Code != 400 || !strings.Contains(w.Body.String(), `"`+tt.want+`"`) {
			t.Errorf("%s: %d %s, want %s", tt.route, w.Code, w.Body, tt.want)
		}
	}
}

// TestPackedBodies limits what one KB may cost that gzip expands. Under the race detector, slices.Grow allocates its
// addition twice, and pools forget at random: the limit that counts is the one without it (make fidelity).
func TestPackedBodies(t *testing.T) {
	most := uint64(16 << 20)
	if testcost.UnderRace {
		most *= 2
	}
	s := newServer(t, simulated.New())
	for _, tt := range []struct {
		route, text, element string
		size                 int
	}{
		{"/v1/messages", messagesLists["content"], `0`, 930 << 10},
		{"/v1/messages", messagesLists["content"], `{"type":"text","text":"a"}`, 360 << 10},
		{"/v1/messages", messagesLists["messages"], `{"role":"user","content":"a"},{"role":"assistant","content":"a"}`, 240 << 10},
		{"/v1/messages", messagesLists["stop_sequences"], `"a"`, 900 << 10},
		{"/model/claude-2.1/converse", converseLists["content"], `0`, 930 << 10},
		{"/model/claude-2.1/converse", converseLists["content"], `{"text":"a"}`, 460 << 10},
	} {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write([]byte(filled(tt.text, tt.element, tt.size))); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		w, size := httptest.NewRecorder(), packed.Len()
		r := newRequest("POST", tt.route, packed.String(), "Content-Encoding", "gzip")
		took, _ := allocated(func() { answerTo(s, w, r) })
		if size < 900 || size > 1100 || took > most {
			t.Errorf("%s of %s: %d bytes for %d, packed %d: %d %.200s", tt.route, tt.element, took, tt.size, size, w.Code, w.Body)
		}
	}
}

// leaving is the context of a client that leaves after a number of checks.
type leaving struct {
	context.Context
	looks int // checks until the client is gone; negative afterwards
}

func (l *leaving) Err() error {
	if l.looks--; l.looks < 0 {
		return context.Canceled
	}
	return nil
}

// nobody is an upstream that must not be called.
func nobody(t *testing.T) upstreamFunc {
	return upstreamFunc(func(context.Context, func(translate.Chunk, error) bool) { t.Error("the upstream is asked") })
}

// TestClientLeavesWhileItIsRead: the work for a client that has left ends within a thousandth of the whole work.
func TestClientLeavesWhileItIsRead(t *testing.T) {
	size := testcost.Cases(256<<10, 1<<20)
	for route, text := range map[string]string{
		"/v1/messages":               filled(messagesLists["content"], `{"type":"text","text":"a"}`, size),
		"/model/claude-2.1/converse": filled(converseLists["content"], `{"text":"a"}`, size),
	} {
		all := &leaving{t.Context(), 1 << 30}
		s := newServer(t, completing(endOfTurn, "Hi"))
		w := httptest.NewRecorder()
		answerTo(s, w, newRequest("POST", route, text).WithContext(all))
		looks := 1<<30 - all.looks
		if w.Code != 200 || looks < size/26 {
			t.Fatalf("%s: %d after %d looks at the client", route, w.Code, looks)
		}
		for _, part := range []int{100, 10, 4, 2} {
			var log logged
			gone := &leaving{t.Context(), looks - looks/part}
			s := newServer(t, nobody(t), log.option)
			answerTo(s, httptest.NewRecorder(), newRequest("POST", route, text).WithContext(gone))
			fields := log.exchange(t)
			if fields["terminal"] != "client_gone" || fields["status"] != 499.0 || gone.looks < -50 {
				t.Errorf("%s: gone after %d of %d looks, %d more: %v", route, looks-looks/part, looks, -gone.looks, fields)
			}
		}
	}
}

// A name in the wrong case is unknown. The error suggests the right name, in both modes.
func TestNamesInAnotherCase(t *testing.T) {
	const converse = "/model/claude-2.1/converse"
	for _, tt := range []struct{ route, body, want string }{
		{"/v1/messages", `{"Model":"claude-2.1","max_tokens":9,"messages":[]}`, `Model: Extra inputs are not permitted; did you mean "model"?`},
		{"/v1/messages", messagesWith + `"Messages":[]}`, `Messages: Extra inputs are not permitted; did you mean "messages"?`},
		{"/v1/messages", messagesWith + `"STREAM":true}`, `STREAM: Extra inputs are not permitted; did you mean "stream"?`},
		{"/v1/messages", messagesWith + `"Metadata":{}}`, `Metadata: Extra inputs are not permitted; did you mean "metadata"?`},
		{"/v1/messages", strings.Replace(messagesLists["content"], "…", `{"type":"text","text":"a","Cache_Control":{}}`, 1),
			`messages.0.content.0.Cache_Control: Extra inputs are not permitted; did you mean "cache_control"?`},
		{"/v1/messages", messagesWith + `"tools":[{"name":"f","input_schema":{"type":"object"},"Description":"d"}]}`,
			`tools.0.Description: Extra inputs are not permitted; did you mean "description"?`},
		{"/v1/messages", messagesWith + `"tool_choice":{"type":"auto","Name":"x"}}`, `tool_choice.Name: Extra inputs are not permitted; did you mean "name"?`},
		{"/v1/messages", messagesWith + `"thinking":{"Type":"enabled"}}`, `thinking.Type: Extra inputs are not permitted; did you mean "type"?`},
		{"/v1/messages", messagesWith + `"output_config":{"Format":{}}}`, `output_config.Format: Extra inputs are not permitted; did you mean "format"?`},
		{converse, `{"Messages":[]}`, `Messages: This field is not supported here; did you mean "messages"?`},
		{converse, converseWith + `"inferenceconfig":{}}`, `inferenceconfig: This field is not supported here; did you mean "inferenceConfig"?`},
		{converse, converseWith + `"inferenceConfig":{"maxtokens":1}}`, `inferenceConfig.maxtokens: This field is not supported here; did you mean "maxTokens"?`},
		{converse, `{"messages":[{"role":"user","content":[{"Text":"hi"}]}]}`, `messages.0.content.0.Text: This field is not supported here; did you mean "text"?`},
		{converse, converseWith + `"toolConfig":{"tools":[{"toolspec":{}}]}}`, `toolConfig.tools.0.toolspec: This field is not supported here; did you mean "toolSpec"?`},
	} {
		for _, strict := range []bool{false, true} {
			s := newServer(t, completing(endOfTurn, "Hi"), func(o *Options) { o.Strict = strict })
			w := httptest.NewRecorder()
			answerTo(s, w, newRequest("POST", tt.route, tt.body))
			if got := strings.ReplaceAll(w.Body.String(), `\"`, `"`); w.Code != 400 || !strings.Contains(got, tt.want) {
				t.Errorf("strict %v, %s: %d %s", strict, tt.body, w.Code, got)
			}
		}
	}
	for _, body := range []string{ // names inside the client's own data are not checked
		messagesWith + `"metadata":{"Model":"x"},"tools":[{"name":"f","input_schema":{"type":"object","Type":"x","properties":{"Name":{},"name":{}}}}]}`,
		messagesCall + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`,
	} {
		body = strings.Replace(body, `"input":{}`, `"input":{"Type":1,"TYPE":2}`, 1)
		if w := post(newServer(t, completing(endOfTurn, "Hi")), body); w.Code != 200 {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
