package upstream

import (
	"context"
	"io"
	"iter"
	"maps"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// endpoint is where requests over plain HTTP go, and what they are sent with.
type endpoint struct {
	url    string
	header func(h http.Header) // adds what the server wants, such as a key; may be nil
	client *http.Client
}

// with returns the endpoint with more headers: those that header adds after the
// endpoint's own.
func (e endpoint) with(header func(h http.Header)) endpoint {
	first := e.header
	e.header = func(h http.Header) {
		if first != nil {
			first(h)
		}
		header(h)
	}
	return e
}

// maxCount bounds the body that says how many tokens there are, in bytes.
const maxCount = 64 << 10

// count sends a body and returns the number of tokens in the answer
// (docs/reference/messages-api.md §11).
func (e endpoint) count(ctx context.Context, body []byte) (int, error) {
	response, err := e.post(ctx, body, readMessagesError, "application/json")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return readCount(response.Body, "input_tokens")
}

// readCount reads the answer that has the number of tokens in this member.
func readCount(r io.Reader, member string) (int, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxCount))
	if err != nil {
		return 0, readError(err)
	}
	var answer map[string]jsontext.Value
	var tokens *int // nil for null as well
	if err = json.Unmarshal(data, &answer, lenient); err == nil && answer[member] != nil {
		err = json.Unmarshal(answer[member], &tokens)
	}
	if err != nil || tokens == nil || *tokens < 0 {
		return 0, gatewayError("the upstream did not say how many tokens there are", err)
	}
	return *tokens, nil
}

// countBody returns the body of a request for a count of tokens: that of a request for an
// answer, without the members that are about the answer (docs/reference/messages-api.md
// §11). members are set in it; one that is nil is removed.
func countBody(body []byte, members map[string]jsontext.Value) []byte {
	changes := map[string]jsontext.Value{}
	for _, name := range []string{"max_tokens", "stream", "stop_sequences", "temperature", "top_p", "top_k", "metadata", "service_tier"} {
		changes[name] = nil
	}
	maps.Copy(changes, members)
	return rawjson.WithMembers(body, changes)
}

// post sends a body in JSON and returns the response if it is an answer of one of these
// media types; the caller has to close its body. read maps the body of any other. None
// of the client's headers go upstream.
func (e *endpoint) post(ctx context.Context, body []byte, read errorReader, kinds ...string) (*http.Response, error) {
	sent := newSentBody(body)
	request, err := e.request(sent.traced(ctx), sent.reader, kinds...)
	if err != nil {
		return nil, err
	}
	request.GetBody = sent.sendAgain
	response, err := e.client.Do(request)
	if err != nil {
		return nil, transportError(err)
	}
	if err := checkResponse(response, read, kinds...); err != nil {
		response.Body.Close()
		return nil, err
	}
	sent.accept()
	return response, nil
}

// request returns the request that sends a body in JSON and takes these media types.
func (e *endpoint) request(ctx context.Context, body io.Reader, kinds ...string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, body)
	if err != nil {
		return nil, transportError(err)
	}
	h := request.Header
	h.Set("content-type", "application/json")
	h.Set("accept", strings.Join(kinds, ", "))
	h.Set("user-agent", "dragoman")
	replayable(h)
	if e.header != nil {
		e.header(h)
	}
	return request, nil
}

// streamMessages returns the sequence of an answer in the form of the Messages API, which
// can be ranged over once. When the range begins it sends the body that encode returns;
// decode is given the JSON of each event of the stream that comes back.
func streamMessages[P portion](ctx context.Context, e endpoint, encode func() ([]byte, error), decode func([]byte) (P, error)) iter.Seq2[P, error] {
	return newSequence(ctx, func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool) {
		body, err := encode()
		encode = nil // an answer may take minutes: the prompt is not kept for it here
		var response *http.Response
		if err == nil {
			response, err = e.post(ctx, body, readMessagesError, "text/event-stream")
		}
		if err != nil {
			var none P
			yield(none, err)
			return
		}
		defer response.Body.Close()
		events := newSSEReader(response.Body)
		if decodeStream(events.payloads(), decode, withMore(events.more, withRequestID(requestID(response.Header), yield))) {
			drain(response.Body, cancel)
		}
	})
}
