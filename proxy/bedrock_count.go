package proxy

import (
	"fmt"

	"dragoman/proxy/bedrock"
)

// bedrockCount is CountTokens of Bedrock (reference/bedrock.md §6): a request of
// InvokeModel or of Converse, packed.
var bedrockCount = func() dialect {
	d := bedrockConverse
	d.name = "bedrock_count"
	d.convert = bedrock.FromCountTokens
	d.tokenCount = func(dst []byte, tokens int) []byte { return fmt.Appendf(dst, `{"inputTokens":%d}`, tokens) }
	return d
}()
