package upstream

import (
	"context"
	"io"
	"iter"
	"net/http"

	"dragoman/translate"
)

// chatClient asks a server for chat completions (docs/reference/vertex.md §5): the API
// of OpenAI, which most servers of open models speak. It sends no tools.
//
// Of the stop sequences it sends only ours: few servers say which one they met, and the
// parser knows ours by the text before them. The client's are watched for here. A server
// that was asked for a stream may answer whole, and the other way round: the content
// type decides. Some servers take a text for a call of a tool, though none was offered;
// such a call is left out, for it holds no text of the model.
type chatClient struct {
	completions endpoint // …/chat/completions
	strict      bool     // the server refuses stream_options
}

// invoke sends the prompt to the model and returns its answer.
func (c *chatClient) invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	send, watch := splitStops(p, m.Can, false)
	return watchStops(watch, newSequence(ctx, func(ctx context.Context, cancel context.CancelFunc, yield func(translate.Chunk, error) bool) {
		response, err := c.open(ctx, m, p, send)
		if err != nil {
			yield(translate.Chunk{}, err)
			return
		}
		defer response.Body.Close()
		d := newChatDecoder(p, send)
		yield = withRequestID(requestID(response.Header), yield)
		events := newSSEReader(response.Body)
		decode, payloads := d.decode, d.ended(events.payloads())
		if mediaType(response) == "application/json" {
			decode, payloads = d.whole, wholeBody(response.Body)
		} else {
			yield = withMore(events.more, yield)
		}
		if yield(translate.Chunk{}, nil) && decodeStream(payloads, decode, yield) {
			drain(response.Body, cancel)
		}
	}))
}

// open sends the request and returns the response if it is an answer. The caller has to
// close its body.
func (c *chatClient) open(ctx context.Context, m Model, p *translate.Prompt, stop []string) (*http.Response, error) {
	body, err := encodeChat(m, p, stop, !c.strict)
	if err != nil {
		return nil, err
	}
	return c.completions.post(ctx, body, readChatError, "application/json", "text/event-stream")
}

// show returns the request that invoke would send.
func (c *chatClient) show(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	send, _ := splitStops(p, m.Can, false)
	body, err := encodeChat(m, p, send, !c.strict)
	return c.completions.show(ctx, wireChat, body, err)
}

// wholeBody yields a body at once, as the one event of an answer.
func wholeBody(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		data, err := io.ReadAll(io.LimitReader(r, maxSSEEvent+1))
		switch {
		case err != nil:
			err = readError(err)
		case len(data) > maxSSEEvent:
			err = tooLong()
		}
		yield(data, err)
	}
}
