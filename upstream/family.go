package upstream

import (
	"slices"
	"strconv"
	"strings"
)

// Features and limits that follow from a model's id alone. For an unknown model, Dragoman assumes the
// features that most models have. If the model rejects a feature, Dragoman sends the request again without
// it.

// usual are the features of an unknown model. A feature that the model lacks costs one attempt. A feature
// that is missing here is never used.
const usual = System | Streaming | StopSequences | Images | Documents | Sampling | TopK | Tools

// family is a family of models: a part of their ids, and their features.
type family struct {
	name string
	can  Features
}

// familyFeatures lists the families from docs/reference/bedrock.md §9, except Claude. The first entry whose
// name is in the id counts. If that page does not mention stop sequences, the family counts as having none:
// looking for them in Dragoman costs little.
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

// FeaturesOf returns the features of a model by its id. The id may be any vendor's
// ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-sonnet-4@20250514",
// "meta/llama-3.3-70b-instruct-maas"). It may contain wildcards. The set then has only the features that all
// matching models have.
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

// FamilyOf returns the family of an id, as the table above names it: "claude", "nova", "mistral". It returns
// "" for an unknown family.
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

// familyOf returns the entry for an id in lower case, or nil.
func familyOf(id string) *family {
	joined := strings.ReplaceAll(strings.ReplaceAll(id, "llama-", "llama"), ".", "-")
	for i, f := range familyFeatures {
		if strings.Contains(id, f.name) || strings.Contains(joined, f.name) {
			return &familyFeatures[i]
		}
	}
	return nil
}

// ChatFeaturesOf returns the features of a model over chat completions. The server adds what the model's
// family lacks, so the family does not matter. Only the configuration can say that the server reads
// documents.
func ChatFeaturesOf(id string) Features {
	if id = strings.ToLower(id); strings.Contains(id, "claude") {
		return claude(id) &^ Documents &^ Caching
	}
	return usual &^ Documents
}

// mistrals are parts of the names of Mistral's models.
var mistrals = []string{"mistral", "mixtral", "codestral", "devstral", "ministral", "magistral", "pixtral"}

func isMistral(id string) bool {
	id = strings.ToLower(id)
	return slices.ContainsFunc(mistrals, func(name string) bool { return strings.Contains(id, name) })
}

// LacksOf returns the [BodyMembers] that a model refuses, as far as its id or its family tells.
func LacksOf(id string) Features {
	if isMistral(id) {
		return UserAfterTool
	}
	return 0
}

// RawFeatures are the features of every model with a raw prompt. A raw prompt cannot contain images.
const RawFeatures = usual&^Images&^Documents&^Tools | Prefill

// claude returns the features of Claude (docs/reference/wire.md §8). Versions up to 4.5 continue an assistant
// turn, and versions up to 4.6 take sampling parameters. Prompt caching starts with version 3.7.
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

// openMinor replaces a minor version that a wildcard leaves open.
const openMinor = 99

// claudeVersion returns the version of a Claude: 405 for 4.5. It returns false if the id has no major
// version.
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

// minor returns the minor version: the first of the words after the major version, if it is one.
func minor(words []string) int {
	if len(words) == 0 {
		return 0
	}
	if words[0] == "*" {
		return openMinor
	}
	n, ok := shortNumber(words[0])
	if !ok || strings.HasPrefix(words[0], "v") {
		return 0 // a date, or a release version
	}
	return n
}

// shortNumber parses a number of one or two digits, with an optional v before it. A date is longer.
func shortNumber(word string) (int, bool) {
	word = strings.TrimPrefix(word, "v")
	n, err := strconv.Atoi(word)
	return n, err == nil && len(word) <= 2
}

// MaxTokensOf returns the output limit of a model by its id, or 0 for an unknown limit: 4,096 up to Claude 3,
// 8,192 for Claude 3.5 (docs/reference/bedrock.md §2b, docs/reference/wire.md §8). Later models and other
// families report their limit when a request asks for more.
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

// IsEarlyClaude reports whether the id is a Claude up to version 3. The legacy format was documented for
// these versions (docs/reference/legacy-format.md §1).
func IsEarlyClaude(id string) bool {
	id = strings.ToLower(id)
	v, known := claudeVersion(id)
	return strings.Contains(id, "claude") && known && v < 400
}

// IsClaude reports whether the id is a Claude.
func IsClaude(id string) bool {
	id = strings.ToLower(id)
	return strings.Contains(id, "claude") || strings.Contains(id, "anthropic")
}
