package upstream

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// CountTokens of Bedrock (docs/reference/bedrock.md §6), which counts the body of
// another operation.

// countInvoke returns how many tokens a body of InvokeModel has. If err, the error of
// writing the body, is not nil, it is returned. Bedrock checks the body as one to be
// answered: one of the Messages API that has no max_tokens gets the least there is.
func (b *Bedrock) countInvoke(ctx context.Context, m Model, body []byte, err error) (int, error) {
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
	call, err := b.open(ctx, m, countTokens, asJSON(map[string]any{"input": input}))
	if err != nil {
		return 0, err
	}
	defer call.answer.Close()
	return readCount(call.answer, "inputTokens")
}

// countTokens is the operation that counts.
var countTokens = &operation{
	name: "CountTokens",
	rehearse: func(ctx context.Context, client *bedrockruntime.Client, model *string, options func(*bedrockruntime.Options)) error {
		_, err := client.CountTokens(ctx, &bedrockruntime.CountTokensInput{
			ModelId: model,
			Input:   &types.CountTokensInputMemberInvokeModel{Value: types.InvokeModelTokensRequest{Body: []byte("{}")}},
		}, options)
		return err
	},
}
