package prompt

import "github.com/go-json-experiment/json/jsontext"

// Constraint is what a server enforces while the model writes, in the forms that servers take: see
// package constrain. It applies to the text after the prefill.
type Constraint struct {
	// Grammar is GBNF for the whole answer. With Triggers, it applies from the first trigger on.
	Grammar string `json:"grammar,omitzero"`
	// Triggers are the texts that calls begin with, if the model may choose not to call.
	Triggers []string `json:"triggers,omitempty"`
	// Tag is the structural tag for a model that may choose.
	Tag jsontext.Value `json:"structural_tag,omitzero"`
	// Schema is the JSON Schema of the answer: of one call, or of the JSON that the client asks
	// for.
	Schema jsontext.Value `json:"json_schema,omitzero"`
}
