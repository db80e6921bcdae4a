package constrain

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// MaxBytes bounds what is sent of a constraint. Servers refuse long grammars, or take long to compile them.
const MaxBytes = 64 << 10

// ErrFree is the reason where a request asks for nothing that an answer could be held to.
var ErrFree = errors.New("the model may answer in any way")

// Answer returns the constraint of the answer to a prompt: calls, where a call is forced; what
// output_config.format asks for; and with free, calls or text, where the model may choose. The error says why
// there is none.
func Answer(p *prompt.Prompt, free bool) (*prompt.Constraint, error) {
	req := p.Source
	switch {
	case p.ToolAPI != nil:
		return nil, errors.New("the server writes the calls itself")
	case req.MustCall(), req.MayCall() && free && req.Format == nil:
		return p.Schemas.Memo.Constraint(appendKey(nil, p), func() (*prompt.Constraint, error) { return ofCalls(p) })
	case !req.MayCall() && req.Format != nil:
		return bounded(&prompt.Constraint{Schema: req.Format})
	}
	return nil, ErrFree
}

// appendKey appends all that ofCalls reads, so that other calls never give the same bytes.
func appendKey(dst []byte, p *prompt.Prompt) []byte {
	choice := p.Source.ToolChoice
	dst = fmt.Appendf(dst, "%q %q %q %d %q %q %t", p.Format, p.Variant, p.Opening, p.PastCalls(), choice.Type, choice.Name, choice.DisableParallelToolUse)
	for i := range p.Source.Tools {
		t := &p.Source.Tools[i]
		dst = fmt.Appendf(dst, " %q %d %s", t.Name, len(t.InputSchema), t.InputSchema)
	}
	return dst
}

// ofCalls returns the constraint of an answer that is calls, or may be.
func ofCalls(p *prompt.Prompt) (*prompt.Constraint, error) {
	list, err := newCalls(p)
	if err != nil {
		return nil, err
	}
	c := &prompt.Constraint{Grammar: list.text(list.answer())}
	switch {
	case !p.Source.MustCall():
		c.Triggers, c.Tag = list.triggers(), list.tag()
	case p.Opening == "":
		c.Schema = callSchema(list.tools)
	}
	return bounded(c)
}

// bounded returns a constraint that no server is too small for.
func bounded(c *prompt.Constraint) (*prompt.Constraint, error) {
	if size := max(len(c.Grammar), len(c.Tag), len(c.Schema)); size > MaxBytes {
		return nil, fmt.Errorf("the constraint has %d bytes, and servers take %d", size, MaxBytes)
	}
	return c, nil
}

// newCalls returns the calls that a prompt allows.
func newCalls(p *prompt.Prompt) (*calls, error) {
	c := &calls{format: cmp.Or(p.Declared, format.List[0]), opening: p.Opening, past: p.PastCalls(), one: p.Source.ToolChoice.DisableParallelToolUse}
	for i := range p.Source.Tools {
		t := &p.Source.Tools[i]
		if choice := p.Source.ToolChoice; choice.Type == messages.ChoiceTool && t.Name != choice.Name {
			continue
		}
		ways, ok := c.waysOf(t.Name, p.Schemas.Of(t))
		if !ok {
			return nil, fmt.Errorf("calls in the format %s have no grammar", c.format.Name)
		}
		c.tools, c.ways = append(c.tools, t), append(c.ways, ways...)
	}
	if len(c.tools) == 0 {
		return nil, errors.New("there is no tool to call")
	}
	return c, nil
}

// answer returns the expression of an answer that is calls, behind the prefill.
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

// others returns the expression of the calls behind the first.
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
