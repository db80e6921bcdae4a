package prompt

import (
	"bytes"
	"context"
	"dragoman/translate/format"
	"dragoman/translate/messages"
	"strings"
)

// Render returns the prompt for a request: what a model without a tool API is asked. The
// tools, past calls and their results are markup in the target's format
// (docs/reference/legacy-format.md §2, §5, §7); everything else is as the client wrote it.
// No text of the client can be taken for that markup: where it would be, it is escaped
// (see the escape policy in markup/escape.go), and [Events] takes the escapes off what the
// model repeats. The request is not changed, and the prompt may share its memory.
//
// An unknown [Target.Format] is a plain error; every other error is a
// [*messages.InvalidRequestError]. A request that [messages.Decode] accepted is refused in
// one case alone: it ends with a prefill, and the target takes none.
func Render(req *messages.Request, target Target) (*Prompt, error) {
	return RenderContext(context.Background(), req, target)
}

// RenderContext is [Render] for a client that may leave while a long request is rendered:
// once ctx is done, it returns [context.Cause] of ctx.
func RenderContext(ctx context.Context, req *messages.Request, target Target) (*Prompt, error) {
	return render(ctx, req, target, nil)
}

// render is [RenderContext]. It sets origins to where the prompt is from, unless origins is nil.
func render(ctx context.Context, req *messages.Request, target Target, origins *Origins) (*Prompt, error) {
	f, template, err := target.format()
	if err != nil {
		return nil, err
	}
	chat := newChat(template, f, req, &target)
	if chat != nil {
		target.Thinking = format.ThinkingMarked
		if chat.opensThinking() {
			target.Thinking = format.ThinkingOpen
		}
	}
	accepts, err := format.AcceptedBy(target.Accept)
	if err != nil {
		return nil, err
	}
	reads := format.ReadsOf(f, target.Accept, accepts, target.tokens())
	schemas := &ToolSchemas{Tools: req.Tools, Memo: target.Memo}
	stops := !target.ToolAPI && stopsAtCalls(req, f, target.Thinking, schemas)
	r := renderer{
		ctx:     ctx,
		req:     req,
		target:  target,
		format:  f,
		origins: origins,
		escape:  NewEscaper(f, reads, req, target.TextWire || template != nil && template.Words),
		prompt: &Prompt{
			StopSequences: stopSequences(req, f, stops),
			Variant:       f.Variant,
			textWire:      target.TextWire || template != nil && template.Words,
			chat:          chat,
			stopsAtCalls:  stops,
			MaxTokens:     req.MaxTokens,
			Temperature:   req.Temperature,
			TopP:          req.TopP,
			TopK:          req.TopK,
			Asking: Asking{
				Declared:        f,
				Reads:           reads,
				Source:          req,
				Continues:       target.Prefill,
				Tries:           target.TryPrefill && !target.Prefill && !target.ToolAPI,
				FlowsValues:     target.FlowValues,
				ReadsQuoted:     target.QuotedCalls,
				Thinking:        target.Thinking,
				UnaskedThinking: target.UnaskedThinking,
				Language:        target.Language,
				Schemas:         schemas,
			},
		},
	}
	switch {
	case target.ToolAPI:
		r.prompt.Variant = ""
	case f.Name != format.List[0].Name:
		r.prompt.Format = f.Name
	}
	r.escape.Labels = origins != nil
	r.writer = r.newWriter()
	if target.ToolAPI {
		r.addTools()
	}
	if err := r.addSystem(); err != nil {
		return nil, err
	}
	if err := r.addTurns(); err != nil {
		return nil, err
	}
	r.prompt.Invented = r.inventedAlone()
	r.forceCall()
	r.prompt.Escaped, r.prompt.pastCalls = r.escape.Escapes(), r.calls
	if target.MaxTokens > 0 {
		r.prompt.MaxTokens = min(r.prompt.MaxTokens, target.MaxTokens)
	}
	return r.prompt, nil
}

// format returns the format in which the target is asked, and its chat template; nil for none.
func (t *Target) format() (f *format.Format, template *format.ChatTemplate, err error) {
	switch {
	case t.ToolAPI:
		f, err = apiFormat(t.Model)
	case t.ChatTemplate == "":
		f, err = format.For(t.Format, t.Model)
	default:
		if template, err = format.ChatTemplateNamed(t.ChatTemplate); err == nil {
			f, err = template.FormatFor(t.Format, t.Model)
		}
	}
	return f, template, err
}

// stopsAtCalls reports whether the upstream is to stop at the stop sequence of the format. It is not to
// stop at the end of calls where a template opens thinking: the model may have considered them there, and
// what follows tells. Nor is it, in the legacy format, where a tool has a parameter with the same closing
// tag, since it would stop in the call. The parser then finds the end of the calls by itself, and the
// upstream is left there.
func stopsAtCalls(req *messages.Request, f *format.Format, thinking string, schemas *ToolSchemas) bool {
	if f.ImpliedEnd != "" && (thinking == format.ThinkingMaybe || thinking == format.ThinkingOpen) {
		return false
	}
	if f == &format.LegacyCalls {
		name := strings.Trim(f.StopSequence, "</>")
		for i := range req.Tools {
			t := &req.Tools[i]
			if !bytes.Contains(t.InputSchema, []byte(name)) {
				continue // most schemas need not be compiled to know
			}
			if _, _, declared := schemas.Of(t).PropertyByTag(name); declared {
				return false
			}
		}
	}
	return req.ShowsTools()
}

// stopSequences returns the stop sequences of the prompt, each once: that of the format
// first, if the upstream is to stop at the end of the calls, then the client's. With tool_choice
// none the upstream has to stop there, too, if the model writes a call all the same.
func stopSequences(req *messages.Request, f *format.Format, atCalls bool) []string {
	stops := make([]string, 0, 1+len(req.StopSequences))
	seen := make(map[string]bool, cap(stops))
	add := func(s string) {
		if !seen[s] {
			seen[s] = true
			stops = append(stops, s)
		}
	}
	if atCalls {
		add(f.StopSequence)
	}
	for _, s := range req.StopSequences {
		add(s)
	}
	return stops
}
