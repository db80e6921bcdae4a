package inspector

import (
	"context"
	"errors"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// asked begins another prompt.
func (c *capture) asked(m proxy.UpstreamModel, p *prompt) {
	p.at, p.upstream, p.model = c.elapsed(), m.Upstream, m.Model
	c.prompt, c.trace, c.req = p, nil, nil
	c.change(func() {
		c.line.Model, c.line.Route, c.line.Stream = clip(c.record.Model), c.record.Pattern, c.record.Stream
		c.line.Upstream, c.line.UpstreamModel, c.line.Format = m.Upstream, clip(m.Model), p.format
		c.line.Continues = c.before
		c.line.Prompts++
		if !c.gone {
			c.prompts = append(c.prompts, p)
		}
	})
	if c.line.Replay == "" { // no client's turn follows a replay
		c.store.say(c.keptExchange, c.heard)
	}
}

// rendered keeps a prompt.
func (c *capture) rendered(m proxy.UpstreamModel, req *messages.Request, p *translate.Prompt) {
	target := m.Target(m.Spec())
	kept := &prompt{
		again: p.Again(), format: m.FormatName(), stops: clipAll(p.StopSequences), most: p.MaxTokens, repairs: m.Repair > 0, target: target,
		guides:    (m.Wire == proxy.WireChat || m.Wire == proxy.WirePrompt) && (m.Constrain == "" || m.Constrain == proxy.ConstrainOff),
		opensCall: req.MustCall() && req.Messages[len(req.Messages)-1].Role == messages.RoleUser,
	}
	kept.target.ToolAPI = p.ToolAPI != nil
	c.asked(m, kept)
	c.req, c.trace = req, translate.NewTrace(req, p)
	c.change(func() { c.line.mayCall = req.MayCall() && !req.AnswersResults() })
	sources := sourcesOf(c.ctx, req, target)
	eachSection(p, func(s section, text string) {
		keep(c, &kept.text, text, mostPrompt)
		if c.store.reserve(c.keptExchange, sectionSize) < sectionSize {
			return
		}
		if spans := sources[s.Path].spans(text); c.store.reserve(c.keptExchange, len(spans)*sourceSize) == len(spans)*sourceSize {
			s.Sources = spans
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		s.End = kept.text.size
		kept.sections = append(kept.sections, s)
	})
	c.store.touch(c.keptExchange)
}

// passed keeps a body for a model's own tools API.
func (c *capture) passed(m proxy.UpstreamModel, body []byte) {
	p := &prompt{native: true}
	c.asked(m, p)
	keep(c, &p.text, body, mostPrompt)
	c.mu.Lock()
	defer c.mu.Unlock()
	p.sections = []section{{Path: "body", Role: "native", End: p.text.size}}
}

// calling begins a call.
func (c *capture) calling(ctx context.Context, m proxy.UpstreamModel) context.Context {
	call := &keptCall{at: c.elapsed(), upstream: m.Upstream, model: m.Model}
	c.call, c.heardAt = call, call.at
	c.change(func() {
		c.line.Calls++
		if !c.gone {
			c.calls = append(c.calls, call)
		}
	})
	return c.keptExchange.traced(ctx, call)
}

// called ends a call.
func (c *capture) called(err error) {
	c.change(func() {
		if c.call == nil {
			return
		}
		c.call.ended = c.elapsed()
		c.hear(c.call.ended)
		if err != nil {
			c.call.err = redact(clipTo(err.Error(), 4<<10))
			if said := (*upstream.Error)(nil); errors.As(err, &said) && said.RequestID != "" {
				c.call.err += " (the upstream's request id: " + clip(said.RequestID) + ")"
			}
		}
		c.call = nil
	})
}
