package proxy

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"dragoman/upstream"
)

// window is a server of chat completions that behaves like vLLM: it rejects a request whose prompt and max_tokens
// exceed its context. It records the max_tokens of each request.
type window struct {
	input, size int
	asked       []int
}

func (w *window) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		MaxTokens int `json:"max_tokens"`
	}
	_ = json.UnmarshalRead(r.Body, &body)
	w.asked = append(w.asked, body.MaxTokens)
	rw.Header().Set("Content-Type", "application/json")
	if w.input+body.MaxTokens > w.size {
		rw.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(rw, `{"error":{"message":"This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). `+
			`Please reduce the length of the messages or completion.","type":"BadRequestError","code":400}}`, w.size, w.input+body.MaxTokens, w.input, body.MaxTokens)
		return
	}
	fmt.Fprint(rw, `{"object":"chat.completion","choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}`)
}

// behind returns a server whose only model is w's.
func behind(t *testing.T, w *window, change ...func(*Options)) *Server {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/chat/completions", w)
	up := openChat(t, mux, upstream.ServerOptions{})
	return newServer(t, nil, append(change, func(o *Options) {
		o.Upstreams["east"], o.Routes[0].Wire, o.Routes[0].Features = up, WireChat, upstream.Override{Without: upstream.Streaming}
	})...)
}

func asking(maxTokens int) string {
	return fmt.Sprintf(`{"model":"claude-2.1","max_tokens":%d,"messages":[{"role":"user","content":"Hi"}]}`, maxTokens)
}

// If a prompt leaves room for a shorter answer than the client allows, the client gets the shorter answer. The next
// request is sent unchanged: the room that one prompt leaves is no limit of the model.
func TestLoweredToTheWindow(t *testing.T) {
	w := &window{input: 5000, size: 8192}
	s := behind(t, w)
	answer := post(s, asking(4000))
	if answer.Code != 200 || answer.Header().Get("X-Dragoman-Dropped") != "max_tokens" || answer.Header().Get("X-Dragoman-Attempts") != "2" {
		t.Errorf("%d %v %s", answer.Code, answer.Header(), answer.Body)
	}
	w.input = 100
	if answer := post(s, asking(4000)); answer.Code != 200 || answer.Header().Get("X-Dragoman-Dropped") != "" {
		t.Errorf("%d %v %s", answer.Code, answer.Header(), answer.Body)
	}
	if want := []int{4000, 3192, 4000}; !slices.Equal(w.asked, want) {
		t.Errorf("asked for %d tokens, want %d", w.asked, want)
	}
}

// If the prompt leaves no room, or too little for an answer, the client gets an error at once: the text of the Messages
// API in the form of the client's own API.
func TestNoRoomInTheWindow(t *testing.T) {
	const tooLong, together = "prompt is too long: 9000 tokens > 8192 maximum",
		"input length and `max_tokens` exceed context limit: 8100 + 4000 > 8192, decrease input length or `max_tokens` and try again"
	for input, message := range map[int]string{9000: tooLong, 8100: together} {
		w := &window{input: input, size: 8192}
		var log logged
		s := behind(t, w, log.option)
		var said struct {
			Error struct {
				Type    string `json:"type"`
				Message string `json:"message"`
			} `json:"error"`
		}
		answer := post(s, asking(4000))
		if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil || answer.Code != 400 || said.Error.Type != "invalid_request_error" || said.Error.Message != message {
			t.Errorf("%d: %d %s", input, answer.Code, answer.Body)
		}
		converse := postTo(s, conversePath, `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"inferenceConfig":{"maxTokens":4000}}`)
		if got := checkException(t, converse, 400, "ValidationException"); got != message {
			t.Errorf("%d: Converse is told %q", input, got)
		}
		if len(w.asked) != 2 {
			t.Errorf("asked for %d tokens", w.asked)
		}
		if sentence := fmt.Sprintf("this model's maximum context length is 8192 tokens. however, you requested %d tokens (%d in the messages", input+4000, input); !strings.Contains(log.String(), sentence) {
			t.Errorf("%d: the log has not what the upstream said: %s", input, log.String())
		}
	}
}

// Under compat: strict, Dragoman does not shorten an answer below the client's max_tokens.
func TestStrictIsNotLowered(t *testing.T) {
	w := &window{input: 5000, size: 8192}
	answer := post(behind(t, w, func(o *Options) { o.Strict = true }), asking(4000))
	if answer.Code != 400 || !strings.Contains(answer.Body.String(), "exceed context limit: 5000 + 4000 > 8192") || len(w.asked) != 1 {
		t.Errorf("%d %s, asked for %d", answer.Code, answer.Body, w.asked)
	}
}

// A server that rejects every number is asked twice, and no more.
func TestLoweredOnce(t *testing.T) {
	full := &upstream.Error{Status: 400, Type: "invalid_request_error", Message: "no", Overflow: &upstream.Overflow{Input: 1, AtLeast: true, Output: 4000, Window: 8192}}
	east := &flaky{always: full}
	if answer := post(newServer(t, east), asking(4000)); answer.Code != 400 || len(east.calls) != 2 {
		t.Errorf("%d after %d calls", answer.Code, len(east.calls))
	}
}

// openChat returns an upstream that is this server of chat completions.
func openChat(t *testing.T, handler http.Handler, opt upstream.ServerOptions) *upstream.Server {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	opt.BaseURL = srv.URL + "/v1"
	up, err := upstream.NewOpenAI(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return up
}
