package proxy

import (
	"fmt"

	"dragoman/proxy/bedrock"
)

// bedrockCount is CountTokens of Bedrock, for a request of InvokeModel or of Converse
// (docs/reference/bedrock.md §6).
var bedrockCount = func() dialect {
	d := bedrockConverse
	d.name = "bedrock_count"
	d.convert = bedrock.FromCountTokens
	d.appendTokenCount = func(dst []byte, tokens int) []byte { return fmt.Appendf(dst, `{"inputTokens":%d}`, tokens) }
	return d
}()
