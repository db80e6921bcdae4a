package upstreamtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// ChatGuided says how a server takes a constraint (docs/explanation/guided-decoding.md). The script decides
// whether the answer obeys the constraint.
type ChatGuided struct {
	// Kind is "vllm", "sglang", "llama.cpp", "json_schema", "bedrock-import" or "fireworks"; "" rejects the
	// members of all of them.
	Kind string
	// Refuses is the message with which it rejects a constraint, with status 400; "" accepts it. Late makes
	// it send the message with status 200, in place of an answer.
	Refuses string
	Late    bool
}

// chatGuidedBody are the members that hold a constraint.
type chatGuidedBody struct {
	StructuredOutputs map[string]string `json:"structured_outputs"`
	ResponseFormat    jsontext.Value    `json:"response_format"`
	EBNF              string            `json:"ebnf"`
	Grammar           string            `json:"grammar"`
	// Only llama.cpp's completions have these.
	JSONSchema jsontext.Value `json:"json_schema"`
	Lazy       bool           `json:"grammar_lazy"`
	Triggers   []struct {
		Type  int    `json:"type"`
		Value string `json:"value"`
	} `json:"grammar_triggers"`
}

// given returns the name of the constraint in a body, and the name of its form; "" for none.
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
	if b.JSONSchema != nil {
		name += "json_schema"
	}
	if b.Lazy || b.Triggers != nil {
		name += ".lazy"
		for _, trigger := range b.Triggers {
			if trigger.Type != 1 || trigger.Value == "" {
				name += " with a trigger that is no word"
			}
		}
		if len(b.Triggers) == 0 {
			name += ", no triggers set for lazy grammar!"
		}
	}
	return name
}

// guidedTakesRaw are the constraints that each kind of server takes with a raw prompt.
var guidedTakesRaw = map[string][]string{
	"vllm":      {"structured_outputs.grammar", "structured_outputs.structural_tag", "response_format.json_schema"},
	"sglang":    {"ebnf", "response_format.structural_tag", "response_format.json_schema"},
	"llama.cpp": {"grammar", "grammar.lazy", "json_schema"},
}

// guidedTakesImported are the constraints that imported models on Bedrock take, by the format of the body.
var guidedTakesImported = map[string][]string{
	FormatBedrockMeta: {"response_format.json_schema"},
	FormatCompletion:  {"response_format.json_schema", "structured_outputs.grammar"},
	FormatChat:        {"response_format.json_schema", "structured_outputs.grammar"},
}

// guidedTakes are the constraints that each kind of server takes over chat completions.
var guidedTakes = map[string][]string{
	"vllm":           {"structured_outputs.grammar", "structured_outputs.structural_tag", "response_format.json_schema"},
	"sglang":         {"ebnf", "response_format.structural_tag", "response_format.json_schema"},
	"llama.cpp":      {"grammar", "response_format.json_schema"},
	"json_schema":    {"response_format.json_schema"},
	"bedrock-import": {"structured_outputs.grammar", "response_format.json_schema"},
	"fireworks":      {"response_format.grammar", "response_format.json_schema"},
}

// check returns the problem with a constraint in chat completions for this kind of server; "" for none.
func (g *ChatGuided) check(b *chatBody) string {
	if g.Kind == "llama.cpp" && b.Grammar != "" && len(b.Tools) > 0 {
		return "Cannot use custom grammar constraints with tools."
	}
	return b.chatGuidedBody.unless(guidedTakes[g.Kind])
}

// unless returns the problem with a body whose constraint is not in takes; "" for none.
func (b *chatGuidedBody) unless(takes []string) string {
	if given := b.given(); given != "" && !slices.Contains(takes, given) {
		return fmt.Sprintf("Unrecognized request argument supplied: %s, a grammar", given)
	}
	return ""
}

// refuses reports whether the server rejects the constraint of a body. If so, it has sent the error.
func (g *ChatGuided) refuses(w http.ResponseWriter, constrained, stream bool) bool {
	if g.Refuses == "" || !constrained {
		return false
	}
	g.fail(w, stream)
	return true
}

// fail sends the error.
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
