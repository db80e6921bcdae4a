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

// Looking up the model behind an ARN (docs/reference/raw-prompts.md §1.3). The control plane tells it, if the
// account has the permission. An imported model itself tells which bodies it takes.

// Resolve returns what Bedrock tells about the model behind an ARN that does not name it. The first call for
// an ARN waits until Bedrock has answered or failed. Bedrock is asked once.
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

// unlessTold returns nil if asking again soon would not help, such as when the account lacks the permission.
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

// kindOf returns the kind of resource that an ARN names: "imported-model".
func kindOf(arn string) string {
	kind, _, _ := strings.Cut(arn[strings.LastIndexByte(arn, ':')+1:], "/")
	return kind
}

// nameOf returns the last part of an ARN, the id of a foundation model.
func nameOf(arn *string) string {
	s := aws.ToString(arn)
	return s[strings.LastIndexByte(s, '/')+1:]
}

// askDeployment returns the base model of a deployed custom model.
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

// formatsSince is when imported models began to have several formats. Older ones keep the body of their base
// family.
var formatsSince = time.Date(2025, time.November, 11, 0, 0, 0, 0, time.UTC)

// askImported asks Bedrock for the family of an imported model, and asks the model for the bodies that it
// takes.
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
	if len(formats) > 0 { // older imported models take no constraint
		r.Server = GuidedImport
	}
	if r.Chat && r.Model == gptOSS {
		r.Body = BodyChat
	}
	return r, cmp.Or(err, failed)
}

// gptOSS is the family that Dragoman reads only through chat completions, where the server splits the answer
// into its parts. Its turns contain special tokens, which completions lose.
const gptOSS = "gpt-oss"

// familyOfImport returns the text that tells the most about a family: the name of the model or of its files
// if the architecture agrees, otherwise the architecture. A name can be anything, and several families share
// an architecture.
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

// formats are the bodies that an imported model takes.
type formats []string

// best returns the body to send, or "" for none. Completions come first because they have stop sequences.
func (f formats) best() string {
	for _, body := range []string{BodyCompletions, BodyLlama, BodyChat} {
		if slices.Contains(f, body) {
			return body
		}
	}
	return ""
}

// formatsIn returns the bodies that a refusal names, such as "Available for this model:
// ChatCompletionRequest, BedrockMetaCompletionRequest". It returns nil if the refusal names no body.
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

// probe asks an imported model which bodies it takes. It sends a body that every model rejects immediately,
// which costs nothing. The error says that the model does not answer now.
func (b *Bedrock) probe(ctx context.Context, arn string) (formats, error) {
	_, err := b.invokeWhole(ctx, Model{ID: arn}, []byte("{}"))
	if err == nil {
		return nil, nil
	}
	refusal := bedrockError(err)
	return formatsIn(refusal.Message), unlessTold(refusal)
}
