package upstream

import (
	"slices"
	"strconv"
	"strings"
)

// usual is what is taken for granted where nothing is known. A model that
// refuses a part of it says so, once.
const usual = System | Streaming | StopSequences | Images | Documents | Sampling | TopK | Tools

// familyFeatures is what docs/reference/bedrock.md §9 knows of models beside Claude: the
// first entry counts whose name is in the id. Where the table is silent of stop
// sequences, a "no" costs little and a "yes" may cost an attempt.
var familyFeatures = []struct {
	name string
	can  Features
}{
	{"titan", Streaming | StopSequences | Sampling},
	{"nova-micro", usual&^Images&^Documents | Caching},
	{"nova", usual | Caching},
	{"jamba-instruct", System | Sampling},
	{"jamba", System | Streaming | StopSequences | Documents | Sampling},
	{"j2-", Sampling},
	{"command-r", System | Streaming | StopSequences | Documents | Sampling | TopK},
	{"cohere.command", Streaming | StopSequences | Sampling | TopK},
	{"deepseek", System | Streaming | Sampling},
	{"llama4", System | Streaming | StopSequences | Images | Documents | Sampling},
	{"llama3-2-11b", System | Streaming | StopSequences | Images | Documents | Sampling},
	{"llama3-2-90b", System | Streaming | StopSequences | Images | Documents | Sampling},
	{"llama", System | Streaming | StopSequences | Documents | Sampling},
	{"mistral-7b", Streaming | StopSequences | Documents | Sampling | TopK},
	{"mixtral-8x7b", Streaming | StopSequences | Documents | Sampling | TopK},
	{"pixtral", usual},
	{"mistral", usual &^ Images},
	{"palmyra", System | Streaming | StopSequences | Documents | Sampling},
	{"gpt-oss", System | Streaming | Sampling},
	{"qwen3-vl", System | Streaming | Images | Sampling},
	{"qwen", System | Streaming | Sampling},
	{"gemma", System | Streaming | StopSequences | Images | Sampling},
	{"nemotron", System | Streaming | StopSequences | Sampling},
	{"kimi", System | Streaming | Sampling},
	{"minimax", System | Streaming | Sampling},
}

// FeaturesOf tells from a model id what the model can be asked. The id may be
// that of any vendor ("us.anthropic.claude-3-5-sonnet-20241022-v2:0",
// "claude-sonnet-4@20250514", "meta/llama-3.3-70b-instruct-maas") or hold
// wildcards; what a wildcard leaves open is not promised.
func FeaturesOf(id string) Features {
	id = strings.ToLower(id)
	if strings.Contains(id, "claude") {
		return claude(id)
	}
	joined := strings.ReplaceAll(strings.ReplaceAll(id, "llama-", "llama"), ".", "-")
	for _, f := range familyFeatures {
		if strings.Contains(id, f.name) || strings.Contains(joined, f.name) {
			return f.can
		}
	}
	return usual
}

// ChatFeaturesOf tells what a model can be asked over chat completions: its server
// stands between, and does what the family cannot. Whether it can read a document
// is for the user to say.
func ChatFeaturesOf(id string) Features {
	if id = strings.ToLower(id); strings.Contains(id, "claude") {
		return claude(id) &^ Documents &^ Caching &^ Tools
	}
	return usual &^ Documents &^ Tools
}

// claude tells what the versions of Claude can be asked (docs/reference/wire.md §8):
// up to 4.5 they go on with an assistant turn, up to 4.6 they take sampling
// parameters, from 3.7 on their prompts can be cached.
func claude(id string) Features {
	can := usual
	v, known := claudeVersion(id)
	if known && v <= 405 {
		can |= Prefill
	}
	if known && v < 300 {
		can &^= Images | Documents | Tools
	}
	if v > 406 || !known && !strings.Contains(id, "*") {
		can &^= Sampling | TopK
	}
	if known && v >= 307 && v%100 != openMinor || strings.Contains(id, "3-5-haiku") || strings.Contains(id, "3-5-sonnet-20241022") {
		can |= Caching
	}
	return can
}

// openMinor stands for a minor version that a wildcard leaves open.
const openMinor = 99

// claudeVersion returns 405 for version 4.5. It is false if the id does not tell
// the major version.
func claudeVersion(id string) (int, bool) {
	_, rest, _ := strings.Cut(id, "claude-")
	words := strings.FieldsFunc(strings.ReplaceAll(rest, "*", "-*-"), func(c rune) bool {
		return strings.ContainsRune("-.:@_/", c)
	})
	if slices.Index(words, "instant") == 0 {
		return 100, true
	}
	for i, word := range words {
		if word == "*" {
			return 0, false
		}
		if major, ok := shortNumber(word); ok {
			return major*100 + minor(words[i+1:]), true
		}
	}
	return 0, false
}

// minor reads the minor version off the words behind the major one.
func minor(words []string) int {
	if len(words) == 0 {
		return 0
	}
	if words[0] == "*" {
		return openMinor
	}
	n, ok := shortNumber(words[0])
	if !ok || strings.HasPrefix(words[0], "v") {
		return 0 // a date, or the version of a release
	}
	return n
}

// shortNumber reads a number of a version, which is short where a date is not.
func shortNumber(word string) (int, bool) {
	word = strings.TrimPrefix(word, "v")
	n, err := strconv.Atoi(word)
	return n, err == nil && len(word) <= 2
}

// MaxTokensOf tells from a model id how many tokens the model's answers have at most,
// 0 if that is not known: 4,096 up to Claude 3, 8,192 for Claude 3.5 (docs/reference/bedrock.md
// §2b, wire.md §8). Later ones, and other families, say so themselves.
func MaxTokensOf(id string) int {
	v, known := 0, false
	if id = strings.ToLower(id); strings.Contains(id, "claude") {
		v, known = claudeVersion(id)
	}
	switch {
	case !known:
		return 0
	case v <= 300:
		return 4096
	case v == 305:
		return 8192
	}
	return 0
}

// isClaude reports whether the id is that of a Claude.
func isClaude(id string) bool {
	id = strings.ToLower(id)
	return strings.Contains(id, "claude") || strings.Contains(id, "anthropic")
}
