package upstream

import (
	"slices"
	"strings"
)

// Model is a model of an upstream.
type Model struct {
	ID        string   // that the upstream knows
	Can       Features // what may be asked of it
	MaxTokens int      // the most that an answer can have; 0 if that is not known
	// Guardrail is what the answer has to pass; nil for none. It is for an upstream
	// that keeps it.
	Guardrail *Guardrail
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

// refusals are how the messages begin by which servers refuse a feature
// (reference/bedrock.md §9, reference/wire.md §8; for chat completions, reports of
// users), compared without regard to case. What a server quotes of a request stands
// behind the beginning: no client can have it say these words. What leaves nothing
// to ask, such as an image in a prompt that has one, is not here.
var refusals = []struct {
	text    string
	feature Features
}{
	{"this model doesn't support tool use", Tools},
	{"malformed input request: #: extraneous key [tools]", Tools},
	{"tools: extra inputs are not permitted", Tools},
	{"this model does not support tools", Tools},
	{"this model doesn't support system messages", System},
	{"this model doesn't support the stopsequences field", StopSequences},
	{"this model doesn't support streaming", Streaming},
	{"the model is unsupported for streaming", Streaming},
	{"this model does not support assistant message prefill", Prefill},
	{"malformed input request: #/system/0: extraneous key [cache_control]", Caching},
	{"system.0.cache_control: extra inputs are not permitted", Caching},
	{"malformed input request: #: extraneous key [temperature]", Sampling},
	{"malformed input request: #: extraneous key [top_p]", Sampling},
	{"malformed input request: #: extraneous key [top_k]", TopK},
	{"`temperature` is deprecated", Sampling},
	{"`top_p` is deprecated", Sampling},
	{"`top_k` is deprecated", TopK},
	// Chat templates of Gemma and Mistral; our turns alternate, so that it is the
	// system message that does not fit.
	{"system role not supported", System},
	{"only user and assistant roles are supported", System},
	{"conversation roles must alternate user/assistant", System},
	// OpenAI.
	{"unsupported value: 'messages[0].role' does not support 'system'", System},
	{"unsupported parameter: 'stop' is not supported with this model", StopSequences},
	{"unsupported parameter: 'temperature' is not supported with this model", Sampling},
	{"unsupported value: 'temperature' does not support", Sampling},
	{"unsupported parameter: 'top_p' is not supported with this model", Sampling},
	{"unrecognized request argument supplied: top_k", TopK},
	// Google, llama.cpp, and vLLM with others that name the key.
	{"unable to submit request because the model does not support the stopsequences parameter", StopSequences},
	{"assistant response prefill is incompatible", Prefill},
	{"cannot set both `continue_final_message`", Prefill},
	{"unrecognized request arguments supplied: add_generation_prompt", Prefill},
	{"continue_final_message", Prefill},
}

// wrappings are what some servers write before a message.
var wrappings = []string{"the model returned the following errors: ", "jinja exception: ", "error: ", "value error, "}

// unwrapped returns a message as it is compared with the beginnings that are known.
func unwrapped(message string) string {
	message = strings.ToLower(strings.ReplaceAll(message, "’", "'"))
	for _, wrapping := range wrappings {
		message = strings.TrimPrefix(message, wrapping)
	}
	return message
}

// featureRefused returns the feature that a server refuses with this message, which is
// unwrapped, 0 if it refuses something else.
func featureRefused(message string) Features {
	for _, r := range refusals {
		if strings.HasPrefix(message, r.text) {
			return r.feature
		}
	}
	return 0
}
