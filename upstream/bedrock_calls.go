package upstream

import (
	"context"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// unchanged is the [chunkFilter] that leaves the events unchanged.
func unchanged(events iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] { return events }

// Prepare returns the call that sends a prompt to the model with this id, inference profile or ARN
// (docs/reference/bedrock.md §2, §5).
func (b *Bedrock) Prepare(m Model, p *translate.Prompt) (*Call, error) {
	if err := checkModelID(m.ID); err != nil {
		return nil, err
	}
	m.Kind = KindBedrock
	switch m.wire() {
	case WireText:
		body, err := encodeText(p)
		if err != nil {
			return nil, err
		}
		sent := &sentBody{body}
		c := b.invokeCall(m, WireText, sent)
		c.Chunks = func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
			return invoke(ctx, b, m, sent, unchanged, newTextDecoder(p).decode)
		}
		return c, nil
	case WireConverse:
		return b.prepareConverse(m, p)
	case WirePrompt:
		return b.prepareRaw(m, p)
	case WireChat:
		return b.prepareChat(m, p)
	}
	body, err := messagesBody{AnthropicVersion: messages.VersionBedrock, cache: m.Can.Has(Caching)}.encode(p)
	if err != nil {
		return nil, err
	}
	sent := &sentBody{body}
	c := b.invokeCall(m, WireMessages, sent)
	c.Chunks = func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
		return invoke(ctx, b, m, sent, withIntervention, newMessagesDecoder(p).decode)
	}
	return c, nil
}

// invokeCall returns a call with a body for InvokeModel. The caller adds Chunks or Events.
func (b *Bedrock) invokeCall(m Model, wire string, body *sentBody) *Call {
	return &Call{
		Show:  func(ctx context.Context) (Request, error) { return b.show(ctx, m, wire, body.data) },
		Count: func(ctx context.Context) (int, error) { return b.count(ctx, m, withMaxTokens(body.data)) },
	}
}

func (b *Bedrock) prepareConverse(m Model, p *translate.Prompt) (*Call, error) {
	// Only Claude tells which sequence it stopped at: see encodeConverse.
	send, watch := splitStops(p, m.Can, IsClaude(m.ID))
	body, err := encodeConverse(m, p, send)
	if err != nil {
		return nil, err
	}
	sent := &sentBody{body}
	return &Call{
		Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
			return watchStops(p, watch, b.converse(ctx, m, sent, &converseDecoder{stops: send}))
		},
		Show: func(ctx context.Context) (Request, error) { return b.show(ctx, m, WireConverse, sent.data) },
		Count: func(ctx context.Context) (int, error) {
			counted := rawjson.WithMembers(sent.data, map[string]jsontext.Value{
				"inferenceConfig": nil, "additionalModelRequestFields": nil, "additionalModelResponseFieldPaths": nil, "guardrailConfig": nil,
			})
			return b.count(ctx, m, []byte("{}"), sending(asJSON(map[string]any{"input": map[string]any{"converse": jsontext.Value(counted)}})))
		},
	}, nil
}

// PrepareNative returns the call that passes a client's request to a model with a tool API of its own.
// Bedrock wants the version and the betas in the body, not in headers (docs/reference/bedrock.md §2a). All
// models take bedrock-2023-05-31; Claude 4.7 and later also take 2026-10-21.
func (b *Bedrock) PrepareNative(m Model, n Native) (*Call, error) {
	if err := checkModelID(m.ID); err != nil {
		return nil, err
	}
	version := messages.VersionBedrock
	if v, known := claudeVersion(strings.ToLower(m.ID)); n.isNew() && IsClaude(m.ID) && (!known || v >= 407) {
		version = messages.Version20261021
	}
	members := map[string]jsontext.Value{memberVersion: asJSON(version)}
	if betas := n.betas(); len(betas) > 0 {
		members[memberBetas] = asJSON(betas)
	}
	body := n.encode(members)
	sent := &sentBody{body}
	c := b.invokeCall(m, WireMessages, sent)
	c.Events = func(ctx context.Context) iter.Seq2[messages.Event, error] {
		return invoke(ctx, b, m, sent, withIntervention, new(nativeDecoder).decode)
	}
	return c, nil
}
