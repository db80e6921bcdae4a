package proxy

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"dragoman/proxy/check"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// choice returns how the model is asked.
func (m UpstreamModel) choice() translate.Choice {
	family, _ := m.family()
	choice := translate.ChooseFormat(family)
	switch own := m.ownFormat(); {
	case m.Format == translate.FormatAuto && own != "":
		choice.Format, choice.Variant, choice.Own = own, "", true
	case m.Format != translate.FormatAuto:
		choice.Format = cmp.Or(m.Format, translate.Formats()[0])
		choice.Variant = translate.VariantFor(choice.Format, family)
	}
	return choice
}

// FormatName returns the format of the model's prompts. The id must be known (see For).
func (m UpstreamModel) FormatName() string { return m.choice().Format }

// Variant returns the variant of the format that the model's family was trained on; "" for none.
func (m UpstreamModel) Variant() string { return m.choice().Variant }

// FormatReason returns in a few words why the proxy chose the model's format.
func (m UpstreamModel) FormatReason() string {
	choice := m.choice()
	_, from := m.family()
	switch {
	case m.Format != translate.FormatAuto:
		return "set by format"
	case choice.Own:
		return "family " + choice.Family + ", by " + from
	case choice.Family != "":
		return "family " + choice.Family + ", by " + from + "; servers do not pass on its own format"
	}
	return "no family is known; measured best for others"
}

// exampleCall returns [translate.Target.ExampleCall]. Claude's legacy prompt follows its documentation, and a template
// is the operator's own text: neither gets an example call, unless the model's entry asks for it.
func (m UpstreamModel) exampleCall() string {
	choice := m.choice()
	documented := choice.Family == translate.FamilyClaude && choice.Format == translate.FormatLegacy
	if m.ExampleCall == "" || m.ExampleCall == translate.ExampleAuto {
		if documented || m.Template != "" {
			return translate.ExampleOff
		}
		return translate.ExampleAuto
	}
	return m.ExampleCall
}

// RenderRules decide how a request becomes a prompt.
type RenderRules struct {
	// Strict rejects fields that the model does not get, and checks that cannot be made.
	Strict bool
	// OpenLength: the client has not limited the answer's length, so max_tokens is our own default.
	OpenLength bool
	// Drop is called with each field of the request that the model does not get, under its name in the Messages API. It
	// is also called, perhaps later, with a field whose check of the answer was skipped.
	Drop func(field string)
	// Origins receives where the parts of the prompt come from, unless it is nil.
	Origins *translate.Origins

	// Counts: the prompt is for counting its tokens, not for an answer.
	Counts bool

	toolAPI bool              // the prompt is for the tools API of the model's server
	reminds bool              // the model is stuck: see [translate.Target]
	kept    kept              // of the server
	rename  func(error) error // translates an error into the client's terms; nil: errors stay as they are
}

// render returns the model's prompt for a request, and the checks of its answer, nil for none. spec is the model's
// spec, or less after the model refused a feature. render drops what the spec does not allow. Under strict rules it
// returns a [*messages.InvalidRequestError] instead, and the same for an example of a tool's input that does not fit.
func (m UpstreamModel) render(ctx context.Context, req *messages.Request, spec upstream.Model, rules RenderRules) (*translate.Prompt, *translate.Checks, error) {
	p, err := m.prompt(ctx, req, spec, rules)
	if err != nil {
		return nil, nil, err
	}
	if err := check.Tools(req, rules.kept.faults); err != nil {
		if rules.Strict {
			return nil, nil, err
		}
		rules.Drop(check.FieldSchema)
	}
	unchecked := ""
	checks, err := check.New(req, m.Repair > 0, rules.kept.checks, func(field string) {
		unchecked = cmp.Or(unchecked, field)
		rules.Drop(field)
	})
	if err == nil && rules.Strict && unchecked != "" {
		err = &messages.InvalidRequestError{Fault: messages.FaultSchema, Path: unchecked, Message: "the schema is invalid, or takes too much work to check"}
	}
	return p, checks, err
}

// renamed returns an error in the client's terms.
func (r RenderRules) renamed(err error) error {
	if r.rename == nil {
		return err
	}
	return r.rename(err)
}

// prompt returns only the prompt, for a request whose examples and schemas have been read before.
func (m UpstreamModel) prompt(ctx context.Context, req *messages.Request, spec upstream.Model, rules RenderRules) (*translate.Prompt, error) {
	target := m.Target(spec)
	target.Memo, target.ToolAPI, target.Remind = rules.kept.tools, rules.toolAPI, rules.reminds
	p, err := renderTo(ctx, req, target, rules.Origins)
	if err != nil {
		return nil, err
	}
	if err := m.checkParts(p); err != nil {
		return nil, err
	}
	if p.MaxTokens < req.MaxTokens && !rules.OpenLength {
		if rules.Strict {
			return nil, &messages.InvalidRequestError{
				Fault:   messages.FaultUnsupported,
				Path:    "max_tokens",
				Message: fmt.Sprintf("%d > %d, which is the maximum allowed number of output tokens for %s", req.MaxTokens, p.MaxTokens, clip(m.Model)),
			}
		}
		rules.Drop("max_tokens")
	}
	dropped := dropSampling(p, spec.Can)
	if spec.Wire == WirePrompt {
		dropped = append(dropped, mediaIn(p)...)
	}
	for _, field := range dropped {
		rules.Drop(field)
	}
	if rules.Strict && len(dropped) > 0 {
		return nil, &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: dropped[0], Message: "this model does not take it"}
	}
	return p, nil
}

// renderTo renders a request. If origins is not nil, it receives where the parts of the prompt come from.
func renderTo(ctx context.Context, req *messages.Request, target translate.Target, from *translate.Origins) (*translate.Prompt, error) {
	if from == nil {
		return translate.RenderContext(ctx, req, target)
	}
	p, origins, err := translate.RenderOrigins(ctx, req, target)
	if err == nil {
		*from = *origins
	}
	return p, err
}

// mediaIn returns the names of the blocks that a raw prompt replaces by the words "[image]" or "[document]".
func mediaIn(p *translate.Prompt) (fields []string) {
	for i := range p.Turns {
		for part := range p.Turns[i].AllParts() {
			field := "messages.content." + part.Type
			if (part.Type == translate.PartImage || part.Type == translate.PartDocument) && !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	return fields
}

// dropSampling removes the parameters that the model does not take from the prompt, and returns their names.
func dropSampling(p *translate.Prompt, can upstream.Features) (dropped []string) {
	if p.Temperature != nil && !can.Has(upstream.Sampling) {
		p.Temperature, dropped = nil, append(dropped, "temperature")
	}
	if p.TopP != nil && !can.Has(upstream.Sampling) {
		p.TopP, dropped = nil, append(dropped, "top_p")
	}
	if p.TopK != nil && !can.Has(upstream.TopK) {
		p.TopK, dropped = nil, append(dropped, "top_k")
	}
	return dropped
}

// renderRules returns the rules of the exchange.
func (x *exchange) renderRules() RenderRules {
	return RenderRules{
		Strict: x.s.strict, OpenLength: x.record.conversion.HasOpenLength(), Drop: x.record.drop, kept: x.s.kept.of(x.key),
		rename: func(err error) error { return causeOr(x.r.Context(), x.record.conversion.Error(err)) },
	}
}

// adviceTools is how many tools a request should offer at most, by the documents of the legacy format
// (docs/reference/legacy-format.md §2).
const adviceTools = 5

// WantsFewTools reports whether that advice applies to the model: it gets the legacy format, and is one of the early
// models that the documents are about.
func (m UpstreamModel) WantsFewTools() bool {
	return m.Tools != ToolsNative && m.FormatName() == translate.FormatLegacy && upstream.IsEarlyClaude(m.Model)
}

// adviseTools logs a warning, once for each model, if a request offers more tools than the documents advise.
func (s *Server) adviseTools(req *messages.Request, m UpstreamModel) {
	if len(req.Tools) > adviceTools && req.MayCall() && m.WantsFewTools() && s.advice.add(m.way()) {
		s.log.Warn().Str("upstream", m.Upstream).Str("upstream_model", clip(m.Model)).Int("tools", len(req.Tools)).
			Str("event", "many_tools").Str("msg", "the request offers more tools than the documentation of the legacy format advises for such an early model: offer 3 to 5; this is logged once").Send()
	}
}
