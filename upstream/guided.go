package upstream

import (
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// How servers take a constraint (docs/explanation/guided-decoding.md).

// The kinds of servers by the form of their constraints. The names are values of the key guided.
const (
	GuidedVLLM       = "vllm"
	GuidedSGLang     = "sglang"
	GuidedLlamaCpp   = "llama.cpp"
	GuidedJSONSchema = "json_schema"    // a JSON Schema but no grammar: Ollama, LM Studio, many hosts
	GuidedImport     = "bedrock-import" // models imported into Bedrock
	GuidedFireworks  = "fireworks"
	GuidedNone       = "none"
)

// GuidedKinds returns all kinds.
func GuidedKinds() []string {
	return []string{GuidedVLLM, GuidedSGLang, GuidedLlamaCpp, GuidedJSONSchema, GuidedImport, GuidedFireworks, GuidedNone}
}

// GuidedKind returns the kind of a server, named as in [Resolved]; "" if the name does not tell.
func GuidedKind(server string) string {
	switch server {
	case serverOllama, serverLMStudio:
		return GuidedJSONSchema
	case GuidedVLLM, GuidedSGLang, GuidedLlamaCpp, GuidedImport, GuidedFireworks:
		return server
	}
	return ""
}

// TakesGrammar reports whether the server of a model takes a grammar, not only a JSON Schema.
func TakesGrammar(m Model) bool {
	switch m.Guided {
	case GuidedJSONSchema:
		return false
	case GuidedImport:
		body, _ := bodyOf(m)
		return body != BodyLlama
	}
	return true
}

// CheckConstraint returns an error if the server of a model cannot take the constraint, and says why. raw:
// the request has a raw prompt, otherwise it is a chat completion.
func CheckConstraint(m Model, raw bool, c *translate.Constraint) error {
	switch kind := m.Guided; {
	case kind == "" || kind == GuidedNone:
		return errors.New("the kind of server is not known. Set the key guided")
	case raw && kind == GuidedFireworks, raw && kind == GuidedJSONSchema && !m.asksOllama():
		return errors.New("a server of the kind " + kind + " takes constraints only with wire: chat")
	case raw && m.Body == BodyPredict:
		return errors.New("the body predict has no constraints. Set another body")
	case len(c.Triggers) > 0 && kind == GuidedLlamaCpp && !raw:
		return errors.New("llama.cpp takes no triggers over chat completions. Set wire: prompt")
	case len(c.Triggers) > 0 && kind != GuidedVLLM && kind != GuidedSGLang && kind != GuidedLlamaCpp:
		return errors.New("a server of the kind " + kind + " takes no triggers, which constrain_auto needs")
	case !TakesGrammar(m) && c.Schema == nil:
		return errors.New("the server takes only a JSON Schema, which cannot describe the rest of a call after a prefill")
	}
	return nil
}

// guidedFields are the members of a request body that hold a constraint.
type guidedFields struct {
	StructuredOutputs *structuredOutputs `json:"structured_outputs,omitzero"`
	ResponseFormat    jsontext.Value     `json:"response_format,omitzero"`
	EBNF              string             `json:"ebnf,omitzero"`
	Grammar           string             `json:"grammar,omitzero"`
	// Only llama.cpp's completions have these.
	JSONSchema jsontext.Value   `json:"json_schema,omitzero"`
	Lazy       bool             `json:"grammar_lazy,omitzero"`
	Triggers   []grammarTrigger `json:"grammar_triggers,omitempty"`
}

// grammarTrigger is a text that activates a lazy grammar in llama.cpp.
type grammarTrigger struct {
	Type  int    `json:"type"` // 1: a word
	Value string `json:"value"`
}

// structuredOutputs is a constraint for vLLM. One member is set.
type structuredOutputs struct {
	Grammar       string `json:"grammar,omitzero"`
	StructuralTag string `json:"structural_tag,omitzero"` // JSON as text
}

// guidedBy returns the members that send a constraint to the server of a model; none for nil. raw: the
// request has a raw prompt, otherwise it is a chat completion.
func guidedBy(m Model, raw bool, c *translate.Constraint) (f guidedFields) {
	if c == nil {
		return f
	}
	switch kind, schema := m.Guided, c.Grammar == "" || !TakesGrammar(m); {
	case schema && c.Schema == nil: // the model has rejected the body that takes grammars
	case schema && kind == GuidedLlamaCpp && raw: // llama.cpp ignores response_format in completions
		f.JSONSchema = c.Schema
	case schema:
		f.ResponseFormat = slices.Concat(jsontext.Value(`{"type":"json_schema","json_schema":{"name":"answer","schema":`), c.Schema, jsontext.Value(`}}`))
	case len(c.Triggers) > 0 && kind == GuidedSGLang:
		f.ResponseFormat = c.Tag
	case len(c.Triggers) > 0 && kind == GuidedVLLM:
		f.StructuredOutputs = &structuredOutputs{StructuralTag: string(c.Tag)}
	case kind == GuidedSGLang:
		f.EBNF = c.Grammar
	case kind == GuidedLlamaCpp:
		f.Grammar, f.Lazy = c.Grammar, len(c.Triggers) > 0
		for _, text := range c.Triggers {
			f.Triggers = append(f.Triggers, grammarTrigger{1, text})
		}
	case kind == GuidedFireworks:
		f.ResponseFormat = slices.Concat(jsontext.Value(`{"type":"grammar","grammar":`), asJSON(c.Grammar), jsontext.Value(`}`))
	default:
		f.StructuredOutputs = &structuredOutputs{Grammar: c.Grammar}
	}
	return f
}

// ConstraintMembers returns the members of a request that hold a constraint, as a JSON object. raw: the
// request has a raw prompt, otherwise it is a chat completion. The error is the error of [CheckConstraint].
func ConstraintMembers(m Model, raw bool, c *translate.Constraint) (jsontext.Value, error) {
	if err := CheckConstraint(m, raw, c); err != nil {
		return nil, err
	}
	if raw && m.asksOllama() {
		return encodeBody(ollamaGuided{c.Schema})
	}
	return encodeBody(guidedBy(m, raw, c))
}

// withConstraint yields the chunks of an answer. If an error is about the constraint, its Refuses has Guided.
// Servers reject a constraint with an HTTP status, or with status 200 and an error in the body.
func withConstraint(p *translate.Prompt, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	if p.Constraint == nil {
		return chunks
	}
	return func(yield func(translate.Chunk, error) bool) {
		for chunk, err := range chunks {
			var failed *Error
			if errors.As(err, &failed) && aboutConstraint(failed) {
				marked := *failed
				marked.Refuses |= Guided
				err = &marked
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// constraintWords are words in the errors of servers that reject a constraint.
var constraintWords = []string{"grammar", "schema", "structured", "structural", "guided", "response_format", "ebnf", "samplers", "xgrammar", "extra inputs"}

// aboutConstraint reports whether an error may be about the request's constraint. If it guesses wrong, the
// request without the constraint fails in the same way.
func aboutConstraint(e *Error) bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return false
	}
	message := strings.ToLower(e.Message)
	return slices.ContainsFunc(constraintWords, func(word string) bool { return strings.Contains(message, word) })
}
