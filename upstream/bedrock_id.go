package upstream

import "strings"

// maxModelID is the longest id of a model, in bytes (docs/reference/bedrock.md §1).
const maxModelID = 2048

// modelIDBytes are the characters that ids, inference profiles and ARNs can have.
const modelIDBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/"

// checkModelID returns an [*Error] if id cannot be the id of a model. Clients may name a model themselves,
// and the id goes into the path of the request. An id with ".." or an empty segment could lead to another
// operation.
func checkModelID(id string) error {
	ok := len(id) <= maxModelID && strings.Trim(id, modelIDBytes) == "" && !strings.Contains(id, "..")
	for segment := range strings.SplitSeq(id, "/") {
		ok = ok && segment != "" && segment != "."
	}
	if !ok {
		return invalidRequest.error("model: not an id, inference profile or ARN of a model on Amazon Bedrock. Run `dragoman models` for the list")
	}
	return nil
}

// HidesProvider reports whether the id is an ARN that does not name the provider of the model, such as an
// application inference profile or provisioned throughput. If an id names a provider, a dot follows it
// ("anthropic.claude-3-haiku").
func HidesProvider(id string) bool {
	return strings.HasPrefix(id, "arn:") && !strings.Contains(id, ".")
}

// IsImported reports whether the id is the ARN of a model that was imported into Bedrock.
func IsImported(id string) bool {
	return strings.HasPrefix(id, "arn:") && strings.Contains(id, ":imported-model/")
}

// IsAlias reports whether Dragoman may have to look up an id before it asks the model: an ARN that does not
// name the provider, or an endpoint of Vertex AI that a user deployed.
func IsAlias(id string) bool { return HidesProvider(id) || isDeployed(id) }
