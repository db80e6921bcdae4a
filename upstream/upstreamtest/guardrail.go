package upstreamtest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/upstream"
)

// guardrailConfig is the guardrail in a body: guardrailConfig of Converse, or amazon-bedrock-guardrailConfig
// of InvokeModel, which has no id and no trace.
type guardrailConfig struct {
	ID        string `json:"guardrailIdentifier"`
	Version   string `json:"guardrailVersion"`
	Trace     string `json:"trace"`
	Mode      string `json:"streamProcessingMode"`
	TagSuffix string `json:"tagSuffix"`
}

// readGuardrail returns the guardrail of a request; nil for none. It rejects what the service rejects
// (docs/reference/bedrock.md §2, §5; the rules of InvokeModel are in its API model).
func readGuardrail(operation string, h http.Header, data []byte) (*upstream.Guardrail, *malformed) {
	if operation != invokeStream && operation != invokeWhole {
		return converseGuardrail(operation, data)
	}
	var body struct {
		Config jsontext.Value `json:"amazon-bedrock-guardrailConfig"`
	}
	var c guardrailConfig
	_ = json.Unmarshal(data, &body) // cannot fail: it has been read before
	if body.Config != nil {
		if problem := decode(body.Config, &c); problem != nil {
			return nil, problem
		}
	}
	g := &upstream.Guardrail{
		ID: h.Get("X-Amzn-Bedrock-GuardrailIdentifier"), Version: h.Get("X-Amzn-Bedrock-GuardrailVersion"),
		Trace: strings.ToLower(h.Get("X-Amzn-Bedrock-Trace")), TagSuffix: c.TagSuffix,
		Mode: strings.TrimSuffix(strings.ToLower(c.Mode), "hronous"),
	}
	switch {
	case g.ID == "" && body.Config != nil:
		return nil, &malformed{text: "amazon-bedrock-guardrailConfig: there is no guardrailIdentifier"}
	case (g.ID == "") != (g.Version == ""):
		return nil, &malformed{text: "guardrailIdentifier and guardrailVersion go together"}
	case !slices.Contains([]string{"", "SYNCHRONOUS", "ASYNCHRONOUS"}, c.Mode), c.ID+c.Version+c.Trace != "":
		return nil, &malformed{text: "amazon-bedrock-guardrailConfig: " + string(body.Config)}
	case g.ID == "":
		return nil, nil
	}
	return g, nil
}

// converseGuardrail returns the guardrail in the body of Converse or ConverseStream.
func converseGuardrail(operation string, data []byte) (*upstream.Guardrail, *malformed) {
	var body struct {
		Config jsontext.Value `json:"guardrailConfig"`
	}
	_ = json.Unmarshal(data, &body) // cannot fail: it has been read before
	if body.Config == nil {
		return nil, nil
	}
	var c guardrailConfig
	if problem := decode(body.Config, &c); problem != nil {
		return nil, problem
	}
	known := c.TagSuffix == "" && slices.Contains([]string{"", "enabled", "enabled_full", "disabled"}, c.Trace) &&
		(c.Mode == "" || operation == converseStream && slices.Contains([]string{"sync", "async"}, c.Mode))
	if c.ID == "" || c.Version == "" || !known {
		return nil, &malformed{text: "1 validation error detected: Value at 'guardrailConfig' failed to satisfy constraint"}
	}
	return &upstream.Guardrail{ID: c.ID, Version: c.Version, Trace: c.Trace, Mode: c.Mode}, nil
}
