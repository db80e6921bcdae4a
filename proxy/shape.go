package proxy

import "strings"

// ourSegments are the segments of the paths that are served, without those that clients
// choose.
var ourSegments = map[string]bool{
	"": true, "v1": true, "messages": true, "count_tokens": true, "batches": true, "complete": true, "models": true, "anthropic": true,
	"model": true, "invoke": true, "invoke-with-response-stream": true, "converse": true, "converse-stream": true, "count-tokens": true, "guardrail": true,
	"projects": true, "locations": true, "publishers": true,
	"chat": true, "completions": true, "responses": true, "files": true, "embeddings": true, "foundation-models": true, "inference-profiles": true,
	"healthz": true, "readyz": true, "metrics": true, "inspector": true, "explain": true,
}

// shapeOf returns the path of a URL as the log may have it: every segment that is none of
// ours is "*", and what follows the first ten as well.
func shapeOf(path string) string {
	const most = 10
	segments := strings.SplitN(path, "/", most+2)
	for i, s := range segments {
		if !ourSegments[s] {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}
