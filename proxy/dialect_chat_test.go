package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

const (
	chatPath     = "/v1/chat/completions"
	chatTool     = `{"type":"function","function":{"name":"get_weather","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`
	chatQuestion = `{"model":"claude-2.1","max_tokens":100,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],"tools":[` + chatTool + `]}`
)

var (
	anyChatID  = regexp.MustCompile(`"chatcmpl-\w*"`)
	anyCreated = regexp.MustCompile(`"created":\d{10}`)
)

// chatFixed returns an answer without what differs each time.
func chatFixed(s string) string {
	return anyCreated.ReplaceAllString(anyChatID.ReplaceAllString(anyID.ReplaceAllString(s, `"ID"`), `"CHAT"`), `"created":0`)
}

// chatDeltas returns what follows "delta": in each chunk of a stream, a line each. Everything else in a chunk is checked.
func chatDeltas(t *testing.T, stream string) string {
	t.Helper()
	var lines strings.Builder
	for frame := range strings.SplitSeq(strings.TrimSuffix(chatFixed(stream), "\n\n"), "\n\n") {
		const head = `data: {"id":"CHAT","object":"chat.completion.chunk","created":0,"model":"claude-2.1","choices":[`
		frame = strings.TrimPrefix(strings.TrimPrefix(frame, head), `{"index":0,"delta":`)
		lines.WriteString(strings.TrimSuffix(frame, `,"logprobs":null,"finish_reason":null}]}`) + "\n")
	}
	return lines.String()
}

func TestChat(t *testing.T) {
	const (
		begins = `{"role":"assistant","content":"","refusal":null}` + "\n"
		usage  = `"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":0}}}`
		call   = `{"tool_calls":[{"index":0,"id":"ID","type":"function","function":{"name":"get_weather","arguments":""}}]}` + "\n"
	)
	text := func(s string) string { return `{"content":"` + s + `"}` + "\n" }
	ending := func(reason string) string {
		return `{},"logprobs":null,"finish_reason":"` + reason + `"}]}` + "\ndata: [DONE]\n"
	}
	thinking := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		_ = yield(translate.Chunk{Usage: messages.Usage{InputTokens: 11}}, nil) && yield(translate.Chunk{Thinking: "So, "}, nil) &&
			yield(translate.Chunk{Thinking: "Oslo."}, nil) && yield(translate.Chunk{Text: "Cold."}, nil) && yield(endOfTurn, nil)
	})
	cached := translate.Chunk{Stop: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 7, CacheReadInputTokens: 5, CacheCreationInputTokens: 3}}
	cutCall := strings.Join(weather[:3], "") + "<parameters>\n<city>Os"
	tests := []struct {
		name            string
		up              any
		message, finish string // of the whole answer
		deltas          string // of the stream, between its first and last chunk
		usage           string
	}{
		{"text", completing(endOfTurn, "It is ", "cold & <b>wet</b>.😀"), `"content":"It is cold & <b>wet</b>.😀","refusal":null`, "stop",
			text("It is") + text(" cold & <b>wet</b>.😀"), usage},
		{"call", completing(endOfCall, weather...), `"content":"Let me look.","refusal":null,"tool_calls":[{"id":"ID","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]`, "tool_calls",
			text("Let me") + text(" look.") + call + `{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Oslo\"}"}}]}` + "\n", usage},
		{"only a call", completing(endOfCall, strings.TrimPrefix(strings.Join(weather, ""), "Let me look.\n\n")), `"content":null,"refusal":null,"tool_calls":[{"id":"ID","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]`, "tool_calls",
			call + `{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Oslo\"}"}}]}` + "\n", usage},
		{"reasoning", thinking, `"content":"Cold.","refusal":null,"reasoning_content":"So, Oslo."`, "stop",
			`{"reasoning_content":"So, "}` + "\n" + `{"reasoning_content":"Oslo."}` + "\n" + text("Cold."), usage},
		{"stop sequence", completing(translate.Chunk{Stop: messages.StopSequence, StopSequence: "END", Usage: messages.Usage{OutputTokens: 7}}, "So"), `"content":"So","refusal":null`, "stop", text("So"), usage},
		{"cut", completing(ends(messages.StopMaxTokens), "So"), `"content":"So","refusal":null`, "length", text("So"), usage},
		{"a cut call", completing(ends(messages.StopMaxTokens), cutCall), `"content":"Let me look.","refusal":null,"tool_calls":[{"id":"ID","type":"function","function":{"name":"get_weather","arguments":"{"}}]`, "length",
			text("Let me look.") + call + `{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}` + "\n", usage},
		{"refusal", completing(ends(messages.StopRefusal), "No"), `"content":"No","refusal":null`, "content_filter", text("No"), usage},
		{"out of context", completing(ends(messages.StopContextWindow), "So"), `"content":"So","refusal":null`, "length", text("So"), usage},
		{"with a cache", completing(cached, "So"), `"content":"So","refusal":null`, "stop", text("So"),
			strings.NewReplacer(`prompt_tokens":11`, `prompt_tokens":19`, `18`, `26`, `cached_tokens":0`, `cached_tokens":5,"cache_write_tokens":3`).Replace(usage)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.up)
			w := postTo(s, chatPath, chatQuestion)
			want := `{"id":"CHAT","object":"chat.completion","created":0,"model":"claude-2.1","choices":[{"index":0,"message":{"role":"assistant",` + tt.message +
				`},"logprobs":null,"finish_reason":"` + tt.finish + `"}],` + tt.usage
			if diff := cmp.Diff(want, chatFixed(read(t, w.Body))); diff != "" || w.StatusCode != 200 {
				t.Errorf("status %d: %s", w.StatusCode, diff)
			}
			w = postTo(s, chatPath, streamed(chatQuestion))
			if diff := cmp.Diff(begins+tt.deltas+ending(tt.finish), chatDeltas(t, read(t, w.Body))); diff != "" {
				t.Error(diff)
			}
			for name, want := range map[string]string{
				"Content-Type": "text/event-stream; charset=utf-8", "X-Dragoman-Upstream": "east", "X-Request-Id": w.Header.Get("request-id"),
			} {
				if got := w.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			w = postTo(s, chatPath, `{"stream_options":{"include_usage":true},`+streamed(chatQuestion)[1:])
			if got := chatDeltas(t, read(t, w.Body)); !strings.HasSuffix(got, `"}],"usage":null}`+"\n],"+tt.usage+"\ndata: [DONE]\n") || strings.Count(got, `"usage":null`) != strings.Count(got, "\n")-2 {
				t.Errorf("with usage:\n%s", got)
			}
		})
	}
}

// The prompt of a conversation is the same by both APIs, byte by byte.
func TestChatIsMessages(t *testing.T) {
	const (
		schema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
		tools  = `"tools":[{"name":"get_weather","description":"Weather","input_schema":` + schema + `},{"name":"get_time","input_schema":{"type":"object","properties":{}}}]`
		inChat = `"tools":[` + chatTool + `,{"type":"function","function":{"name":"get_time"}}]`
		loop   = `{"role":"user","content":"Weather in Oslo and Rome?"},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"get_weather","input":{"city":"Oslo"}},` +
			`{"type":"tool_use","id":"b","name":"get_weather","input":{"city":"Rome"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"cold"},{"type":"tool_result","tool_use_id":"b","content":"warm"}`
		chatLoop = `{"role":"user","content":"Weather in Oslo and Rome?"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}},` +
			`{"id":"b","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}}]},{"role":"tool","tool_call_id":"a","content":"cold"},{"role":"tool","tool_call_id":"b","content":"warm"}`
		user = `"messages":[{"role":"user","content":"Hi"}]`
	)
	for name, tt := range map[string]struct{ messages, chat string }{
		"text":          {`"max_tokens":9,` + user, `"max_tokens":9,` + user},
		"system":        {`"max_tokens":9,"system":"Be brief.","messages":[{"role":"user","content":"Hi"}]`, `"max_tokens":9,"messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Hi"}]`},
		"system later":  {`"max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"system","content":"Hurry."}]`, `"max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"system","content":"Hurry."}]`},
		"sampling":      {`"max_tokens":9,"temperature":0.5,"top_p":0.9,"stop_sequences":["END"],` + user, `"max_completion_tokens":9,"temperature":0.5,"top_p":0.9,"stop":"END",` + user},
		"loop":          {`"max_tokens":9,` + tools + `,"messages":[` + loop + `]}]`, `"max_tokens":9,` + inChat + `,"messages":[` + chatLoop + `]`},
		"loop and text": {`"max_tokens":9,` + tools + `,"messages":[` + loop + `,{"type":"text","text":"And?"}]}]`, `"max_tokens":9,` + inChat + `,"messages":[` + chatLoop + `,{"role":"user","content":"And?"}]`},
		"any":           {`"max_tokens":9,` + tools + `,"tool_choice":{"type":"any"},` + user, `"max_tokens":9,` + inChat + `,"tool_choice":"required",` + user},
		"tool":          {`"max_tokens":9,` + tools + `,"tool_choice":{"type":"tool","name":"get_time"},` + user, `"max_tokens":9,` + inChat + `,"tool_choice":{"type":"function","function":{"name":"get_time"}},` + user},
		"none":          {`"max_tokens":9,` + tools + `,"tool_choice":{"type":"none"},` + user, `"max_tokens":9,` + inChat + `,"tool_choice":"none",` + user},
		"allowed": {`"max_tokens":9,` + tools + `,` + user,
			`"max_tokens":9,` + inChat + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"get_time"}}]}},` + user},
		"schema":  {`"max_tokens":9,"output_config":{"format":{"type":"json_schema","schema":` + schema + `}},` + user, `"max_tokens":9,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":` + schema + `}},` + user},
		"image":   {`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}]`, `"max_tokens":9,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]`},
		"prefill": {`"max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Well,"}]`, `"max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Well,"}]`},
	} {
		s := newServer(t, completing(endOfTurn, "Hi"))
		dry := func(path, rest string) string {
			w := postTo(s, path, `{"model":"claude-2.1",`+rest+`}`, "X-Dragoman-Dry-Run", "1")
			if w.StatusCode != 200 {
				t.Errorf("%s: status %d", name, w.StatusCode)
			}
			return read(t, w.Body)
		}
		if diff := cmp.Diff(dry("/v1/messages", tt.messages), dry(chatPath, tt.chat)); diff != "" {
			t.Errorf("%s (-messages +chat):\n%s", name, diff)
		}
	}
}

// Values that only OpenAI's API has reach the model unchanged. Without a limit of the client, the answer has one.
func TestChatValues(t *testing.T) {
	w := postTo(newServer(t, completing(endOfTurn, "Hi")), chatPath,
		`{"model":"claude-2.1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Well, "}],"temperature":1.9,"stop":["\n"]}`, "X-Dragoman-Dry-Run", "1")
	got := read(t, w.Body)
	for _, want := range []string{`"temperature":1.9`, `"\n"`, `Well, "`, `"max_tokens":4096`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// chatFailure reads an answer that is an error.
func chatFailure(t *testing.T, w *http.Response) chatError {
	t.Helper()
	var body struct{ Error chatError }
	data := read(t, w.Body)
	if err := json.Unmarshal([]byte(data), &body); err != nil || body.Error.Message == "" || strings.Count(data, `"error":`) != 1 {
		t.Fatalf("%v: %s", err, data)
	}
	if id := w.Header.Get("request-id"); !isRequestID(id) || w.Header.Get("x-request-id") != id {
		t.Errorf("request-id %q, x-request-id %q", id, w.Header.Get("x-request-id"))
	}
	return body.Error
}

// Fields that the model cannot use are dropped or rejected under their names in Chat Completions.
func TestChatDropped(t *testing.T) {
	body := `{"n":2,"seed":5,"user":"u","metadata":{"a":"b"},"reasoning_effort":"low","max_tokens":100,"messages":[{"role":"user","name":"Ann","content":"Hi"}],"model":"claude-2.1"}`
	w := postTo(newServer(t, completing(endOfTurn, "Hi")), chatPath, body)
	if got := w.Header.Get("X-Dragoman-Dropped"); w.StatusCode != 200 || got != "messages.name,metadata,n,reasoning_effort,seed,user" {
		t.Errorf("%d, dropped %s", w.StatusCode, got)
	}
	w = postTo(newServer(t, completing(endOfTurn, "Hi")), chatPath, `{"model":"claude-2.1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hi","reasoning_content":"A greeting."},{"role":"user","content":"So?"}]}`)
	if got := w.Header.Get("X-Dragoman-Dropped"); w.StatusCode != 200 || got != "messages.reasoning_content" {
		t.Errorf("%d, dropped %s", w.StatusCode, got)
	}
	strict := newServer(t, completing(endOfTurn, "Hi"), func(o *Options) { o.Strict = true })
	w = postTo(strict, chatPath, body)
	if e := chatFailure(t, w); w.StatusCode != 400 || e.Type != "invalid_request_error" || *e.Param != "messages.0.name" {
		t.Errorf("%d %+v", w.StatusCode, e)
	}
	for _, field := range []string{`"n":2`, `"logprobs":true`, `"audio":{"voice":"x"}`, `"functions":[{"name":"f"}]`, `"web_search_options":{}`, `"seed":1`} {
		w := postTo(strict, chatPath, `{`+field+`,`+chatQuestion[1:])
		name, _, _ := strings.Cut(strings.Trim(field, `"`), `"`)
		if e := chatFailure(t, w); w.StatusCode != 400 || *e.Param != name {
			t.Errorf("%s: %d %+v", field, w.StatusCode, e)
		}
	}
	if w := postTo(strict, chatPath, `{"user":"u","store":true,"n":1,"logprobs":false,`+chatQuestion[1:]); w.StatusCode != 200 {
		t.Errorf("%d: %s", w.StatusCode, read(t, w.Body))
	}
}

func TestChatFailures(t *testing.T) {
	overflow := &upstream.Error{Status: 400, Type: messages.ErrorInvalidRequest, Message: "prompt is too long", Overflow: &upstream.Overflow{}}
	for _, tt := range []struct {
		err       error
		status    int
		typ, code string
	}{
		{overflow, 400, "invalid_request_error", "context_length_exceeded"},
		{failed(400, messages.ErrorInvalidRequest), 400, "invalid_request_error", ""},
		{failed(429, messages.ErrorRateLimit), 429, "rate_limit_error", "rate_limit_exceeded"},
		{failed(529, messages.ErrorOverloaded), 503, "server_error", "overloaded"},
		{failed(500, messages.ErrorAPI), 500, "server_error", ""},
		{failed(404, messages.ErrorNotFound), 404, "invalid_request_error", "model_not_found"},
		{failed(422, "odd"), 422, "invalid_request_error", ""},
		{failed(502, "odd"), 502, "server_error", ""},
	} {
		for name, body := range map[string]string{"whole": chatQuestion, "stream": streamed(chatQuestion)} {
			w := postTo(newServer(t, failing(tt.err)), chatPath, body)
			code := ""
			e := chatFailure(t, w)
			if e.Code != nil {
				code = *e.Code
			}
			if w.StatusCode != tt.status || e.Type != tt.typ || code != tt.code {
				t.Errorf("%s, %v: %d %+v, code %s", name, tt.err, w.StatusCode, e, code)
			}
		}
		// After the first words, the stream ends in an error, and not in [DONE]. A client that does not know errors fails at
		// the choices.
		w := postTo(newServer(t, failing(tt.err, translate.Chunk{Text: "It is "})), chatPath, streamed(chatQuestion))
		got := read(t, w.Body)
		frames := strings.Split(got, "\n\n")
		if last := frames[len(frames)-2]; !strings.HasPrefix(last, `data: {"error":{"message":`) || !strings.HasSuffix(last, `},"choices":null}`) || strings.Contains(got, "[DONE]") || strings.Contains(got, `"finish_reason":"`) {
			t.Errorf("%v:\n%s", tt.err, got)
		}
	}
	s := newServer(t, completing(endOfTurn, "Hi"), func(o *Options) { o.Keys = []Key{NewKey("secret")} })
	for _, tt := range []struct {
		key, body   string
		status      int
		param, code string
	}{
		{"wrong", chatQuestion, 401, "", "invalid_api_key"},
		{"secret", strings.Replace(chatQuestion, "claude-2.1", "gpt-9", 1), 404, "model", "model_not_found"},
		{"secret", strings.Replace(chatQuestion, "100", "-1", 1), 400, "max_tokens", ""},
	} {
		w := postTo(s, chatPath, tt.body, "Authorization", "Bearer "+tt.key)
		if e := chatFailure(t, w); w.StatusCode != tt.status || orEmpty(e.Param) != tt.param || orEmpty(e.Code) != tt.code || e.Type != "invalid_request_error" {
			t.Errorf("%d %+v, %s, %s", w.StatusCode, e, orEmpty(e.Param), orEmpty(e.Code))
		}
	}
	if w := postTo(s, chatPath, chatQuestion, "Authorization", "Bearer secret", "X-Request-Id", "mine"); w.StatusCode != 200 || w.Header.Get("X-Request-Id") != "mine" || w.Header.Get("Request-Id") == "mine" {
		t.Errorf("%d %v", w.StatusCode, w.Header)
	}
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// A model with its own tools API gets a body of that API. The client gets only the parts of the answer that Chat
// Completions has.
func TestChatNative(t *testing.T) {
	m := &nativeModel{text: "Hi"}
	s := newServer(t, m, withTools(ToolsNative))
	got := chatDeltas(t, read(t, postTo(s, chatPath, streamed(chatQuestion)).Body))
	for _, want := range []string{`{"content":"Hi"}`, `"id":"t","type":"function","function":{"name":"get_weather","arguments":""}`, `{"index":0,"function":{"arguments":"{}"}}`, `"finish_reason":"tool_calls"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if got := string(m.passed[0].Body); got != `{"model":"claude-2.1","stream":true,"max_tokens":100,"messages":[{"role":"user","content":[{"type":"text","text":"What is the weather in Oslo?"}]}],`+
		`"tools":[{"name":"get_weather","description":"Weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}` {
		t.Errorf("passed on: %s", got)
	}
	if got := read(t, postTo(s, chatPath, chatQuestion).Body); !strings.Contains(got, `"content":"Hi","refusal":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"get_weather","arguments":"{}"}}]`) {
		t.Error(got)
	}
}

// Clients that ask for JSON parse the content. Words before a call are reasoning then, not content.
func TestChatJSON(t *testing.T) {
	asked := `{"response_format":{"type":"json_object"},` + chatQuestion[1:]
	for _, tt := range []struct {
		name              string
		up                any
		content, thoughts string
	}{
		{"call", completing(endOfCall, weather...), "", "Let me look."},
		{"answer", completing(endOfTurn, " {\"a\"", ":1}"), `{"a":1}`, ""},
		{"answer and call", completing(endOfCall, "{\"a\":1}"+strings.TrimPrefix(strings.Join(weather, ""), "Let me look.")), `{"a":1}`, ""},
		{"no JSON", completing(endOfTurn, "Well, ", "no."), "Well, no.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.up)
			type message struct {
				Content   string
				Reasoning string `json:"reasoning_content"`
			}
			var whole struct{ Choices []struct{ Message message } }
			if err := json.Unmarshal([]byte(read(t, postTo(s, chatPath, asked).Body)), &whole); err != nil {
				t.Fatal(err)
			}
			var joined message
			for frame := range strings.SplitSeq(read(t, postTo(s, chatPath, streamed(asked)).Body), "\n\n") {
				var chunk struct{ Choices []struct{ Delta message } }
				if data := strings.TrimPrefix(frame, "data: "); strings.HasPrefix(data, "{") {
					if err := json.Unmarshal([]byte(data), &chunk); err != nil {
						t.Fatal(err)
					}
					joined.Content += chunk.Choices[0].Delta.Content
					joined.Reasoning += chunk.Choices[0].Delta.Reasoning
				}
			}
			for _, got := range []message{whole.Choices[0].Message, joined} {
				if strings.TrimSpace(got.Content) != tt.content || strings.TrimSpace(got.Reasoning) != tt.thoughts {
					t.Errorf("%+v", got)
				}
			}
		})
	}
}

// Chat Completions has no place for the results of a model's own tools. Blanks before a call's arguments are none.
func TestChatFramesOfOthers(t *testing.T) {
	f := chatFrames{}
	var dst []byte
	for _, e := range []messages.Event{
		{Type: messages.MessageStart, Message: &messages.Message{ID: "msg_1", Model: "claude-2.1"}},
		{Type: messages.ContentBlockStart, Block: &messages.ContentBlock{Type: "server_tool_use"}},
		{Type: messages.ContentBlockDelta, Delta: messages.InputJSONDelta, Text: []byte("{}")},
		{Type: messages.ContentBlockStop}, {Type: messages.Ping}, {Type: messages.OtherEvent},
		{Type: messages.ContentBlockStart, Index: 1, Block: &messages.ContentBlock{Type: messages.BlockThinking, Thinking: "t"}},
		{Type: messages.ContentBlockDelta, Index: 1, Delta: messages.SignatureDelta, Text: []byte("s")},
		{Type: messages.ContentBlockStop, Index: 1},
		{Type: messages.ContentBlockStart, Index: 2, Block: &messages.ContentBlock{Type: messages.BlockRedacted, Data: "c2VjcmV0"}},
		{Type: messages.ContentBlockStop, Index: 2},
		{Type: messages.ContentBlockStart, Index: 3, Block: &messages.ContentBlock{Type: messages.BlockToolUse, ID: "toolu_1", Name: "f", Input: []byte(`{"a":1}`)}},
		{Type: messages.ContentBlockDelta, Index: 3, Delta: messages.InputJSONDelta, Text: []byte(" ")},
		{Type: messages.ContentBlockStop, Index: 3},
		{Type: messages.MessageDelta, Message: &messages.Message{StopReason: "pause_turn"}},
		{Type: messages.MessageStop},
	} {
		dst = f.appendEvent(dst, e, 5*time.Millisecond)
	}
	want := `{"role":"assistant","content":"","refusal":null}
{"reasoning_content":"t"}
{"tool_calls":[{"index":0,"id":"ID","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}
{},"logprobs":null,"finish_reason":"stop"}]}
data: [DONE]
`
	if diff := cmp.Diff(want, chatDeltas(t, string(dst))); diff != "" {
		t.Error(diff)
	}
}

// During a silence, the server sends comments.
func TestChatSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			if yield(translate.Chunk{}, nil) && yield(translate.Chunk{Text: "Well"}, nil) {
				time.Sleep(35 * time.Second)
				yield(endOfTurn, nil)
			}
		})
		if got := read(t, postTo(newServer(t, up), chatPath, streamed(chatQuestion)).Body); strings.Count(got, ": ping\n\n") != 3 {
			t.Errorf("stream:\n%s", got)
		}
	})
}

// The list of models has the fields of both APIs. Clients of OpenAI's API get all models at once.
func TestChatModels(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) {
		o.Routes = nil
		for range 30 {
			o.Routes = append(o.Routes, Route{Name: "m" + strings.Repeat("x", len(o.Routes)), UpstreamModel: UpstreamModel{Upstream: "east"}})
		}
	})
	for header, want := range map[string]int{"": 30, "2023-06-01": 20} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, newRequest("GET", "/v1/models", "", "Anthropic-Version", header))
		var list struct {
			Object  string
			HasMore bool `json:"has_more"`
			Data    []struct {
				ID, Object, Type string
				OwnedBy          string `json:"owned_by"`
				Created          *int
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		if len(list.Data) != want || list.HasMore != (want == 20) || list.Object != "list" {
			t.Errorf("%q: %d models, %+v", header, len(list.Data), list)
		}
		for _, m := range list.Data {
			if m.Object != "model" || m.Type != "model" || m.OwnedBy == "" || m.Created == nil {
				t.Errorf("%+v", m)
			}
		}
	}
}

// Errors at paths of both APIs, and at unknown paths, have the fields of both APIs.
func TestSharedFailures(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "Hi"), func(o *Options) { o.Keys = []Key{NewKey("secret")} })
	for _, tt := range []struct {
		method, path, key string
		status            int
		typ, code         string
	}{
		{"GET", "/v1/models", "wrong", 401, "authentication_error", "invalid_api_key"},
		{"GET", "/v1/models/gpt-9", "secret", 404, "not_found_error", "model_not_found"},
		{"GET", "/v1/images", "secret", 404, "not_found_error", ""},
		{"GET", chatPath, "secret", 405, "invalid_request_error", ""},
	} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, newRequest(tt.method, tt.path, "", "Authorization", "Bearer "+tt.key))
		var messagesError struct {
			Type      string
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &messagesError); err != nil || messagesError.Type != "error" || messagesError.RequestID != w.Header().Get("Request-Id") {
			t.Errorf("%s: %+v, %v", tt.path, messagesError, err)
		}
		if e := chatFailure(t, w.Result()); w.Code != tt.status || e.Type != tt.typ || orEmpty(e.Code) != tt.code {
			t.Errorf("%s: %d %+v, code %s", tt.path, w.Code, e, orEmpty(e.Code))
		}
	}
}
