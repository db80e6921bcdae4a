package prompt

import (
	"bytes"
	"context"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// Render returns the prompt for a request to a model without a tool API. The tools, past calls and
// results become markup in the target's format (docs/reference/legacy-format.md §2, §5, §7).
// Everything else stays as the client wrote it. The client's text can never pass for markup: Render
// escapes it (see the escape policy in markup/escape.go), and [Events] removes the escapes from
// text that the model repeats. Render does not change the request. The prompt may share its memory.
//
// An unknown [Target.Format] is a plain error; every other error is a
// [*messages.InvalidRequestError]. If [messages.Decode] accepted the request, Render rejects it
// only if it ends with a prefill and the target takes none.
func Render(req *messages.Request, target Target) (*Prompt, error) {
	return RenderContext(context.Background(), req, target)
}

// RenderContext does what Render does. If ctx ends while a long request is rendered, because the
// client has left, it returns [context.Cause] of ctx.
func RenderContext(ctx context.Context, req *messages.Request, target Target) (*Prompt, error) {
	return render(ctx, req, target, nil)
}

// render does what [RenderContext] does. If origins is not nil, it also sets them.
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
	reads := format.ReadsOf(f, accepts, target.tokens())
	schemas := &ToolSchemas{Tools: req.Tools, Memo: target.Memo}
	stops := !target.ToolAPI && stopsAtCalls(req, f, target.Thinking, schemas)
	r := renderer{
		ctx:     ctx,
		req:     req,
		target:  target,
		format:  f,
		origins: origins,
		escape:  NewEscaper(f, reads, req, target.UnaskedThinking, target.TextWire || template != nil && template.Words),
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
				Declared:  f,
				Reads:     reads,
				Source:    req,
				Continues: target.Prefill,
				Tries:     target.TryPrefill && !target.Prefill && !target.ToolAPI,
				Target:    target,
				Schemas:   schemas,
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
		r.prompt.MaxTokens = min(r.prompt.MaxTokens, int(target.MaxTokens))
	}
	return r.prompt, nil
}

// format returns the target's format, and its chat template or nil.
func (t *Target) format() (f *format.Format, template *format.ChatTemplate, err error) {
	switch {
	case t.ToolAPI:
		f, err = apiFormat(t.Family)
	case t.ChatTemplate == "":
		f, err = format.For(t.Format, t.Family)
	default:
		if template, err = format.ChatTemplateNamed(t.ChatTemplate); err == nil {
			f, err = template.FormatFor(t.Format, t.Family)
		}
	}
	return f, template, err
}

// stopsAtCalls reports whether the upstream stops at the format's stop sequence. It must not stop
// in two cases. If a template opens thinking, the model may only have thought about calls, and the
// text after them decides. In the legacy format, a tool may have a parameter with the same closing
// tag. In both cases, the parser finds the end of the calls itself, and disconnects from the
// upstream there.
func stopsAtCalls(req *messages.Request, f *format.Format, thinking string, schemas *ToolSchemas) bool {
	if f.ImpliedEnd != "" && (thinking == format.ThinkingMaybe || thinking == format.ThinkingOpen) {
		return false
	}
	if f == &format.LegacyCalls {
		name := strings.Trim(f.StopSequence, "</>")
		for i := range req.Tools {
			t := &req.Tools[i]
			if !bytes.Contains(t.InputSchema, []byte(name)) {
				continue // most schemas need not be compiled for this
			}
			if _, _, declared := schemas.Of(t).PropertyByTag(name); declared {
				return false
			}
		}
	}
	return req.ShowsTools()
}

// stopSequences returns the stop sequences of the prompt, each once: the format's first, if the
// upstream stops at the end of the calls, then the client's. With tool_choice none, the upstream
// must stop there too, because the model may still write a call.
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
