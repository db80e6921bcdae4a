package upstream

import (
	"context"
	"io"
	"iter"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// chatCall returns the call that asks a server for chat completions (docs/reference/vertex.md §5). This is
// the API of OpenAI, which most servers of open models have. strict: the server rejects stream_options.
//
// The request has only Dragoman's own stop sequences. Few servers say which sequence they met, and the parser
// recognizes Dragoman's by the text before them. Dragoman itself looks for the client's. A server may answer
// a request for a stream in one piece, or the other way round, so the content type decides how the answer is
// read. Some servers repeat a prefill: see withoutEcho.
func chatCall(e endpoint, m Model, p *translate.Prompt, strict bool) (*Call, error) {
	send, watch := splitStops(p, m.Can, false)
	body, err := encodeChat(m, p, send, !strict)
	if err != nil {
		return nil, err
	}
	sent := &sentBody{body}
	return &Call{
		Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
			d := &chatDecoder{stops: send}
			return watchStops(p, watch, withoutEcho(p, withConstraint(p, streamChat(ctx, e, sent, chatErrors(m, p), answerReader{sseStream, d.decode, d.whole, d.ended}))))
		},
		Show: func(ctx context.Context) (Request, error) { return e.show(ctx, WireChat, sent.data) },
	}, nil
}

// answerReader reads an answer, streamed or in one piece.
type answerReader struct {
	stream streamForm
	decode func([]byte) (translate.Chunk, error)
	whole  func([]byte) (translate.Chunk, error) // decodes an answer that is not streamed
	ended  func(iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error]
}

// streamForm is the form of a stream: its media type, and the reader of its events.
type streamForm struct {
	kind   string
	events func(*sseReader) iter.Seq2[[]byte, error]
}

var (
	sseStream  = streamForm{"text/event-stream", (*sseReader).payloads}
	lineStream = streamForm{"application/x-ndjson", (*sseReader).lines} // one JSON text a line
)

// streamChat returns the sequence of an answer, which can be ranged over once. It sends the body when the
// range begins.
func streamChat(ctx context.Context, e endpoint, body *sentBody, fail errorReader, d answerReader) iter.Seq2[translate.Chunk, error] {
	return newSequence(ctx, e.key, func(ctx context.Context, cancel context.CancelFunc, yield func(translate.Chunk, error) bool) {
		response, err := e.post(ctx, body, fail, "application/json", d.stream.kind)
		if err != nil {
			yield(translate.Chunk{}, err)
			return
		}
		defer response.Body.Close()
		events := newSSEReader(response.Body)
		decode, payloads, more := d.decode, wholeCharacters(d.stream.events(events)), events.more
		if mediaType(response) == "application/json" {
			decode, payloads, more = d.whole, wholeBody(response.Body), nil
		}
		yield = complete(requestID(response.Header), more, yield)
		if yield(translate.Chunk{}, nil) && decodeStream(d.ended(payloads), decode, yield) {
			drain(response.Body, cancel)
		}
	})
}

// wholeBody yields a body as the only event of an answer.
func wholeBody(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		data, err := io.ReadAll(io.LimitReader(r, maxSSEEvent+1))
		switch {
		case err != nil:
			err = readError(err)
		case len(data) > maxSSEEvent:
			err = tooLong()
		}
		yield(rawjson.ReplaceLoneSurrogates(data), err)
	}
}
