package upstream

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// Count returns how many tokens the prompt has (reference/bedrock.md §6), over the
// wire that Invoke takes. Few models can be asked; an [*Error] is no verdict on the
// prompt.
func (b *Bedrock) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	if b.speaksMessages(m) {
		return b.Messages().Count(ctx, m, p)
	}
	return b.Converse().Count(ctx, m, p)
}

// CountNative is that of [Bedrock.Messages].
func (b *Bedrock) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	return b.Messages().CountNative(ctx, m, n)
}

// Count returns how many tokens the prompt has; see [Bedrock.Count].
func (b *BedrockMessages) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := messagesBody{AnthropicVersion: bedrockVersion}.encode(p)
	return b.bedrock.countBody(ctx, m, body, err)
}

// CountNative returns how many tokens the request of a client has.
func (b *BedrockMessages) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	return b.bedrock.countBody(ctx, m, encodeBedrock(m, n), nil)
}

// Count returns how many tokens the prompt has; see [Bedrock.Count].
func (b *BedrockText) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := encodeText(p)
	return b.bedrock.countBody(ctx, m, body, err)
}

// Count returns how many tokens the prompt has; see [Bedrock.Count].
func (b *BedrockConverse) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := encodeConverse(m, p, nil)
	if err != nil {
		return 0, err
	}
	body = rawjson.WithMembers(body, map[string]jsontext.Value{"inferenceConfig": nil})
	return b.bedrock.count(ctx, m, asJSON(map[string]any{"converse": jsontext.Value(body)}))
}

// countBody counts the tokens of a body in the model's own form, which has to be
// one that the model would take: with a length of its answer.
func (b *Bedrock) countBody(ctx context.Context, m Model, body []byte, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	var asked struct {
		Prompt    jsontext.Value `json:"prompt"`
		MaxTokens int            `json:"max_tokens"`
	}
	if json.Unmarshal(body, &asked, lenient) == nil && asked.Prompt == nil && asked.MaxTokens == 0 {
		body = rawjson.WithMembers(body, map[string]jsontext.Value{"max_tokens": jsontext.Value("1")})
	}
	return b.count(ctx, m, asJSON(map[string]any{"invokeModel": map[string][]byte{"body": body}}))
}

// count asks for the tokens of an input.
func (b *Bedrock) count(ctx context.Context, m Model, input jsontext.Value) (int, error) {
	if err := checkModelID(m.ID); err != nil {
		return 0, err
	}
	x := &exchange{request: asJSON(map[string]any{"input": input})}
	// What the SDK checks is in the place of the body that it sends.
	out, err := b.client.CountTokens(ctx, &bedrockruntime.CountTokensInput{
		ModelId: &m.ID,
		Input:   &types.CountTokensInputMemberInvokeModel{Value: types.InvokeModelTokensRequest{Body: []byte("{}")}},
	}, x.replaceBody, func(o *bedrockruntime.Options) { o.HTTPClient = bounded{o.HTTPClient} })
	if err != nil {
		return 0, bedrockError(err)
	}
	return int(aws.ToInt32(out.InputTokens)), nil
}
