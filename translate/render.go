package translate

import (
	"context"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
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
	f, err := formatOf(target.Format)
	if err != nil {
		return nil, err
	}
	r := renderer{
		ctx:    ctx,
		req:    req,
		target: target,
		format: f,
		escape: markup.Escaper{TurnMarkers: target.TextWire, Tags: f.protects},
		prompt: &Prompt{
			StopSequences: stopSequences(req, f),
			format:        f,
			stopsAtCalls:  req.OffersTools(),
			MaxTokens:     req.MaxTokens,
			Temperature:   req.Temperature,
			TopP:          req.TopP,
			TopK:          req.TopK,
			continues:     target.Prefill,
			holdsValues:   target.HoldValues,
			language:      target.Language,
			schemas:       &toolSchemas{tools: req.Tools},
		},
	}
	r.writer = turnWriter{escape: &r.escape, language: r.language, beforeCalls: f.beforeCalls, afterCalls: f.afterCalls}
	if err := r.addSystem(); err != nil {
		return nil, err
	}
	if err := r.addTurns(); err != nil {
		return nil, err
	}
	r.forceCall()
	r.prompt.escaped = r.escape.Used
	if target.MaxTokens > 0 {
		r.prompt.MaxTokens = min(r.prompt.MaxTokens, target.MaxTokens)
	}
	return r.prompt, nil
}

// stopSequences returns the stop sequences of the prompt, each once: that of the format
// first, if the answer may hold a call, then the client's.
func stopSequences(req *messages.Request, f *format) []string {
	stops := make([]string, 0, 1+len(req.StopSequences))
	seen := make(map[string]bool, cap(stops))
	add := func(s string) {
		if !seen[s] {
			seen[s] = true
			stops = append(stops, s)
		}
	}
	if req.OffersTools() {
		add(f.stopSequence)
	}
	for _, s := range req.StopSequences {
		add(s)
	}
	return stops
}
