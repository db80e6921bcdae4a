package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// vertex is the API of Google Vertex AI for the models of Anthropic
// (reference/vertex.md §2): the Messages API, with the model in the path and the
// version in the body. Failures that Google's front end finds have its shape, those
// of the Messages API theirs (§6).
var vertex = func() dialect {
	d := messages
	d.name = "vertex"
	d.decode = decodeVertex
	d.failure = vertexFailure
	return d
}()

// The last segment of a path: MODEL:METHOD.
const (
	vertexWhole  = "rawPredict"
	vertexStream = "streamRawPredict"
	vertexCount  = "count-tokens" // in the place of a model
)

// vertexCall returns the model and the method that a path names. The error is a
// *failure.
func vertexCall(r *http.Request) (model, method string, err error) {
	for _, name := range []string{"project", "location", "publisher"} {
		if s := chi.URLParam(r, name); s == "" || strings.Trim(s, alphanumeric+"-_.:") != "" {
			return "", "", invalid(name + ": this is no id of one")
		}
	}
	call := chi.URLParam(r, "call")
	if r.URL.RawPath != "" { // the path was matched as it came
		if call, err = url.PathUnescape(call); err != nil {
			call = ""
		}
	}
	colon := strings.LastIndexByte(call, ':')
	if colon <= 0 || !utf8.ValidString(call) {
		return "", "", notFound(nil)
	}
	return call[:colon], call[colon+1:], nil
}

// answerVertex answers by the method that the path names.
func (x *exchange) answerVertex() error {
	model, method, err := vertexCall(x.r)
	switch {
	case err != nil:
		return err
	case method == vertexWhole && model == vertexCount:
		return x.countTokens()
	case method == vertexWhole, method == vertexStream:
		return x.answer()
	}
	return notFound(x)
}

// decodeVertex reads a request, whose path names the model, but for a count, and
// whether to stream, whatever the body says.
func decodeVertex(r *http.Request, body []byte, opt translate.DecodeOptions) (*translate.Body, error) {
	model, method, err := vertexCall(r)
	if err != nil {
		return nil, err
	}
	stream := method == vertexStream
	opt.Stream = &stream
	if model != vertexCount {
		opt.Model = model
	}
	return translate.ReadBody(body, opt)
}

// googleStatus are the names of those statuses that Google's front end answers with.
var googleStatus = map[int]string{
	http.StatusUnauthorized:     "UNAUTHENTICATED",
	http.StatusForbidden:        "PERMISSION_DENIED",
	http.StatusNotFound:         "NOT_FOUND",
	http.StatusMethodNotAllowed: "UNIMPLEMENTED",
}

func vertexFailure(h http.Header, f *failure, requestID string) (int, []byte) {
	name, google := googleStatus[f.status]
	if !google {
		return messages.failure(h, f, requestID)
	}
	type description struct {
		Code    int      `json:"code"`
		Message string   `json:"message"`
		Status  string   `json:"status"`
		Details []string `json:"details"`
	}
	body, err := json.Marshal(map[string]description{"error": {f.status, f.message, name, []string{}}}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // strings can always be written
	}
	return f.status, body
}
