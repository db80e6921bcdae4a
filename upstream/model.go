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

// Guardrail is one of Bedrock's, which a prompt and the answer to it have to pass
// (docs/reference/bedrock.md §2, §5). Words are those of Converse; what is empty has not
// been asked for.
type Guardrail struct {
	ID, Version string
	Trace       string // enabled, enabled_full or disabled
	Mode        string // sync or async: whether text waits until it has been looked at
	// TagSuffix is that of the tags around the text that it looks at. InvokeModel alone
	// has it.
	TagSuffix string
}
