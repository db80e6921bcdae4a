package upstream

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrock"
	"github.com/aws/aws-sdk-go-v2/service/bedrock/types"

	"dragoman/translate"
)

// What an ARN hides (docs/reference/raw-prompts.md §1.3). The control plane says it, if the account may ask. An
// imported model tells itself which bodies it takes.

// Resolve returns what Bedrock tells of the model behind an ARN that does not name it. The first call for an ARN waits
// until Bedrock has answered, or could not be asked; Bedrock is asked once.
func (b *Bedrock) Resolve(ctx context.Context, m Model) Resolved {
	if !HidesProvider(m.ID) || checkModelID(m.ID) != nil {
		return Resolved{}
	}
	return b.names.wait(ctx, m.ID, b.askModel)
}

// askModel asks Bedrock about an ARN.
func (b *Bedrock) askModel(ctx context.Context, arn string) (r Resolved, err error) {
	switch kind := kindOf(arn); kind {
	case "imported-model":
		return b.askImported(ctx, arn)
	case "custom-model-deployment":
		r.Model, err = b.askDeployment(ctx, arn)
	case "provisioned-model":
		out, failed := b.control.GetProvisionedModelThroughput(ctx, &bedrock.GetProvisionedModelThroughputInput{ProvisionedModelId: &arn})
		if err = failed; err == nil {
			r.Model = nameOf(out.FoundationModelArn)
		}
	case "application-inference-profile":
		out, failed := b.control.GetInferenceProfile(ctx, &bedrock.GetInferenceProfileInput{InferenceProfileIdentifier: &arn})
		if err = failed; err == nil && len(out.Models) > 0 {
			r.Model = nameOf(out.Models[0].ModelArn)
		}
	}
	return r, unlessTold(err)
}

// unlessTold returns nil for an error that will not be another one soon: the account may not ask.
func unlessTold(err error) error {
	if err == nil {
		return nil
	}
	var failed *Error
	if errors.As(bedrockError(err), &failed) && failed.Credentials == CredentialsRefused {
		return nil
	}
	return unlessAnswered(bedrockError(err))
}

// kindOf returns the kind of what an ARN names: "imported-model".
func kindOf(arn string) string {
	kind, _, _ := strings.Cut(arn[strings.LastIndexByte(arn, ':')+1:], "/")
	return kind
}

// nameOf returns the last part of an ARN, the id of a foundation model.
func nameOf(arn *string) string {
	s := aws.ToString(arn)
	return s[strings.LastIndexByte(s, '/')+1:]
}

// askDeployment returns the base model of a custom model that was deployed.
func (b *Bedrock) askDeployment(ctx context.Context, arn string) (string, error) {
	deployed, err := b.control.GetCustomModelDeployment(ctx, &bedrock.GetCustomModelDeploymentInput{CustomModelDeploymentIdentifier: &arn})
	if err != nil {
		return "", err
	}
	custom, err := b.control.GetCustomModel(ctx, &bedrock.GetCustomModelInput{ModelIdentifier: deployed.ModelArn})
	if err != nil {
		return "", err
	}
	return nameOf(custom.BaseModelArn), nil
}

// formatsSince is when imports began to have the formats of the probe; older ones keep the body of their base family.
var formatsSince = time.Date(2025, time.November, 11, 0, 0, 0, 0, time.UTC)

// askImported asks of which family an imported model is, and the model which bodies it takes.
func (b *Bedrock) askImported(ctx context.Context, arn string) (r Resolved, err error) {
	out, err := b.control.GetImportedModel(ctx, &bedrock.GetImportedModelInput{ModelIdentifier: &arn})
	if err == nil {
		r.Model = familyOfImport(out)
		if at := out.CreationTime; at != nil && at.Before(formatsSince) {
			r.Body = cmp.Or(baseBody(r.Model), BodyCompletions)
			return r, nil
		}
	}
	err = unlessTold(err)
	formats, failed := b.probe(ctx, arn)
	r.Body, r.Chat = formats.best(), slices.Contains(formats, BodyChat)
	if len(formats) > 0 { // older imports take no constraint
		r.Server = GuidedImport
	}
	if r.Chat && r.Model == gptOSS {
		r.Body = BodyChat
	}
	return r, cmp.Or(err, failed)
}

// gptOSS is the family whose answers can only be read where the server takes them apart: its turns have special tokens
// in them, which are erased from completions.
const gptOSS = "gpt-oss"

// familyOfImport returns the most telling text: the name of the model, or of its files, if its architecture agrees, and
// else the architecture. A name may be anything, and an architecture is that of several families.
func familyOfImport(m *bedrock.GetImportedModelOutput) string {
	architecture := aws.ToString(m.ModelArchitecture)
	if strings.Contains(lettersOf(architecture), lettersOf(gptOSS)) {
		return gptOSS
	}
	source := ""
	if s3, ok := m.ModelDataSource.(*types.ModelDataSourceMemberS3DataSource); ok {
		source = nameInPath(aws.ToString(s3.Value.S3Uri))
	}
	for _, name := range []string{aws.ToString(m.ModelName), source} {
		for _, stem := range []string{"llama", "mistral", "mixtral", "qwen"} {
			_, known := translate.ChatTemplateFor(name)
			if known && strings.Contains(lettersOf(architecture), stem) && strings.Contains(lettersOf(name), stem) {
				return name
			}
		}
	}
	return architecture
}

// lettersOf returns the letters of a text, in lower case.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// formats are bodies that an imported model takes.
type formats []string

// best returns the body to send: completions, which has stop sequences, before the others; "" for none.
func (f formats) best() string {
	for _, body := range []string{BodyCompletions, BodyLlama, BodyChat} {
		if slices.Contains(f, body) {
			return body
		}
	}
	return ""
}

// formatsIn returns the bodies that a refusal names: "Available for this model: ChatCompletionRequest,
// BedrockMetaCompletionRequest". It is nil if it names none.
func formatsIn(message string) (list formats) {
	_, names, _ := strings.Cut(message, "Available for this model:")
	for name := range strings.SplitSeq(names, ",") {
		switch {
		case strings.Contains(name, "Chat"):
			list = append(list, BodyChat)
		case strings.Contains(name, "Bedrock"):
			list = append(list, BodyLlama)
		case strings.Contains(name, "Completion"):
			list = append(list, BodyCompletions)
		}
	}
	return list
}

// probe asks an imported model which bodies it takes, with one that it refuses at once, at no cost. The error is that of
// a model that does not answer now.
func (b *Bedrock) probe(ctx context.Context, arn string) (formats, error) {
	_, err := b.invokeWhole(ctx, Model{ID: arn}, []byte("{}"))
	if err == nil {
		return nil, nil
	}
	refusal := bedrockError(err)
	return formatsIn(refusal.Message), unlessTold(refusal)
}
