package upstream

import (
	"slices"
	"strconv"
	"strings"
)

// What is known of a model by its id alone: the features of its family, and the length
// of its answers. A model that is not known is taken for one that can do what most can;
// if it refuses a feature, the request is sent again without it.

// usual are the features of a model of which nothing is known. A feature that is wrongly
// here costs one attempt, one that is wrongly missing costs the feature.
const usual = System | Streaming | StopSequences | Images | Documents | Sampling | TopK | Tools

// family is a family of models: a part of their ids, and what they can be asked.
type family struct {
	name string
	can  Features
}

// familyFeatures is what docs/reference/bedrock.md §9 knows of models beside Claude, by
// a part of the id: the first entry whose name is in the id counts. Where the table does
// not mention stop sequences, they are taken to be missing: to look for them here costs
// little.
var familyFeatures = []family{
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

// FeaturesOf returns what a model can be asked, as its id tells. The id may be that of
// any vendor ("us.anthropic.claude-3-5-sonnet-20241022-v2:0",
// "claude-sonnet-4@20250514", "meta/llama-3.3-70b-instruct-maas") or hold wildcards; a
// feature that only some of the models of a wildcard have is not in the set.
func FeaturesOf(id string) Features {
	id = strings.ToLower(id)
	if strings.Contains(id, "claude") {
		return claude(id)
	}
	if f := familyOf(id); f != nil {
		return f.can
	}
	return usual
}

// FamilyOf returns the family by which the features of a model are known, as the table above names it:
// "claude", "nova", "mistral"; "" if its id tells none.
func FamilyOf(id string) string {
	id = strings.ToLower(id)
	if strings.Contains(id, "claude") {
		return "claude"
	}
	if f := familyOf(id); f != nil {
		return strings.Trim(f.name, "-")
	}
	return ""
}

// familyOf returns the entry of a model, whose id is in lower case; nil if there is none.
func familyOf(id string) *family {
	joined := strings.ReplaceAll(strings.ReplaceAll(id, "llama-", "llama"), ".", "-")
	for i, f := range familyFeatures {
		if strings.Contains(id, f.name) || strings.Contains(joined, f.name) {
			return &familyFeatures[i]
		}
	}
	return nil
}

// ChatFeaturesOf returns what a model can be asked over chat completions. The server
// stands between, and does what the family cannot. Whether it reads documents is for the
// configuration to say.
func ChatFeaturesOf(id string) Features {
	if id = strings.ToLower(id); strings.Contains(id, "claude") {
		return claude(id) &^ Documents &^ Caching
	}
	return usual &^ Documents
}

// RawFeatures are what any model can be asked with a raw prompt. Images have no place in it.
const RawFeatures = usual&^Images&^Documents&^Tools | Prefill

// claude returns what a Claude can be asked (docs/reference/wire.md §8): up to version
// 4.5 they go on with an assistant turn, up to 4.6 they take sampling parameters, and
// from 3.7 on their prompts can be cached.
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

// openMinor is the minor version that stands for one that a wildcard leaves open.
const openMinor = 99

// claudeVersion returns the version of a Claude, 405 for 4.5. It is false if the id does
// not tell the major version.
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

// minor returns the minor version, which the words after the major one begin with if
// there is one.
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

// shortNumber reads a number of a version: one or two digits, perhaps after a v. A date
// is longer.
func shortNumber(word string) (int, bool) {
	word = strings.TrimPrefix(word, "v")
	n, err := strconv.Atoi(word)
	return n, err == nil && len(word) <= 2
}

// MaxTokensOf returns how many tokens the answers of a model have at most, as its id
// tells; 0 if that is not known: 4,096 up to Claude 3, 8,192 for Claude 3.5
// (docs/reference/bedrock.md §2b, docs/reference/wire.md §8). Later models, and other
// families, say so when they are asked for more.
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

// IsEarlyClaude reports whether the id is that of a Claude of the time of the legacy format, which was
// documented for those up to version 3 (docs/reference/legacy-format.md §1).
func IsEarlyClaude(id string) bool {
	id = strings.ToLower(id)
	v, known := claudeVersion(id)
	return strings.Contains(id, "claude") && known && v < 400
}

// IsClaude reports whether the id is that of a Claude.
func IsClaude(id string) bool {
	id = strings.ToLower(id)
	return strings.Contains(id, "claude") || strings.Contains(id, "anthropic")
}
