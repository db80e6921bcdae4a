package upstream

import (
	"context"
	"errors"
	"iter"
	"net/http"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// Raw prompts, and chat completions, over InvokeModel (docs/reference/raw-prompts.md §1).

// prepareRaw returns the call that sends a raw prompt. Dragoman may not know which body an imported model
// takes. If the model then refuses the likely body, the call sends the other one.
func (b *Bedrock) prepareRaw(m Model, p *translate.Prompt) (*Call, error) {
	r, err := newRawPrompt(p)
	if err != nil {
		return nil, err
	}
	var other string
	m.Body, other = bodyOf(m)
	data, err := r.encodeBedrock(m)
	if err != nil {
		return nil, err
	}
	sent := &sentBody{data}
	ask := func(ctx context.Context, body *sentBody) iter.Seq2[translate.Chunk, error] {
		d := newCompletionDecoder(r)
		return watchRaw(r, b.invokeCompletion(ctx, m, body, answerReader{decode: d.decode, whole: d.whole, ended: d.ended}))
	}
	return &Call{
		Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
			chunks := ask(ctx, sent)
			if other == "" {
				return withConstraint(p, chunks)
			}
			return withConstraint(p, unlessRefused(chunks, func(refusal *Error) iter.Seq2[translate.Chunk, error] {
				again := m
				again.Body = other
				if told := formatsIn(refusal.Message); len(told) > 0 {
					again.Body = told.best()
				}
				if again.Body == BodyChat { // later requests use chat at once: see Resolve
					return b.chatInstead(ctx, again, p)
				}
				data, err := r.encodeBedrock(again)
				if err != nil {
					return failing(err)
				}
				return ask(ctx, &sentBody{data})
			}))
		},
		Show: func(ctx context.Context) (Request, error) { return b.show(ctx, m, WirePrompt, sent.data) },
	}, nil
}

// chatInstead sends chat completions to a model that refused a raw prompt.
func (b *Bedrock) chatInstead(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	call, err := b.prepareChat(m, p)
	if err != nil {
		return failing(err)
	}
	return call.Chunks(ctx)
}

// failing returns a sequence that yields only the error.
func failing(err error) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
}

// unlessRefused yields chunks. If the model refuses the body, it yields the chunks of another request. If the
// model refuses that body too, it yields the first refusal.
func unlessRefused(chunks iter.Seq2[translate.Chunk, error], again func(*Error) iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		var refusal *Error
		for c, err := range chunks {
			if errors.As(err, &refusal) && refusesBody(refusal) {
				break
			}
			refusal = nil
			if !yield(c, err) || err != nil {
				return
			}
		}
		if refusal == nil {
			return
		}
		for c, err := range again(refusal) {
			var second *Error
			if errors.As(err, &second) && refusesBody(second) {
				err = refusal
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// refusesBody reports whether an error may mean that the model does not know the body's members.
func refusesBody(e *Error) bool {
	return e.Status == http.StatusBadRequest && e.Overflow == nil && e.Refuses == 0 && e.MaxTokens == 0
}

// prepareChat returns the call that sends chat completions. Imported models with a chat template take them,
// and so do most open models of Bedrock itself.
func (b *Bedrock) prepareChat(m Model, p *translate.Prompt) (*Call, error) {
	send, watch := splitStops(p, m.Can, false)
	body, err := encodeChat(m, p, send, true)
	if err != nil {
		return nil, err
	}
	// The path names the model, and says whether to stream.
	body = rawjson.WithMembers(body, map[string]jsontext.Value{"model": nil, "stream": nil, "stream_options": nil})
	sent := &sentBody{body}
	return &Call{
		Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
			d := &chatDecoder{stops: send}
			return watchStops(p, watch, withoutEcho(p, withConstraint(p, b.invokeCompletion(ctx, m, sent, answerReader{decode: d.decode, whole: d.whole, ended: d.ended}))))
		},
		Show: func(ctx context.Context) (Request, error) { return b.show(ctx, m, WireChat, sent.data) },
	}, nil
}

// invokeCompletion sends a body and returns the sequence of the answer, streamed or in one piece.
func (b *Bedrock) invokeCompletion(ctx context.Context, m Model, body *sentBody, d answerReader) iter.Seq2[translate.Chunk, error] {
	if m.Can.Has(Streaming) {
		return invoke(ctx, b, m, body, d.ended, d.decode)
	}
	return newSequence(ctx, "", func(ctx context.Context, _ context.CancelFunc, yield func(translate.Chunk, error) bool) {
		out, err := b.invokeWhole(ctx, m, body.data)
		if err != nil {
			yield(translate.Chunk{}, bedrockError(err))
			return
		}
		id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
		whole := func(yield func([]byte, error) bool) { yield(rawjson.ReplaceLoneSurrogates(out.Body), nil) }
		decodeStream(d.ended(whole), d.whole, complete(id, nil, yield))
	})
}
