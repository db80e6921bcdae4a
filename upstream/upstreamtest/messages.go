package upstreamtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Messages is a server with the Messages API, streaming alone
// (reference/messages-api.md, reference/streaming.md).
type Messages struct {
	// Key is the x-api-key it wants; "" takes any request. Set it before serving.
	Key string
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

// ServeHTTP answers POST /v1/messages.
func (m *Messages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("request-id", requestID)
	data, err := io.ReadAll(r.Body)
	if err != nil {
		m.left()
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		messagesRefusal(w, Refuse(http.StatusNotFound, "not_found_error", "Not found", ""))
		return
	}
	if m.Key != "" && r.Header.Get("x-api-key") != m.Key {
		messagesRefusal(w, Refuse(http.StatusUnauthorized, "authentication_error", "invalid x-api-key", ""))
		return
	}
	if r.Header.Get("anthropic-version") == "" {
		messagesRefusal(w, Refuse(http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required", ""))
		return
	}
	var request struct {
		messagesBody
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	problem := decode(data, &request)
	if problem == nil && request.Model == "" {
		problem = &malformed{key: "model", missing: true}
	}
	if problem == nil && !request.Stream {
		problem = &malformed{text: "stream: this server can only stream"}
	}
	prompt, more := request.prompt()
	if problem == nil {
		problem = more
	}
	if problem != nil {
		messagesRefusal(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem.messages(), ""))
		return
	}
	m.add(Request{request.Model, r.Header.Clone(), data, prompt})
	c := m.script(request.Model, prompt).settle(prompt)
	if c.Fault.early() {
		messagesRefusal(w, c.Fault)
		return
	}
	untilEnd(func() { m.play(r.Context(), &messagesFrames{w, newBody(w, c), errorBody}, c.events(), c.Fault) })
}

// messages is the problem in the words of the Messages API
// (reference/messages-api.md §9).
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

func messagesRefusal(w http.ResponseWriter, f *Fault) {
	if f.kind == reply {
		f.reply(w)
		return
	}
	h := w.Header()
	h.Set("content-type", "application/json")
	if f.retryAfter != "" {
		h.Set("retry-after", f.retryAfter)
	}
	w.WriteHeader(f.status)
	w.Write(errorBody(f.typ, f.message))
}

func errorBody(typ, message string) []byte {
	return fmt.Appendf(nil, `{"type":"error","error":{"type":%s,"message":%s},"request_id":%s}`,
		quote(typ), quote(message), quote(requestID))
}

// messagesFrames writes server-sent events.
type messagesFrames struct {
	w         http.ResponseWriter
	body      *body
	errorBody func(typ, message string) []byte
}

func (f *messagesFrames) start() {
	f.w.Header().Set("content-type", "text/event-stream; charset=utf-8")
	f.w.Header().Set("cache-control", "no-cache")
	f.body.flush()
}

func (f *messagesFrames) event(name string, data []byte, damaged bool) {
	if damaged {
		data = data[:len(data)-1]
	}
	// A client that went shows in the context.
	_, _ = f.body.Write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data))
}

func (f *messagesFrames) fail(typ, message string) {
	f.event("error", f.errorBody(typ, message), false)
}
