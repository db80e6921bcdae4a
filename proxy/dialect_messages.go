package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/proxy/convert"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// messagesAPI is the Messages API (docs/reference/messages-api.md §2). Its streams are
// server-sent events (docs/reference/streaming.md §1).
var messagesAPI = dialect{
	name:          "messages",
	credentials:   messagesCredentials,
	read:          readMessages,
	nativeRequest: nativeMessages,
	appendMessage: func(_ http.Header, dst []byte, _ *convert.Conversion, m *messages.Message, _ time.Duration) []byte {
		return m.AppendJSON(dst)
	},
	appendTokenCount: func(dst []byte, tokens int) []byte {
		return fmt.Appendf(dst, `{"input_tokens":%d}`, tokens)
	},
	failureBody: func(_ http.Header, f *failure, requestID string) (int, []byte) {
		return f.status, appendError(nil, f, requestID)
	},
	streamHeader: http.Header{
		"Content-Type":      {"text/event-stream; charset=utf-8"},
		"Cache-Control":     {"no-cache"},
		"X-Accel-Buffering": {"no"}, // or nginx would buffer events
	},
	pingFrame: sse{}.appendEvent(nil, messages.Event{Type: messages.Ping}, 0),
	waitFrame: []byte(": waiting for the model\n\n"),
	newFrames: func(http.Header, *convert.Conversion) frameWriter { return sse{} },
}

// messagesCredentials returns the possible keys of a request: clients send x-api-key, a bearer token, or both
// (docs/reference/errors.md §6).
func messagesCredentials(h http.Header) []string { return []string{h.Get("X-Api-Key"), bearer(h)} }

// readMessages reads a body. The header anthropic-version wins over a version in the body.
func readMessages(r *http.Request, body []byte, opt messages.DecodeOptions) (*messages.Body, error) {
	opt.Version = r.Header.Get("Anthropic-Version")
	return messages.ReadBody(r.Context(), body, opt)
}

// nativeMessages passes on the version and the betas, which are headers in this API.
func nativeMessages(h http.Header, body *messages.Body) upstream.Native {
	return upstream.Native{Body: body.JSON(), Version: h.Get("Anthropic-Version"), Betas: betas(h)}
}

// betas returns the betas that a header lists.
func betas(h http.Header) (names []string) {
	for _, list := range h.Values("Anthropic-Beta") {
		for beta := range strings.SplitSeq(list, ",") {
			if beta = strings.TrimSpace(beta); beta != "" {
				names = append(names, beta)
			}
		}
	}
	return names
}

// appendError appends the error object of the Messages API, on one line (docs/reference/errors.md §1).
func appendError(dst []byte, f *failure, requestID string) []byte {
	type description struct {
		Type    string         `json:"type"`
		Message string         `json:"message"`
		Details jsontext.Value `json:"details,omitzero"`
	}
	body, err := json.Marshal(struct {
		Type      string      `json:"type"`
		Error     description `json:"error"`
		RequestID string      `json:"request_id"`
	}{"error", description{f.typ, f.message, f.details}, requestID}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // strings always marshal
	}
	return append(dst, body...)
}
