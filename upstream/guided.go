package upstream

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// How servers take a constraint (docs/guided-decoding.md).

// The kinds of servers by that, as the key guided names them.
const (
	GuidedVLLM       = "vllm"
	GuidedSGLang     = "sglang"
	GuidedLlamaCpp   = "llama.cpp"
	GuidedJSONSchema = "json_schema"    // they take a JSON Schema and no grammar: Ollama, LM Studio, many hosts
	GuidedImport     = "bedrock-import" // models imported into Bedrock
	GuidedFireworks  = "fireworks"
	GuidedNone       = "none"
)

// GuidedKinds returns all kinds.
func GuidedKinds() []string {
	return []string{GuidedVLLM, GuidedSGLang, GuidedLlamaCpp, GuidedJSONSchema, GuidedImport, GuidedFireworks, GuidedNone}
}

// CheckConstraint returns an error that says why a server of the kind cannot be sent a constraint over chat
// completions; nil if it can.
func CheckConstraint(kind string, c *translate.Constraint) error {
	switch {
	case kind == "" || kind == GuidedNone:
		return errors.New("it is not known how the server takes constraints: name it with guided")
	case len(c.Triggers) > 0 && kind == GuidedLlamaCpp:
		return errors.New("llama.cpp takes no triggers over chat completions")
	case len(c.Triggers) > 0 && kind != GuidedVLLM && kind != GuidedSGLang:
		return errors.New("a server of the kind " + kind + " takes no triggers")
	case kind == GuidedJSONSchema && c.Schema == nil:
		return errors.New("a server of the kind json_schema takes no grammar, and a prefill has begun the call")
	}
	return nil
}

// guidedFields are the members of a request body that hold the model to a constraint.
type guidedFields struct {
	StructuredOutputs *structuredOutputs `json:"structured_outputs,omitzero"`
	ResponseFormat    jsontext.Value     `json:"response_format,omitzero"`
	EBNF              string             `json:"ebnf,omitzero"`
	Grammar           string             `json:"grammar,omitzero"`
}

// structuredOutputs is how vLLM takes a constraint, by one of these.
type structuredOutputs struct {
	Grammar       string `json:"grammar,omitzero"`
	StructuralTag string `json:"structural_tag,omitzero"` // JSON as text
}

// guidedBy returns the members for a constraint, which the kind of server takes; none for nil.
func guidedBy(kind string, c *translate.Constraint) (f guidedFields) {
	switch {
	case c == nil:
	case c.Grammar == "" || kind == GuidedJSONSchema:
		f.ResponseFormat = slices.Concat(jsontext.Value(`{"type":"json_schema","json_schema":{"name":"answer","schema":`), c.Schema, jsontext.Value(`}}`))
	case len(c.Triggers) > 0 && kind == GuidedSGLang:
		f.ResponseFormat = c.Tag
	case len(c.Triggers) > 0:
		f.StructuredOutputs = &structuredOutputs{StructuralTag: string(c.Tag)}
	case kind == GuidedSGLang:
		f.EBNF = c.Grammar
	case kind == GuidedLlamaCpp:
		f.Grammar = c.Grammar
	case kind == GuidedFireworks:
		f.ResponseFormat = slices.Concat(jsontext.Value(`{"type":"grammar","grammar":`), asJSON(c.Grammar), jsontext.Value(`}`))
	default:
		f.StructuredOutputs = &structuredOutputs{Grammar: c.Grammar}
	}
	return f
}

// ConstraintMembers returns the members of a request of chat completions by which a server of the kind is told of a
// constraint, as a JSON object. The error is that of [CheckConstraint].
func ConstraintMembers(kind string, c *translate.Constraint) (jsontext.Value, error) {
	if err := CheckConstraint(kind, c); err != nil {
		return nil, err
	}
	return encodeBody(guidedBy(kind, c))
}

// withConstraint yields the chunks of an answer to a prompt. An error that is about its constraint says so:
// servers refuse one with an HTTP status, or with 200 and an error in its place.
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

// constraintWords stand in what servers say of a constraint that they refuse.
var constraintWords = []string{"grammar", "schema", "structured", "structural", "guided", "response_format", "ebnf", "samplers", "xgrammar", "extra inputs"}

// aboutConstraint reports whether an error may be about the constraint of a request. If it is not, the
// request fails in the same way without one.
func aboutConstraint(e *Error) bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return false
	}
	message := strings.ToLower(e.Message)
	return slices.ContainsFunc(constraintWords, func(word string) bool { return strings.Contains(message, word) })
}

// GuidedKind returns how the server takes constraints, "" if it does not tell: it is asked once, at the first
// use. A server that could not be reached is asked again for the next.
func (s *Server) GuidedKind(ctx context.Context) string {
	if s.wire != WireChat {
		return GuidedNone
	}
	s.guided.Lock()
	defer s.guided.Unlock()
	if s.guided.kind == "" && !s.guided.asked {
		ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
		defer cancel()
		kind, err := s.askGuided(ctx)
		s.guided.kind, s.guided.asked = kind, err == nil
	}
	return s.guided.kind
}

// owners are the kinds of servers by the owned_by of their models.
var owners = map[string]string{
	"vllm": GuidedVLLM, "sglang": GuidedSGLang, "llamacpp": GuidedLlamaCpp, "llama.cpp": GuidedLlamaCpp,
	"library": GuidedJSONSchema, "organization_owner": GuidedJSONSchema, // Ollama, LM Studio
}

// askGuided asks the server what it is: most say so in their list of models, llama.cpp at /props and vLLM at
// /version. The error is that of a server that could not be reached.
func (s *Server) askGuided(ctx context.Context) (string, error) {
	if strings.Contains(s.base.url, "//api.fireworks.ai/") {
		return GuidedFireworks, nil
	}
	var list struct {
		Data []struct {
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	if err := s.ask(ctx, s.base.url+"/models", nil, &list); err != nil {
		return "", err
	}
	for _, m := range list.Data {
		if kind := owners[strings.ToLower(m.OwnedBy)]; kind != "" {
			return kind, nil
		}
	}
	root := strings.TrimSuffix(s.base.url, "/v1")
	var props llamaProps
	if err := s.ask(ctx, root+"/props", nil, &props); err != nil {
		return "", err
	}
	if props.name() != "" {
		return GuidedLlamaCpp, nil
	}
	var version struct {
		Version string `json:"version"`
	}
	err := s.ask(ctx, root+"/version", nil, &version)
	if version.Version != "" {
		return GuidedVLLM, nil
	}
	return "", err
}
