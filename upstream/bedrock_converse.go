package upstream

import (
	"context"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// BedrockConverse asks models with ConverseStream, whose body is the same for all
// families (docs/reference/bedrock.md §5), or with Converse where the model cannot
// stream: then the text comes in one chunk.
//
// A prompt with an image or a document that the model, or Converse, cannot be shown is
// an [*Error], and nothing is sent.
type BedrockConverse struct {
	bedrock *Bedrock
}

// Converse returns the upstream that asks over Converse with the client of b.
func (b *Bedrock) Converse() *BedrockConverse { return &BedrockConverse{b} }

// Invoke sends the prompt to the model with this id, inference profile or ARN and
// returns its answer.
func (b *BedrockConverse) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	// Only a Claude tells which sequence it met: see encodeConverse.
	send, watch := splitStops(p, m.Can, isClaude(m.ID))
	return watchStops(watch, invokeBedrock(ctx, b.bedrock, m, func() (bedrockRequest[translate.Chunk], error) { return b.request(m, p, send) }))
}

// request returns the request for a prompt with these stop sequences.
func (b *BedrockConverse) request(m Model, p *translate.Prompt, stops []string) (bedrockRequest[translate.Chunk], error) {
	data, err := encodeConverse(m, p, stops)
	d := &converseDecoder{stops: stops}
	if m.Can.Has(Streaming) {
		return bedrockRequest[translate.Chunk]{data, converseStream, d.readStream}, err
	}
	return bedrockRequest[translate.Chunk]{data, converseWhole, d.readWhole}, err
}

// Request returns what Invoke would send.
func (b *BedrockConverse) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	send, _ := splitStops(p, m.Can, isClaude(m.ID))
	request, err := b.request(m, p, send)
	return showBedrock(ctx, b.bedrock, m, wireConverse, request, err)
}

// converseStream is the operation whose answer is an event stream.
var converseStream = &operation{
	name: "ConverseStream",
	rehearse: func(ctx context.Context, client *bedrockruntime.Client, model *string, options func(*bedrockruntime.Options)) error {
		_, err := client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: model}, options)
		return err
	},
}

// converseWhole is the operation whose answer comes in one piece.
var converseWhole = &operation{
	name: "Converse",
	rehearse: func(ctx context.Context, client *bedrockruntime.Client, model *string, options func(*bedrockruntime.Options)) error {
		_, err := client.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: model}, options)
		return err
	},
}

// Keeps reports whether answers pass the guardrail. Converse has no tag suffix.
func (b *BedrockConverse) Keeps(_ Model, g Guardrail) bool { return g.TagSuffix == "" }

// Count returns how many tokens the prompt has; see [Bedrock.Count].
func (b *BedrockConverse) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := encodeConverse(m, p, nil)
	if err != nil {
		return 0, err
	}
	body = rawjson.WithMembers(body, map[string]jsontext.Value{"inferenceConfig": nil})
	return b.bedrock.count(ctx, m, asJSON(map[string]any{"converse": jsontext.Value(body)}))
}
