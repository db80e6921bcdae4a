package proxy

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// vertex is the API of Google Vertex AI for the models of Anthropic: the Messages API,
// with the model in the path and the version in the body (docs/reference/vertex.md §2).
//
// Errors that Google's front end would find have its shape: a path that is not one, a
// wrong key, a model that is not there. All others, and those within a stream, have the
// shape of the Messages API, since the SDKs read an error's type only from that
// (docs/reference/vertex.md §6).
var vertex = func() dialect {
	d := messagesAPI
	d.name = "vertex"
	d.read = readVertex
	d.failureBody = vertexFailure
	return d
}()

// vertexCall is what a path asks for. Its last part is MODEL:METHOD.
type vertexCall struct {
	model  string // "" to count tokens, for the model that the body names
	stream bool
}

// readVertexCall returns what a path asks for. The error is a *failure. The method decides
// whether to stream; the SDKs choose it by what the body says of that.
func readVertexCall(r *http.Request) (vertexCall, error) {
	for _, name := range []string{"project", "location", "publisher"} {
		if s := pathParam(r, name); s == "" || strings.Trim(s, alphanumeric+"-_.:") != "" {
			return vertexCall{}, errNoPlace
		}
	}
	call := pathParam(r, "call")
	colon := strings.LastIndexByte(call, ':') // the id of a model may hold colons, too
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

// answerVertex answers with a message or with a number of tokens, as the path asks for.
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

// readVertex reads a body. The version in it counts: some SDKs send the header
// anthropic-version as well, with another value.
func readVertex(r *http.Request, body []byte, opt messages.DecodeOptions) (*messages.Body, error) {
	call, err := readVertexCall(r)
	if err != nil {
		return nil, err
	}
	opt.Model, opt.Stream = call.model, &call.stream
	return messages.ReadBody(r.Context(), body, opt)
}

// googleStatus names the statuses of HTTP that Google's front end answers with.
var googleStatus = map[int]string{
	http.StatusUnauthorized: "UNAUTHENTICATED",
	http.StatusForbidden:    "PERMISSION_DENIED",
	http.StatusNotFound:     "NOT_FOUND",
}

// vertexFailure has the shape of Google for the statuses of its front end, and else that
// of the Messages API.
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
		panic(err) // strings can always be written
	}
	return f.status, body
}
