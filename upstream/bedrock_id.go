package upstream

import "strings"

// maxModelID is how long the id of a model may be (docs/reference/bedrock.md §1).
const maxModelID = 2048

// modelIDBytes are what ids, inference profiles and ARNs are made of.
const modelIDBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/"

// checkModelID refuses what is no id and could lead a request elsewhere: clients
// may name a model themselves, and the id stands in the path.
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

// namesNobody reports whether the id is an ARN that does not name the provider of
// the model: that of an application inference profile, of provisioned throughput
// and the like. Where a provider is named, it stands before a dot.
func namesNobody(id string) bool {
	return strings.HasPrefix(id, "arn:") && !strings.Contains(id, ".")
}
