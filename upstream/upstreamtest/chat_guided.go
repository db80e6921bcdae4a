package upstreamtest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// ChatGuided is how a server takes a constraint (docs/guided-decoding.md). What its script answers says whether
// it holds the model to it.
type ChatGuided struct {
	// Kind is one of "vllm", "sglang", "llama.cpp", "json_schema", "bedrock-import" and "fireworks"; "" refuses
	// the members of all of them.
	Kind string
	// Refuses is what it says of a constraint, with status 400; "" for nothing. Late has it say so with 200, in
	// place of an answer.
	Refuses string
	Late    bool
}

// chatGuidedBody are the members that carry a constraint.
type chatGuidedBody struct {
	StructuredOutputs map[string]string `json:"structured_outputs"`
	ResponseFormat    jsontext.Value    `json:"response_format"`
	EBNF              string            `json:"ebnf"`
	Grammar           string            `json:"grammar"`
}

// given returns the name of the constraint that a body has, with what is in it; "" for none.
func (b *chatGuidedBody) given() (name string) {
	for key := range b.StructuredOutputs {
		name += "structured_outputs." + key
	}
	if b.ResponseFormat != nil {
		var format struct {
			Type    string `json:"type"`
			Grammar string `json:"grammar"`
			Schema  struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
			Format json.RawMessage `json:"format"`
		}
		if err := json.Unmarshal(b.ResponseFormat, &format); err != nil {
			return "response_format that cannot be read: " + err.Error()
		}
		whole := map[string]bool{
			"json_schema":    format.Schema.Name != "" && format.Schema.Schema != nil,
			"grammar":        format.Grammar != "",
			"structural_tag": format.Format != nil,
		}
		name += "response_format." + format.Type
		if !whole[format.Type] {
			name += " without what it needs"
		}
	}
	if b.EBNF != "" {
		name += "ebnf"
	}
	if b.Grammar != "" {
		name += "grammar"
	}
	return name
}

// guidedTakes are the constraints that each kind of server takes.
var guidedTakes = map[string][]string{
	"vllm":           {"structured_outputs.grammar", "structured_outputs.structural_tag", "response_format.json_schema"},
	"sglang":         {"ebnf", "response_format.structural_tag", "response_format.json_schema"},
	"llama.cpp":      {"grammar", "response_format.json_schema"},
	"json_schema":    {"response_format.json_schema"},
	"bedrock-import": {"structured_outputs.grammar", "response_format.json_schema"},
	"fireworks":      {"response_format.grammar", "response_format.json_schema"},
}

// check returns what is wrong with the constraint of a body for a server of the kind; "" for nothing.
func (g *ChatGuided) check(b *chatBody) string {
	given := b.given()
	if given == "" {
		return ""
	}
	for _, takes := range guidedTakes[g.Kind] {
		if given == takes && (g.Kind != "llama.cpp" || given != "grammar" || len(b.Tools) == 0) {
			return ""
		}
	}
	return fmt.Sprintf("Unrecognized request argument supplied: %s, a grammar", given)
}

// fails reports whether the server refuses the constraint of a body.
func (g *ChatGuided) fails(b *chatBody) bool { return g.Refuses != "" && b.given() != "" }

// fail refuses it.
func (g *ChatGuided) fail(w http.ResponseWriter, stream bool) {
	if !g.Late {
		refuseChat(w, Refuse(http.StatusBadRequest, "invalid_request_error", g.Refuses, ""))
		return
	}
	body := chatErrorBody("BadRequestError", g.Refuses)
	if stream {
		w.Header().Set("content-type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", body)
		return
	}
	w.Header().Set("content-type", "application/json")
	w.Write(body)
}
