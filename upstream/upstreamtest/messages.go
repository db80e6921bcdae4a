package upstreamtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
)

// Messages is a server with the Messages API, which only streams (docs/reference/messages-api.md,
// docs/reference/streaming.md).
type Messages struct {
	// Key is the x-api-key that it requires; "" accepts any request. Set it before serving.
	Key string
	// Native makes the models answer through a tool API of their own. Set it before serving.
	Native Native
	// Models are the listed models; optional. Set it before serving.
	Models Listing
	*log
	script Script
}

// NewMessages returns a server with this script; nil means [Simulated].
func NewMessages(script Script) *Messages {
	if script == nil {
		script = Simulated
	}
	return &Messages{log: newLog(), script: script}
}

// ServeHTTP answers POST /v1/messages, /v1/messages/count_tokens and GET /v1/models.
func (m *Messages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("request-id", requestID)
	data, err := io.ReadAll(r.Body)
	if err != nil {
		m.left()
		return
	}
	counts := r.URL.Path == "/v1/messages/count_tokens"
	lists := m.Models != nil && r.Method == http.MethodGet && r.URL.Path == "/v1/models"
	if !lists && (r.Method != http.MethodPost || !counts && r.URL.Path != "/v1/messages") {
		refuseMessages(w, Refuse(http.StatusNotFound, "not_found_error", "Not found", ""))
		return
	}
	if m.Key != "" && r.Header.Get("x-api-key") != m.Key {
		refuseMessages(w, Refuse(http.StatusUnauthorized, "authentication_error", "invalid x-api-key", ""))
		return
	}
	if r.Header.Get("anthropic-version") == "" {
		refuseMessages(w, Refuse(http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required", ""))
		return
	}
	if lists {
		m.Models.messagesList(w, r)
		return
	}
	model, prompt, problem := m.read(data, counts)
	if problem != nil {
		refuseMessages(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem.messages(), ""))
		return
	}
	m.add(Request{Model: model, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	c := m.script(model, prompt).settle(prompt)
	switch {
	case c.Fault.early():
		refuseMessages(w, c.Fault)
	case counts:
		writeCount(w, "input_tokens", prompt.EstimateTokens())
	default:
		events := m.Native.callOr(c, model, data)
		untilEnd(func() { m.play(r.Context(), &messagesFrames{w, newBody(w, c), messagesErrorBody}, events, c.Fault) })
	}
}

// read reads the body of a request for an answer or, if counts is true, for a token count. In a native
// request it reads only the members that name the model and the form of the answer.
func (m *Messages) read(data []byte, counts bool) (model string, prompt *translate.Prompt, problem *malformed) {
	var request struct {
		messagesBody
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	if m.Native != nil {
		var head struct {
			Model  string `json:"model"`
			Stream bool   `json:"stream"`
		}
		if json.Unmarshal(data, &head) != nil {
			return "", nil, &malformed{text: "not a JSON object"}
		}
		request.Model, request.Stream, prompt = head.Model, head.Stream, nativePrompt
	} else if problem = decode(data, &request); problem != nil {
		return "", nil, problem
	}
	switch {
	case request.Model == "":
		return "", nil, &malformed{key: "model", missing: true}
	case request.Stream == counts:
		return "", nil, &malformed{text: "stream: this server can only stream, and only answers"}
	case prompt != nil:
		return request.Model, prompt, nil
	}
	prompt, problem = request.promptOr(counts)
	return request.Model, prompt, problem
}

// promptOr returns the prompt in the body. A body for a token count must not have max_tokens, which a body
// for an answer requires.
func (b *messagesBody) promptOr(counts bool) (*translate.Prompt, *malformed) {
	if counts {
		if b.MaxTokens != nil {
			return nil, &malformed{key: "max_tokens"}
		}
		b.MaxTokens = new(int)
	}
	return b.prompt()
}

// messages returns the problem in the words of the Messages API (docs/reference/messages-api.md §9).
func (p *malformed) messages() string {
	path := strings.ReplaceAll(strings.TrimPrefix(p.pointer+"/"+p.key, "/"), "/", ".")
	switch {
	case p.missing:
		return path + ": Field required"
	case p.key != "":
		return path + ": Extra inputs are not permitted"
	}
	return p.text
}

// refuseMessages sends an error of the Messages API instead of an answer.
func refuseMessages(w http.ResponseWriter, f *Fault) { f.respond(w, messagesErrorBody) }

// messagesErrorBody returns the JSON of an error (docs/reference/errors.md §1).
func messagesErrorBody(typ, message string) []byte {
	return fmt.Appendf(nil, `{"type":"error","error":{"type":%s,"message":%s},"request_id":%s}`,
		quote(typ), quote(message), quote(requestID))
}

// messagesFrames is the [wireWriter] of server-sent events (docs/reference/streaming.md §1).
type messagesFrames struct {
	w         http.ResponseWriter
	body      *body
	errorBody func(typ, message string) []byte // the data of an error event
}

// start sends the head of the response, before the first event has come.
func (f *messagesFrames) start() {
	f.w.Header().Set("content-type", "text/event-stream; charset=utf-8")
	f.w.Header().Set("cache-control", "no-cache")
	f.body.flush()
}

// event writes an event. A damaged event lacks the last brace of its JSON.
func (f *messagesFrames) event(name string, data []byte, damaged bool) {
	if damaged {
		data = data[:len(data)-1]
	}
	// If the client has left, the context tells, so the error of the write is not needed.
	_, _ = f.body.Write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data))
}

// fail writes an error event.
func (f *messagesFrames) fail(typ, message string) {
	f.event("error", f.errorBody(typ, message), false)
}
