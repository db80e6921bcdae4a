package proxy

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// vertex is Google Vertex AI's API for Anthropic's models: the Messages API with the model in the path and the version
// in the body (docs/reference/vertex.md §2).
//
// Errors that Google's front end would detect have Google's form: a wrong path, a wrong key, a missing model. All other
// errors, and errors within a stream, have the form of the Messages API, because only there the SDKs read an error's
// type (docs/reference/vertex.md §6).
var vertex = func() dialect {
	d := messagesAPI
	d.name = "vertex"
	d.read = readVertex
	d.failureBody = vertexFailure
	return d
}()

// vertexCall is the request in a path, whose last part is MODEL:METHOD.
type vertexCall struct {
	model  string // "" to count tokens: the body then names the model
	stream bool
}

// readVertexCall parses a path. The error is a *failure. The method decides whether to stream: the SDKs choose it to
// match the body.
func readVertexCall(r *http.Request) (vertexCall, error) {
	for _, name := range []string{"project", "location", "publisher"} {
		if s := pathParam(r, name); s == "" || strings.Trim(s, alphanumeric+"-_.:") != "" {
			return vertexCall{}, errNoPlace
		}
	}
	call := pathParam(r, "call")
	colon := strings.LastIndexByte(call, ':') // a model's id may contain colons, too
	if colon <= 0 {
		return vertexCall{}, nothingAt(r)
	}
	switch model, method := call[:colon], call[colon+1:]; {
	case call == "count-tokens:rawPredict":
		return vertexCall{}, nil
	case model == "count-tokens":
	case method == "rawPredict":
		return vertexCall{model: model}, nil
	case method == "streamRawPredict":
		return vertexCall{model: model, stream: true}, nil
	}
	return vertexCall{}, nothingAt(r)
}

// answerVertex answers with a message or with a count of tokens, depending on the path.
func (x *exchange) answerVertex() error {
	call, err := readVertexCall(x.r)
	switch {
	case err != nil:
		return err
	case call.model == "":
		return x.countTokens()
	}
	return x.answer()
}

// readVertex reads a body. The version in the body wins: some SDKs also send the header anthropic-version, with another
// value.
func readVertex(r *http.Request, body []byte, opt messages.DecodeOptions) (*messages.Body, error) {
	call, err := readVertexCall(r)
	if err != nil {
		return nil, err
	}
	opt.Model, opt.Stream = call.model, &call.stream
	return messages.ReadBody(r.Context(), body, opt)
}

// googleStatus names the HTTP statuses that Google's front end sends.
var googleStatus = map[int]string{
	http.StatusUnauthorized: "UNAUTHENTICATED",
	http.StatusForbidden:    "PERMISSION_DENIED",
	http.StatusNotFound:     "NOT_FOUND",
}

// vertexFailure returns an error in Google's form for the statuses of its front end, and otherwise in the form of the
// Messages API.
func vertexFailure(h http.Header, f *failure, requestID string) (int, []byte) {
	status, known := googleStatus[f.status]
	if f == errNoPlace {
		status, known = "INVALID_ARGUMENT", true
	}
	if !known {
		return messagesAPI.failureBody(h, f, requestID)
	}
	type description struct {
		Code    int              `json:"code"`
		Message string           `json:"message"`
		Status  string           `json:"status"`
		Details []jsontext.Value `json:"details"`
	}
	body, err := json.Marshal(struct {
		Error description `json:"error"`
	}{description{f.status, f.message, status, []jsontext.Value{}}}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // strings always marshal
	}
	return f.status, body
}
