package clients

import (
	"slices"
	"testing"

	"dragoman/conformance"
)

// importing are the clients that users of imported models have, by name and API. Bedrock itself offers no
// tools for imported models.
var importing = []string{
	"Anthropic Python Messages", "Anthropic Python Bedrock", "AWS SDK for Go InvokeModel", "AWS SDK for Go Converse",
	"boto3 InvokeModel", "boto3 Converse", "LangChain AWS Converse", "Strands Messages", "Strands Converse",
}

// TestImported makes clients ask for an imported model by its ARN.
func TestImported(t *testing.T) {
	for i, c := range clients {
		name := c.name + " " + c.api
		if !slices.Contains(importing, name) || older(i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if isMore(i) && !*runMore {
				t.Skip("only with -more")
			}
			t.Parallel()
			conformance.Imported(t, c.inItsLanguage(t))
		})
	}
}
