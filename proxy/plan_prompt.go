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

// FormatName returns the name of the format in which the model is asked. The id has to be known (see For).
func (m UpstreamModel) FormatName() string { return m.choice().Format }

// Variant returns the name of the variant of the format that models of its family were trained on, "" for none.
func (m UpstreamModel) Variant() string { return m.choice().Variant }

// FormatReason says in a few words why the model is asked in its format.
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

// exampleCall returns [translate.Target.ExampleCall]. The legacy prompt of Claude is documented as it is, and
// a template is the operator's own text: neither has an example unless the model's entry asks for it.
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

// RenderRules say how a request becomes a prompt.
type RenderRules struct {
	// Strict refuses what the model does not get and what cannot be checked.
	Strict bool
	// OpenLength says that the client has not said how long the answer may be: its max_tokens
	// is ours.
	OpenLength bool
	// Drop is called with each field of the request, by its name in the Messages API, that
	// the model does not get. It is called as well for one that an answer should have been
	// checked by and was not, which may be later.
	Drop func(field string)
	// Origins is set to where the prompt is from, unless it is nil.
	Origins *translate.Origins

	// Counts says that the prompt is for a count of its tokens, and not for an answer.
	Counts bool

	toolAPI bool              // the prompt is for the tools API of the model's server
	kept    kept              // of the server
	rename  func(error) error // into the client's terms; nil for none
}

// render returns the prompt that the model is asked for a request, and what its answer has
// to pass, nil for nothing. The spec is that of m, or less than it after the model refused a
// feature. What the spec does not allow is taken out of the prompt and dropped or, if the
// rules are strict, refused: that, and an example of a tool's input that does not fit, is a
// [*messages.InvalidRequestError].
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
		err = &messages.InvalidRequestError{Fault: messages.FaultSchema, Path: unchecked, Message: "the schema cannot be understood, or takes too much work to check"}
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

// prompt returns the prompt alone: that of a request whose examples and schemas have been
// read before.
func (m UpstreamModel) prompt(ctx context.Context, req *messages.Request, spec upstream.Model, rules RenderRules) (*translate.Prompt, error) {
	target := m.Target(spec)
	target.Memo, target.ToolAPI = rules.kept.tools, rules.toolAPI
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
	if m.isPrompt() {
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

// renderTo renders a request, and sets where the prompt is from, unless that is nil.
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

// mediaIn returns the names of the blocks that a raw prompt has only the words "[image]" or "[document]" for.
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

// dropSampling takes the parameters out of the prompt that the model does not take, and
// returns their names.
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

// adviceTools is how many tools a request should offer at most, as the documents of the
// legacy format advise (docs/reference/legacy-format.md §2).
const adviceTools = 5

// WantsFewTools reports whether the advice of the documents on the number of tools is for
// the model: it is asked in the legacy format, and is one of those that they were written
// for.
func (m UpstreamModel) WantsFewTools() bool {
	return m.Tools != ToolsNative && m.FormatName() == translate.FormatLegacy && upstream.IsEarlyClaude(m.Model)
}

// adviseTools says in the log, once for a model, that a request offers it more tools than the
// documents advise.
func (s *Server) adviseTools(req *messages.Request, m UpstreamModel) {
	if len(req.Tools) > adviceTools && req.MayCall() && m.WantsFewTools() && s.advice.add(m.way()) {
		s.log.Warn().Str("upstream", m.Upstream).Str("upstream_model", clip(m.Model)).Int("tools", len(req.Tools)).
			Str("event", "many_tools").Str("msg", "more tools than the documents advise for a model of that time in the legacy format, which is 3 to 5; this is said once").Send()
	}
}
