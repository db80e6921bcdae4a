package upstream

import (
	"slices"
	"strings"
)

// Model is a model as an upstream is asked for it.
type Model struct {
	ID        string   // the model's name at the upstream
	Wire      string   // over which it is asked, such as [WireText]; "" for the one that suits the id
	Family    string   // a text that names the model, where the id does not; "" for none
	Server    string   // what serves it, as [Resolved] has it; "" for what is not known
	Body      string   // in which a raw prompt is sent, such as [BodyLlama]; "" for the one that suits the model
	Can       Features // the features that it has
	Tries     Features // those that it may have: prefill alone
	MaxTokens int      // the most tokens that an answer can have; 0 if that is not known
	// Guided is how the server takes a constraint: one of [GuidedKinds]; "" if that is not known.
	Guided string
	// Guardrail is what the answer has to pass; nil for none. It is set only if the upstream
	// keeps it ([Bedrock.Keeps]).
	Guardrail *Guardrail
}

// Features is a set of features that some models have and others lack. A model that
// lacks one refuses a request with it.
type Features uint16

// The features. What a model lacks is left out of its requests, unless the comment says
// otherwise.
const (
	Prefill       Features = 1 << iota // continues a last assistant turn
	System                             // takes a system prompt; without it, the prompt stands before the text of the first user turn
	Streaming                          // answers in pieces; without it, the answer comes whole
	StopSequences                      // ends before a stop sequence; without it, we look for the sequence and leave the answer there
	Images                             // reads them; without it, a prompt with one is an error
	Documents                          // likewise
	Sampling                           // takes temperature and top_p
	TopK                               // takes top_k
	Caching                            // takes a cache point, which is put after the tool preamble
	Tools                              // calls tools through an API of its own
	Guided                             // is held to a constraint; the key constrain says so, and no name of a feature
)

// featureNames are the names of the features in the configuration, in the order of their
// bits.
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

// FeatureNames returns the names of all features, as the configuration spells them.
func FeatureNames() []string { return slices.Clone(featureNames) }

// FeatureOf returns the feature of this name, 0 if there is none.
func FeatureOf(name string) Features {
	if i := slices.Index(featureNames, name); i >= 0 {
		return 1 << i
	}
	return 0
}

// Override says which features a model has, or lacks, whatever its family.
type Override struct{ With, Without Features }

// Apply returns f with the features of With and without those of Without.
func (o Override) Apply(f Features) Features { return (f | o.With) &^ o.Without }

// Guardrail is one of Bedrock's guardrails, which a prompt and the answer to it have to
// pass (docs/reference/bedrock.md §2, §5). Its words are those of Converse; what is
// empty has not been asked for.
type Guardrail struct {
	ID, Version string
	Trace       string // enabled, enabled_full or disabled
	Mode        string // sync or async: whether text waits until the guardrail has looked at it
	// TagSuffix is the suffix of the tags around the text that the guardrail looks at. Only
	// InvokeModel has it.
	TagSuffix string
}
