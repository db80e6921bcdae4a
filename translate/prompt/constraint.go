package prompt

import "github.com/go-json-experiment/json/jsontext"

// Constraint is what a server holds a model to while it writes, in the forms that servers take: see package
// constrain. It is about what the model writes behind the prefill.
type Constraint struct {
	// Grammar is GBNF of the whole answer. With Triggers, it is of what stands there from the first trigger on.
	Grammar string `json:"grammar,omitzero"`
	// Triggers are what calls begin with, where the model may choose to make none.
	Triggers []string `json:"triggers,omitempty"`
	// Tag is the structural tag for that choice.
	Tag jsontext.Value `json:"structural_tag,omitzero"`
	// Schema is the JSON Schema of the answer: of one call, or of what the client asks for.
	Schema jsontext.Value `json:"json_schema,omitzero"`
}
