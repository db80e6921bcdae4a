package upstreamtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/upstream"
)

// readConverse reads the body of Converse or ConverseStream for a model without the features in lacks.
func readConverse(operation, model string, data []byte, lacks upstream.Features) (call bedrockCall, problem *malformed) {
	var request converseBody
	if problem = decode(data, &request); problem != nil {
		return call, problem
	}
	if problem = request.lacking(operation, lacks); problem != nil {
		return call, problem
	}
	call.prompt, problem = request.prompt()
	// Only Claude's answer has the stop sequence, and only if the request asks for it.
	named := slices.Contains(request.ResponseFields, "/stop_sequence") && strings.Contains(model, "claude")
	call.whole = operation == converse
	if call.whole {
		call.events = func(c Completion) []event { return c.converseWhole(named) }
		call.frames = func(w http.ResponseWriter, body *body) wireWriter { return &wholeFrames{w, body} }
	} else {
		call.events = func(c Completion) []event { return c.converseEvents(named) }
		call.frames = func(w http.ResponseWriter, body *body) wireWriter { return &converseFrames{bedrockFrames{w, body}} }
	}
	return call, problem
}

// lacking returns the problem if the request uses a feature that the model lacks. It uses Bedrock's words,
// because the upstream recognizes them (docs/reference/bedrock.md §9; users reported the words about
// streaming, images and documents).
func (r *converseBody) lacking(operation string, lacks upstream.Features) *malformed {
	has := func(member func(converseBlock) bool) bool {
		return slices.ContainsFunc(r.Messages, func(m converseMessage) bool { return slices.ContainsFunc(m.Content, member) })
	}
	for _, refusal := range []struct {
		feature upstream.Features
		asked   bool
		text    string
	}{
		{upstream.Streaming, operation == converseStream, "The model is unsupported for streaming"},
		{upstream.System, len(r.System) > 0, "This model doesn't support system messages. Try again without a system message or use a model that supports system messages."},
		{upstream.StopSequences, len(r.Inference.StopSequences) > 0, "This model doesn't support the stopSequences field. Remove stopSequences and try again."},
		{upstream.Images, has(func(b converseBlock) bool { return b.Image != nil }), "This model doesn't support the image content block that you provided. Update the content block and try again."},
		{upstream.Documents, has(func(b converseBlock) bool { return b.Document != nil }), "This model doesn't support documents."},
	} {
		if refusal.asked && lacks.Has(refusal.feature) {
			return &malformed{text: refusal.text}
		}
	}
	return nil
}

// prompt returns the prompt in the body, or the problem for which Converse would reject it.
func (r *converseBody) prompt() (*translate.Prompt, *malformed) {
	if problem := r.inference(); problem != nil {
		return nil, problem
	}
	p := &translate.Prompt{
		StopSequences: r.Inference.StopSequences,
		Temperature:   r.Inference.Temperature, TopP: r.Inference.TopP,
	}
	for _, k := range []*int{r.RequestFields.TopK, r.RequestFields.K, r.RequestFields.Nova.TopK} {
		if k != nil {
			p.TopK = k
		}
	}
	p.MaxTokens = valueOf(r.Inference.MaxTokens)
	for i, s := range r.System {
		switch {
		case s.members() != 1 || s.Text == nil && s.Cache == nil:
			return nil, &malformed{text: fmt.Sprintf("system.%d: a text or a cachePoint is wanted", i)}
		case s.Cache != nil && (i == 0 || s.Cache.Type != "default"):
			return nil, &malformed{text: fmt.Sprintf("system.%d: there is nothing to cache before it", i)}
		case s.Text != nil && strings.TrimSpace(*s.Text) == "":
			return nil, &malformed{text: fmt.Sprintf("The text field in the SystemContentBlock object at system.%d is blank. Add text to the text field, and try again.", i)}
		case s.Text != nil:
			p.System = append(p.System, translate.Text{Text: *s.Text})
		}
	}
	turns, problem := r.turns()
	p.Turns = turns
	return p, problem
}

// inference checks the parameters against the ranges in Converse's documentation.
func (r *converseBody) inference() *malformed {
	c := r.Inference
	switch {
	case c.MaxTokens != nil && *c.MaxTokens < 1:
		return outOfRange("maxTokens")
	case valueOf(c.Temperature) < 0 || valueOf(c.Temperature) > 1:
		return outOfRange("temperature")
	case valueOf(c.TopP) < 0 || valueOf(c.TopP) > 1:
		return outOfRange("topP")
	case slices.Contains(c.StopSequences, "") || len(c.StopSequences) > 2500:
		return outOfRange("stopSequences")
	case len(r.ResponseFields) > 10:
		return &malformed{text: "additionalModelResponseFieldPaths: at most 10 paths"}
	}
	return nil
}

// outOfRange returns the problem for a parameter out of range, in the words of Converse.
func outOfRange(field string) *malformed {
	return &malformed{text: "1 validation error detected: Value at 'inferenceConfig." + field + "' failed to satisfy constraint"}
}
