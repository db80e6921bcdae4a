package upstream

import (
	"slices"
	"strings"
)

// Model says which model an upstream asks, how, and what the model can do. [Model.Described] completes it.
type Model struct {
	Kind      Kind     // the kind of its host
	ID        string   // the model's name at the upstream
	Wire      string   // the API to ask it with, such as [WireText]; "" for the default of the host
	Family    string   // a text that names the model, if the id does not; optional
	Named     string   // the name behind an ARN, see [Resolved]; "" if not known
	Server    string   // the program that serves it, see [Resolved]; "" if not known
	Body      string   // the body of a raw prompt, such as [BodyLlama]; "" for the default of the model
	Tools     ToolAPI  // how its host takes tools
	Can       Features // the features that the model has
	Tries     Features // the features that it may have: only prefill
	Lacks     Features // the [BodyMembers] that it refuses
	MaxTokens int      // the most tokens that an answer can have; 0 if not known
	// Guided is how the server takes a constraint: one of [GuidedKinds]; "" if not known.
	Guided string
	// Guardrail checks the prompt and the answer; nil for no guardrail. It is set only if the upstream can
	// apply it ([Model.Keeps]).
	Guardrail *Guardrail
}

// Features is a set of features that some models have and others lack. A model rejects a request with a
// feature that it lacks.
type Features uint32

// The features. If a model lacks a feature, Dragoman leaves it out of the request; where Dragoman does
// something else, the comment says so.
const (
	Prefill       Features = 1 << iota // the model continues a last assistant turn
	System                             // takes a system prompt; without it, the system prompt goes before the text of the first user turn
	Streaming                          // streams its answer; without it, the answer comes in one piece
	StopSequences                      // stops at a stop sequence; without it, Dragoman looks for the sequence and ends the answer there
	Images                             // reads images; without it, a prompt with an image is an error
	Documents                          // reads documents; without it, a prompt with a document is an error
	Sampling                           // takes temperature and top_p
	TopK                               // takes top_k
	Caching                            // takes a cache point, which Dragoman puts after the tool preamble
	Tools                              // has a tool API of its own
	Guided                             // takes a constraint; set by the key constrain, it has no name in the configuration

	// Members and messages of a body of chat completions: see [BodyMembers].
	MaxTokensMember // max_tokens; without it, the limit is in max_completion_tokens
	ParallelMember  // parallel_tool_calls; without it, Dragoman ends the answer after one call all the same
	UsageMember     // stream_options; without it, Dragoman estimates the usage of a stream
	StrictMember    // strict of a tool; Dragoman checks the calls all the same
	ReasoningMember // reasoning_content, past thinking
	UserAfterTool   // takes a message of the user behind results; without it, the text is in the last result
)

// BodyMembers are features that a server of chat completions is assumed to have. [Model.Lacks] has those that a model
// refuses. They have no names in the configuration.
const BodyMembers = MaxTokensMember | ParallelMember | UsageMember | StrictMember | ReasoningMember | UserAfterTool

// featureNames are the names of the features in the configuration, in the order of their bits.
var featureNames = []string{"prefill", "system", "streaming", "stop_sequences", "images", "documents", "sampling", "top_k", "caching", "tools"}

// memberNames are the names of the other features in the log, in the order of their bits.
var memberNames = []string{"constraint", "max_tokens", "parallel_tool_calls", "stream_options", "strict", "reasoning_content", "user_after_tool"}

// Has reports whether all features of the set g are in f.
func (f Features) Has(g Features) bool { return f&g == g }

// String returns the names of the features that the configuration names, with commas.
func (f Features) String() string { return f.join(featureNames) }

// LogString returns the names of all features, also of those that the configuration does not name.
func (f Features) LogString() string { return f.join(slices.Concat(featureNames, memberNames)) }

func (f Features) join(all []string) string {
	var names []string
	for i, name := range all {
		if f.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// FeatureNames returns the names of all features, as the configuration spells them.
func FeatureNames() []string { return slices.Clone(featureNames) }

// FeatureOf returns the feature with this name, or 0 for an unknown name.
func FeatureOf(name string) Features {
	if i := slices.Index(featureNames, name); i >= 0 {
		return 1 << i
	}
	return 0
}

// Override adds features to a model, or removes them, whatever its family.
type Override struct{ With, Without Features }

// Apply returns f with the features With added and the features Without removed.
func (o Override) Apply(f Features) Features { return (f | o.With) &^ o.Without }

// Guardrail is a guardrail of Bedrock, which checks a prompt and its answer (docs/reference/bedrock.md §2,
// §5). The names and values are Converse's. Empty fields are not sent.
type Guardrail struct {
	ID, Version string
	Trace       string // enabled, enabled_full or disabled
	Mode        string // sync or async: whether text waits until the guardrail has checked it
	// TagSuffix is the suffix of the tags around the text that the guardrail checks. Only InvokeModel has it.
	TagSuffix string
}
