package upstream

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// CountTokens of Bedrock (docs/reference/bedrock.md §6), which counts the body of
// another operation.

// countBody returns how many tokens a body of InvokeModel has. err is that of writing
// the body, and is returned. The model has to be one that takes the body, and the body
// one that the model takes: a request that only counts has no max_tokens, so it gets the
// least there is.
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

// count returns how many tokens an input has: an object with the body of one operation.
func (b *Bedrock) count(ctx context.Context, m Model, input jsontext.Value) (int, error) {
	if err := checkModelID(m.ID); err != nil {
		return 0, err
	}
	call := &sdkCall{request: asJSON(map[string]any{"input": input})}
	// What the SDK checks is in the place of the body that it sends.
	out, err := b.client.CountTokens(ctx, &bedrockruntime.CountTokensInput{
		ModelId: &m.ID,
		Input:   &types.CountTokensInputMemberInvokeModel{Value: types.InvokeModelTokensRequest{Body: []byte("{}")}},
	}, call.replaceBody, func(o *bedrockruntime.Options) { o.HTTPClient = boundedClient{o.HTTPClient} })
	if err != nil {
		return 0, bedrockError(err)
	}
	return int(aws.ToInt32(out.InputTokens)), nil
}
