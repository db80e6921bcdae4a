package proxy

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// vertex is the API of Google Vertex AI for the models of Anthropic
// (reference/vertex.md §2): the Messages API, with the model in the path and the
// version in the body.
//
// What Google's front end finds out is told in its words: a path that leads nowhere,
// a key that is none, a model that is not there. All else is what the Messages API
// says, and keeps its shape: only there do Anthropic's libraries see a type (§6). So
// does an error within a stream.
var vertex = func() dialect {
	d := messages
	d.name = "vertex"
	d.read = readVertex
	d.failureBody = vertexFailure
	return d
}()

// vertexCall is what a path asks for: MODEL:METHOD in its last part.
type vertexCall struct {
	model  string // "" for a count, which is for the model that the body names
	stream bool
}

// errNoPlace says that a path names no place. Which one it is does not matter here.
var errNoPlace = invalidRequest("the project, the location or the publisher in the path is not the name of one")

// readVertexCall returns what a path asks for. The error is a *failure. That the
// body says whether to stream, too, does not count: the libraries choose the method
// by it.
func readVertexCall(r *http.Request) (vertexCall, error) {
	for _, name := range []string{"project", "location", "publisher"} {
		if s := pathParam(r, name); s == "" || strings.Trim(s, alphanumeric+"-_.:") != "" {
			return vertexCall{}, errNoPlace
		}
	}
	call := pathParam(r, "call")
	colon := strings.LastIndexByte(call, ':') // ids may hold others
	if colon <= 0 {
		return vertexCall{}, errNotFound
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
	return vertexCall{}, errNotFound
}

// answerVertex answers by what the path asks for.
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

// decodeVertex reads a request. The version is in the body alone: some libraries
// send a header too, with another one.
func readVertex(r *http.Request, body []byte, opt translate.DecodeOptions) (*translate.Body, error) {
	call, err := readVertexCall(r)
	if err != nil {
		return nil, err
	}
	opt.Model, opt.Stream = call.model, &call.stream
	return translate.ReadBody(r.Context(), body, opt)
}

// googleStatus are the names of those statuses that Google's front end answers with.
var googleStatus = map[int]string{
	http.StatusUnauthorized: "UNAUTHENTICATED",
	http.StatusForbidden:    "PERMISSION_DENIED",
	http.StatusNotFound:     "NOT_FOUND",
}

func vertexFailure(h http.Header, f *failure, requestID string) (int, []byte) {
	status, google := googleStatus[f.status]
	if f == errNoPlace {
		status, google = "INVALID_ARGUMENT", true
	}
	if !google {
		return messages.failureBody(h, f, requestID)
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
