package upstream

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// converseFrame is an event of ConverseStream.
func converseFrame(t testing.TB, kind, payload string) string {
	return frame(t, payload, ":event-type", kind, ":content-type", "application/json", ":message-type", "event")
}

// spoken collects the chunks of an answer.
type spoken struct {
	text, thinking string
	last           translate.Chunk
	err            error
}

func (s *spoken) hear(c translate.Chunk, err error) {
	s.text += c.Text
	s.thinking += c.Thinking
	s.last, s.err = c, err
}

// check compares the answer with the expected one; says is "" for an answer without an error.
func (s *spoken) check(t *testing.T, text, thinking string, last translate.Chunk, says string) {
	t.Helper()
	if s.text != text || s.thinking != thinking || !cmp.Equal(s.last, last) {
		t.Errorf("text %q, thinking %q, last %+v", s.text, s.thinking, s.last)
	}
	if says == "" && s.err != nil || says != "" && (s.err == nil || !strings.Contains(s.err.Error(), says)) {
		t.Errorf("error %v", s.err)
	}
}

func TestReadConverseStream(t *testing.T) {
	event := func(kind, payload string) string { return converseFrame(t, kind, payload) }
	start := event("messageStart", `{"role":"assistant","p":"abc"}`)
	text := event("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Hé"},"p":"abc"}`)
	stop := func(reason string) string { return event("messageStop", `{"p":"a","stopReason":"`+reason+`"}`) }
	usage := event("metadata", `{"usage":{"inputTokens":7,"outputTokens":9,"totalTokens":16,"cacheReadInputTokens":3,"cacheWriteInputTokens":4},"metrics":{"latencyMs":40},"p":"x"}`)
	used := messages.Usage{InputTokens: 7, OutputTokens: 9, CacheReadInputTokens: 3, CacheCreationInputTokens: 4}
	end := translate.Chunk{Stop: messages.StopEndTurn, Usage: used}
	tests := []struct {
		name     string
		stops    []string
		stream   string
		text     string
		thinking string
		last     translate.Chunk
		err      string
	}{
		{"text", nil, start + text + text + event("contentBlockStop", `{"contentBlockIndex":0}`) + stop("end_turn") + usage, "HéHé", "", end, ""},
		{"thinking, and what we do not know", nil, start + event("contentBlockStart", `{"start":{}}`) +
			event("contentBlockDelta", `{"delta":{"reasoningContent":{"text":"so"}}}`) +
			event("contentBlockDelta", `{"delta":{"reasoningContent":{"signature":"x"}}}`) +
			event("contentBlockDelta", `{"delta":{"reasoningContent":{"redactedContent":"eHg="}}}`) +
			event("contentBlockDelta", `{"delta":{"citation":{"title":"t"}}}`) +
			event("brandNew", `{"delta":"x"}`) + text + stop("tool_use") + usage, "Hé", "so", translate.Chunk{Stop: messages.StopToolUse, Usage: used}, ""},
		{"no metadata", nil, start + text + stop("max_tokens"), "Hé", "", translate.Chunk{Stop: messages.StopMaxTokens}, ""},
		{"metadata first", nil, start + usage + stop("end_turn"), "", "", end, ""},
		{"nothing behind the metadata is read", nil, start + stop("end_turn") + usage + "x", "", "", end, ""},
		{"refused by a guardrail", nil, start + stop("guardrail_intervened"), "", "", translate.Chunk{Stop: messages.StopGuardrail}, ""},
		{"filtered", nil, start + stop("content_filtered"), "", "", translate.Chunk{Stop: messages.StopRefusal, StopWord: "content_filtered"}, ""},
		{"a full context window", nil, start + stop("model_context_window_exceeded"), "", "", translate.Chunk{Stop: messages.StopContextWindow}, ""},
		{"a reason to come", nil, start + stop("weary"), "", "", translate.Chunk{Stop: messages.StopEndTurn, UnknownStop: "weary"}, ""},
		{"malformed", nil, start + text + stop("malformed_model_output") + usage, "Hé", "", translate.Chunk{}, "500 api_error: the upstream could not read the model's output (malformed_model_output)"},
		{"a sequence with its name", []string{"END", "two"}, start + event("messageStop", `{"stopReason":"stop_sequence","additionalModelResponseFields":{"stop_sequence":"two"}}`), "", "",
			translate.Chunk{Stop: messages.StopSequence, StopSequence: "two"}, ""},
		{"a sequence that nobody asked for", []string{"END"}, start + event("messageStop", `{"stopReason":"stop_sequence","additionalModelResponseFields":{"stop_sequence":"\n\nHuman:"}}`), "", "",
			translate.Chunk{Stop: messages.StopEndTurn}, ""},
		{"one sequence, without its name", []string{"END"}, start + stop("stop_sequence"), "", "", translate.Chunk{Stop: messages.StopSequence, StopSequence: "END"}, ""},
		{"one of two, without its name", []string{"END", "two"}, start + event("messageStop", `{"stopReason":"stop_sequence","additionalModelResponseFields":[1]}`), "", "",
			translate.Chunk{Stop: messages.StopSequence}, ""},
		{"a sequence, and none was sent", nil, start + stop("stop_sequence"), "", "", translate.Chunk{Stop: messages.StopEndTurn}, ""},
		{"no messageStop", nil, start + text + usage, "Hé", "", translate.Chunk{}, "502 api_error: the upstream broke off"},
		{"nothing", nil, "", "", "", translate.Chunk{}, "broke off"},
		{"cut in the metadata", nil, start + text + stop("end_turn") + usage[:50], "Hé", "", translate.Chunk{Stop: messages.StopEndTurn}, ""},
		{"no stop reason", nil, start + event("messageStop", `{}`), "", "", translate.Chunk{}, "without a stop reason"},
		{"no JSON", nil, start + event("contentBlockDelta", `{"delta":`), "", "", translate.Chunk{}, "Dragoman cannot read"},
		{"an exception", nil, start + text + frame(t, `{"message":"boom"}`, ":exception-type", "modelStreamErrorException", ":message-type", "exception"), "Hé", "", translate.Chunk{}, "500 api_error: boom"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s spoken
			m := Model{ID: "amazon.nova-lite-v1:0", Can: Streaming}
			for c, err := range answering(t, framesType, strings.NewReader(test.stream)).converse(t.Context(), m, new(sentBody), &converseDecoder{stops: test.stops}) {
				s.hear(c, err)
			}
			s.check(t, test.text, test.thinking, test.last, test.err)
		})
	}
}

func TestReadConverseWhole(t *testing.T) {
	const output = `"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"so","signature":"x"}}},` +
		`{"reasoningContent":{"redactedContent":"eHg="}},{"text":"Hé"},{"toolUse":{}},{"text":"!"}]}}`
	used := messages.Usage{InputTokens: 7, OutputTokens: 9}
	tests := []struct {
		name           string
		answer         string
		text, thinking string
		last           translate.Chunk
		err            string
	}{
		{"whole", `{` + output + `,"stopReason":"end_turn","usage":{"inputTokens":7,"outputTokens":9},"metrics":{"latencyMs":8},"trace":{}}`,
			"Hé!", "so", translate.Chunk{Stop: messages.StopEndTurn, Usage: used}, ""},
		{"a sequence", `{` + output + `,"stopReason":"stop_sequence"}`, "Hé!", "so", translate.Chunk{Stop: messages.StopSequence, StopSequence: "END"}, ""},
		{"no text", `{"stopReason":"content_filtered"}`, "", "", translate.Chunk{Stop: messages.StopRefusal, StopWord: "content_filtered"}, ""},
		{"no stop reason", `{` + output + `}`, "Hé!", "so", translate.Chunk{}, "without a stop reason"},
		{"malformed", `{` + output + `,"stopReason":"malformed_tool_use"}`, "Hé!", "so", translate.Chunk{}, "500 api_error"},
		{"cut", `{` + output + `,"stopReason":"end_turn"`, "", "", translate.Chunk{}, "Dragoman cannot read"},
		{"nothing", "", "", "", translate.Chunk{}, "without a stop reason"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s spoken
			for c, err := range answering(t, "application/json", strings.NewReader(test.answer)).converse(t.Context(), Model{ID: "ai21.j2-mid"}, new(sentBody), &converseDecoder{stops: []string{"END"}}) {
				s.hear(c, err)
			}
			s.check(t, test.text, test.thinking, test.last, test.err)
		})
	}
}

// TestConverseLost breaks the connection after the last byte of an answer, before the end of the body.
func TestConverseLost(t *testing.T) {
	cause := errors.New("reset by peer")
	up := answering(t, "application/json", io.MultiReader(strings.NewReader(`{"stopReason":"end_turn"}`), iotest.ErrReader(cause)))
	var s spoken
	for c, err := range up.converse(t.Context(), Model{ID: "ai21.j2-mid"}, new(sentBody), new(converseDecoder)) {
		s.hear(c, err)
	}
	if !errors.Is(s.err, cause) {
		t.Errorf("%+v", s)
	}
}

const framesType = "application/vnd.amazon.eventstream"

// answering returns a Bedrock that answers every request with this body.
func answering(t *testing.T, contentType string, body io.Reader) *Bedrock {
	t.Helper()
	up, err := NewBedrock(t.Context(), BedrockOptions{Region: "us-east-1", HTTPClient: &http.Client{Transport: roundTripFunc(func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(body), Request: r}, nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	return up
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
