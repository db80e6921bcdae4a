package upstream

import "strings"

// maxModelID is how long the id of a model may be, in bytes (docs/reference/bedrock.md
// §1).
const maxModelID = 2048

// modelIDBytes are the characters of ids, inference profiles and ARNs.
const modelIDBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/"

// checkModelID returns an [*Error] for what cannot be the id of a model. Clients may
// name a model themselves, and the id stands in the path of the request: one with ".."
// or an empty segment could lead it to another operation.
func checkModelID(id string) error {
	ok := len(id) <= maxModelID && strings.Trim(id, modelIDBytes) == "" && !strings.Contains(id, "..")
	for segment := range strings.SplitSeq(id, "/") {
		ok = ok && segment != "" && segment != "."
	}
	if !ok {
		return invalidRequest.error("model: not an id, inference profile or ARN of a model on Amazon Bedrock")
	}
	return nil
}

// HidesProvider reports whether the id is an ARN that does not name the provider of the
// model: that of an application inference profile, of provisioned throughput and the
// like. Where a provider is named, a dot follows it ("anthropic.claude-3-haiku").
func HidesProvider(id string) bool {
	return strings.HasPrefix(id, "arn:") && !strings.Contains(id, ".")
}

// IsImported reports whether the id is the ARN of a model that was imported into Bedrock.
func IsImported(id string) bool {
	return strings.HasPrefix(id, "arn:") && strings.Contains(id, ":imported-model/")
}

// IsAlias reports whether an id may have to be resolved before the model is asked: an ARN that does not name the
// provider, or an endpoint of Vertex AI that a user deployed.
func IsAlias(id string) bool { return HidesProvider(id) || isDeployed(id) }
