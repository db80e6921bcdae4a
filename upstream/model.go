package upstream

import (
	"slices"
	"strings"
)

// Model is a model of an upstream.
type Model struct {
	ID  string   // that the upstream knows
	Can Features // what may be asked of it
}

// Features is a set of what some models can be asked and others refuse.
type Features uint16

// The features.
const (
	Prefill       Features = 1 << iota // goes on with a last assistant turn
	System                             // a system prompt; without it, it stands in front of the first user turn
	Streaming                          // an answer in pieces; without it, it comes whole
	StopSequences                      // ends before a text; without it, we find the text and leave
	Images
	Documents
	Sampling // temperature and top_p
	TopK     // top_k
	Caching  // a cache point behind the tool preamble
	Tools    // tools in an API of its own
)

// featureNames are the keys of the configuration, by the bit of the feature.
var featureNames = []string{"prefill", "system", "streaming", "stop_sequences", "images", "documents", "sampling", "top_k", "caching", "tools"}

// Has reports whether all features of the set g are in f.
func (f Features) Has(g Features) bool { return f&g == g }

// String returns the names of the features, with commas.
func (f Features) String() string {
	var names []string
	for i, name := range featureNames {
		if f.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// FeatureNames returns the names of all features, as in the configuration.
func FeatureNames() []string { return slices.Clone(featureNames) }

// FeatureOf returns the feature of this name, 0 if there is none.
func FeatureOf(name string) Features {
	if i := slices.Index(featureNames, name); i >= 0 {
		return 1 << i
	}
	return 0
}

// Override says which features a model has, or has not, whatever its family.
type Override struct{ With, Without Features }

// Apply returns f, overridden.
func (o Override) Apply(f Features) Features { return (f | o.With) &^ o.Without }

// refusals are texts by which servers refuse a feature (reference/bedrock.md §9,
// reference/wire.md §8; for chat completions, reports of users), compared without regard to case.
var refusals = []struct {
	text    string
	feature Features
}{
	{"doesn't support tool use", Tools},
	{"does not support tools", Tools},
	{"extraneous key [tools]", Tools},
	{"tools: extra inputs are not permitted", Tools},
	{"doesn't support system messages", System},
	{"doesn't support the stopsequences field", StopSequences},
	{"doesn't support streaming", Streaming},
	{"unsupported for streaming", Streaming},
	{"doesn't support the image", Images}, // reported
	{"doesn't support documents", Documents},
	{"doesn't support the document", Documents},
	{"does not support assistant message prefill", Prefill},
	{"extraneous key [cache_control]", Caching},
	{"extraneous key [temperature]", Sampling},
	{"extraneous key [top_p]", Sampling},
	{"extraneous key [top_k]", TopK},
	{"`temperature` is deprecated", Sampling},
	{"`top_p` is deprecated", Sampling},
	{"`top_k` is deprecated", TopK},
	// Chat templates of Gemma and Mistral; our turns alternate, so that it is the
	// system message that does not fit.
	{"system role not supported", System},
	{"only user and assistant roles are supported", System},
	{"conversation roles must alternate user/assistant", System},
	// OpenAI.
	{"'messages[0].role' does not support 'system'", System},
	{"'stop' is not supported with this model", StopSequences},
	{"'temperature' is not supported with this model", Sampling},
	{"'temperature' does not support", Sampling},
	{"'top_p' is not supported with this model", Sampling},
	{"argument supplied: top_k", TopK},
	// Google, llama.cpp, and vLLM with others that name the key.
	{"does not support the stopsequences parameter", StopSequences},
	{"assistant response prefill is incompatible", Prefill},
	{"continue_final_message", Prefill},
}

// featureRefused returns the feature that a server refuses with this message, 0 if it
// refuses something else.
func featureRefused(message string) Features {
	message = strings.ToLower(strings.ReplaceAll(message, "’", "'"))
	for _, r := range refusals {
		if strings.Contains(message, r.text) {
			return r.feature
		}
	}
	return 0
}
