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

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// endpoint is the target of requests over plain HTTP, with the headers and the client to send them with.
type endpoint struct {
	url    string
	header func(h http.Header) // adds the server's headers, such as a key; may be nil
	client *http.Client
	key    string // no error shows it: see hideKey
}

// with returns the endpoint with more headers: header adds them after the endpoint's own.
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

// maxCount limits the response to a request for a token count, in bytes.
const maxCount = 64 << 10

// count sends a body and returns the number of tokens that the server counts (docs/reference/messages-api.md
// §11).
func (e endpoint) count(ctx context.Context, body []byte) (int, error) {
	response, err := e.post(ctx, &sentBody{body}, readMessagesError, "application/json")
	if err != nil {
		return 0, hideKey(err, e.key)
	}
	defer response.Body.Close()
	n, err := readCount(response.Body, "input_tokens")
	return n, hideKey(err, e.key)
}

// readCount reads a response whose member holds the number of tokens.
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
		return 0, gatewayError("the upstream's answer has no token count", err)
	}
	return *tokens, nil
}

// countBody returns the body of a request for a token count: the body of a normal request, without the
// members that only affect the answer (docs/reference/messages-api.md §11). It then sets members; a nil value
// removes the member.
func countBody(body []byte, members map[string]jsontext.Value) []byte {
	changes := map[string]jsontext.Value{}
	for _, name := range []string{"max_tokens", "stream", "stop_sequences", "temperature", "top_p", "top_k", "metadata", "service_tier"} {
		changes[name] = nil
	}
	maps.Copy(changes, members)
	return rawjson.WithMembers(body, changes)
}

// post sends a JSON body and returns the response if its media type is one of kinds; the caller has to close
// its body. read maps the body of any other response to an error. The client's headers do not go upstream.
func (e *endpoint) post(ctx context.Context, body *sentBody, read errorReader, kinds ...string) (*http.Response, error) {
	request, err := e.request(ctx, kinds...)
	if err != nil {
		return nil, err
	}
	response, err := e.client.Do(body.in(request))
	if err != nil {
		return nil, transportError(err)
	}
	if err := checkResponse(response, read, kinds...); err != nil {
		response.Body.Close()
		return nil, err
	}
	body.forget()
	return response, nil
}

// request returns a request that accepts these media types. It still lacks its JSON body.
func (e *endpoint) request(ctx context.Context, kinds ...string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, http.NoBody)
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

// show returns the request that would send a body.
func (e *endpoint) show(ctx context.Context, wire string, body []byte) (Request, error) {
	r, err := e.request(ctx)
	if err != nil {
		return Request{}, err
	}
	return shown(wire, r, body), nil
}

// messagesCall returns the call that sends the body of a prompt to a server with the Messages API. Tokens are
// counted at count; if named is not nil, the body of that request names the model.
func messagesCall(ask endpoint, body *sentBody, count endpoint, named *Model, p *translate.Prompt) *Call {
	c := nativeCall(ask, body, count, named)
	c.Events = nil
	c.Chunks = func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
		return streamMessages(ctx, ask, body, newMessagesDecoder(p).decode)
	}
	return c
}

// nativeCall is messagesCall for the body of a client's own request.
func nativeCall(ask endpoint, body *sentBody, count endpoint, named *Model) *Call {
	return &Call{
		Events: func(ctx context.Context) iter.Seq2[messages.Event, error] {
			return streamMessages(ctx, ask, body, new(nativeDecoder).decode)
		},
		Count: func(ctx context.Context) (int, error) {
			members := map[string]jsontext.Value{}
			if named != nil {
				members["model"] = asJSON(named.ID)
			}
			return count.count(ctx, countBody(body.data, members))
		},
		Show: func(ctx context.Context) (Request, error) { return ask.show(ctx, WireMessages, body.data) },
	}
}

// streamMessages returns the sequence of an answer of the Messages API, which can be ranged over once. It
// sends the body when the range begins, and calls decode with the JSON of each event of the stream.
func streamMessages[P portion](ctx context.Context, e endpoint, body *sentBody, decode func([]byte) (P, error)) iter.Seq2[P, error] {
	return newSequence(ctx, e.key, func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool) {
		response, err := e.post(ctx, body, readMessagesError, "text/event-stream")
		if err != nil {
			var none P
			yield(none, err)
			return
		}
		defer response.Body.Close()
		events := newSSEReader(response.Body)
		if decodeStream(wholeCharacters(events.payloads()), decode, complete(requestID(response.Header), events.more, yield)) {
			drain(response.Body, cancel)
		}
	})
}
