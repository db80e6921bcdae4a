package constrain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// MaxBytes limits the size of a constraint. Servers reject long grammars, or take long to compile
// them.
const MaxBytes = 64 << 10

// ErrServersFormat is the error if the model gets its tools over a tools API.
var ErrServersFormat = errors.New("the server writes the calls in its own format, so no grammar fits")

// ErrFree is the error if the request allows any answer.
var ErrFree = errors.New("the model may answer in any way")

// Answer returns the constraint for the answer to a prompt: for a forced call, for
// output_config.format or, with free, for calls or text if the model may choose. If there is no
// constraint, the error says why. When ctx ends, its error is returned.
func Answer(ctx context.Context, p *prompt.Prompt, free bool) (*prompt.Constraint, error) {
	req := p.Source
	switch {
	case p.ToolAPI != nil && req.MustCall():
		return nil, ErrServersFormat
	case p.ToolAPI != nil:
	case req.MustCall(), req.MayCall() && free && req.OutputSchema == nil:
		return p.Schemas.Memo.Constraint(ctx, appendKey(nil, p), func() (*prompt.Constraint, error) { return ofCalls(ctx, p) })
	case !req.MayCall() && req.OutputSchema != nil:
		return bounded(&prompt.Constraint{Schema: req.OutputSchema})
	}
	return nil, ErrFree
}

// appendKey appends everything that ofCalls reads, so that different calls always give different
// keys.
func appendKey(dst []byte, p *prompt.Prompt) []byte {
	choice := p.Source.ToolChoice
	dst = fmt.Appendf(dst, "%q %q %q %d %d %q %q %t", p.Format, p.Variant, p.Opening, p.PastCalls(), p.Escaped.Tags, choice.Type, choice.Name, choice.DisableParallelToolUse)
	for i := range p.Source.Tools {
		t := &p.Source.Tools[i]
		dst = fmt.Appendf(dst, " %q %d %s", t.Name, len(t.InputSchema), t.InputSchema)
	}
	return dst
}

// ofCalls returns the constraint of an answer that is, or may be, calls. If it is too large, and tags have the names of
// parameters, it is made again with narrower texts.
func ofCalls(ctx context.Context, p *prompt.Prompt) (*prompt.Constraint, error) {
	c, err := withTexts(ctx, p, false)
	if errors.Is(err, errTooLarge) && namesTags(cmp.Or(p.Declared, format.List[0])) {
		return withTexts(ctx, p, true)
	}
	return c, err
}

// withTexts does what ofCalls does, once. narrow: see [calls].
func withTexts(ctx context.Context, p *prompt.Prompt, narrow bool) (_ *prompt.Constraint, err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case stopped:
			err = cause.error
		default:
			panic(cause)
		}
	}()
	list, err := newCalls(ctx, p, narrow)
	if err != nil {
		return nil, err
	}
	c := &prompt.Constraint{Grammar: list.text(list.answer())}
	if len(c.Grammar) > MaxBytes {
		return nil, errTooLarge
	}
	switch {
	case !p.Source.MustCall():
		c.Triggers, c.Tag = list.triggers(), list.tag()
	case p.Opening == "":
		c.Schema = callSchema(list.tools)
	}
	return bounded(c)
}

// bounded returns the constraint, or an error if it is too large for servers.
func bounded(c *prompt.Constraint) (*prompt.Constraint, error) {
	if max(len(c.Grammar), len(c.Tag), len(c.Schema)) > MaxBytes {
		return nil, errTooLarge
	}
	return c, nil
}

// newCalls returns the calls that a prompt allows.
func newCalls(ctx context.Context, p *prompt.Prompt, narrow bool) (*calls, error) {
	c := &calls{grammar: grammar{ctx: ctx}, narrow: narrow, format: cmp.Or(p.Declared, format.List[0]), opening: p.Opening, past: p.PastCalls(), one: p.Source.ToolChoice.DisableParallelToolUse, written: p.Written}
	for i := range p.Source.Tools {
		t := &p.Source.Tools[i]
		if choice := p.Source.ToolChoice; choice.Type != messages.ChoiceTool || t.Name == choice.Name {
			c.tools = append(c.tools, t)
		}
	}
	if narrow {
		c.begins = c.paramBegins(p.Schemas)
	}
	for _, t := range c.tools {
		ways, ok := c.waysOf(t.Name, p.Schemas.Of(t))
		if !ok {
			return nil, fmt.Errorf("no grammar describes calls in the format %q", c.format.Name)
		}
		c.ways = append(c.ways, ways...)
	}
	if len(c.tools) == 0 {
		return nil, errors.New("the request has no tool that may be called")
	}
	return c, nil
}

// answer returns the expression of an answer of calls, after the prefill.
func (c *calls) answer() string {
	var first []string
	number := fmt.Sprint(c.past)
	for _, w := range c.ways {
		head := c.frame.Before + strings.Replace(w.head, format.CallNumber, number, 1)
		if rest, ok := strings.CutPrefix(head, c.opening); ok {
			first = append(first, sequence(literal(rest), w.end()))
		}
	}
	return sequence(either(first...), c.others(), literal(c.frame.After))
}

// others returns the expression of the calls after the first.
func (c *calls) others() string {
	if c.one {
		return ""
	}
	var list []string
	for _, w := range c.ways {
		list = append(list, sequence(headBehind("", w.head), w.end()))
	}
	return "(" + sequence(literal(c.frame.Between), either(list...)) + ")*"
}
