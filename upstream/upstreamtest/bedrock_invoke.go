package upstreamtest

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// bedrockVersion is the anthropic_version of a body.
const bedrockVersion = "bedrock-2023-05-31"

// readMessages reads the Anthropic Messages body for a model without tools
// (docs/reference/bedrock.md §2a).
func readMessages(data []byte) (*translate.Prompt, *malformed) {
	var request struct {
		messagesBody
		Version   string         `json:"anthropic_version"`
		Beta      []string       `json:"anthropic_beta"`
		Guardrail jsontext.Value `json:"amazon-bedrock-guardrailConfig"`
	}
	problem := decode(data, &request)
	if problem == nil && request.Version != bedrockVersion {
		problem = &malformed{text: "anthropic_version: only " + bedrockVersion + " is known"}
	}
	if problem != nil {
		return nil, problem
	}
	return request.prompt()
}

// checkNative checks the members that Bedrock requires in a Messages body, and those that it rejects
// (docs/reference/bedrock.md §2a).
func checkNative(model string, data []byte) *malformed {
	var request struct {
		Version string         `json:"anthropic_version"`
		Beta    []string       `json:"anthropic_beta"`
		Model   jsontext.Value `json:"model"`
		Stream  jsontext.Value `json:"stream"`
	}
	if err := json.Unmarshal(data, &request); err != nil {
		return &malformed{text: err.Error()}
	}
	newer := strings.Contains(model, "claude-opus-4-7") || strings.Contains(model, "claude-sonnet-5")
	switch {
	case request.Model != nil:
		return &malformed{key: "model"}
	case request.Stream != nil:
		return &malformed{key: "stream"}
	case request.Version != bedrockVersion && !(newer && request.Version == "2026-10-21"):
		return &malformed{text: "anthropic_version: " + request.Version + " is not known to this model"}
	}
	return nil
}
