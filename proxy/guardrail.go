package proxy

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream"
)

// A guardrail is a control for safety: a request that asks for one is answered by a
// model whose upstream keeps it, or refused, whatever compat says. Clients of Bedrock
// ask for it in two ways (reference/bedrock.md §2, §5): in headers, which some send
// with the Messages API too, or in the body of Converse.

// GuardedUpstream is an upstream that can have answers pass a guardrail of Bedrock's.
type GuardedUpstream interface {
	Keeps(m upstream.Model, g upstream.Guardrail) bool
}

// guardrail is what a request asks for, and what the client calls it.
type guardrail struct {
	upstream.Guardrail
	name string
}

// guarded returns the ways that keep the guardrail of the request: all, if there is
// none. It is an error if the first one does not.
func (x *exchange) guarded(ways []Way, stream bool) ([]Way, error) {
	if x.guardrail == nil {
		return ways, nil
	}
	if !stream {
		x.guardrail.Mode = "" // an answer that is whole has been looked at
	}
	keeps := func(w Way) bool {
		via, ok := x.s.upstreams[w.Via()].(GuardedUpstream)
		return ok && via.Keeps(w.Asked(), x.guardrail.Guardrail)
	}
	if !keeps(ways[0]) {
		return nil, &messages.InvalidRequestError{
			Path: x.guardrail.name,
			Message: "The guardrail cannot be kept: this model is not asked on Amazon Bedrock, or by an operation there that cannot be told all of it. " +
				"Ask a model of an upstream of the kind bedrock, or leave the guardrail out.",
		}
	}
	return slices.DeleteFunc(slices.Clone(ways), func(w Way) bool { return !keeps(w) }), nil
}

// The headers of InvokeModel that ask for a guardrail.
const (
	guardrailIDHeader      = "X-Amzn-Bedrock-Guardrailidentifier"
	guardrailVersionHeader = "X-Amzn-Bedrock-Guardrailversion"
	guardrailTraceHeader   = "X-Amzn-Bedrock-Trace"
)

// readGuardrail reads the guardrail that the headers ask for, nil if they ask for none,
// and what the body says of it. It returns the body without that.
func readGuardrail(ctx context.Context, h http.Header, data []byte) (*guardrail, []byte, error) {
	g := &guardrail{name: "guardrailIdentifier"}
	g.ID, g.Version, g.Trace = h.Get(guardrailIDHeader), h.Get(guardrailVersionHeader), strings.ToLower(h.Get(guardrailTraceHeader))
	config := guardrailConfig(ctx, data)
	if g.ID == "" && g.Version == "" && config == nil {
		return nil, data, nil
	}
	var top *spot
	at := top.member(upstream.GuardrailConfig)
	c := converter{ctx: ctx, dropped: map[string]bool{}}
	if config != nil {
		from := c.open(at, config, []string{"tagSuffix", modeMember})
		g.TagSuffix = c.word(at.member("tagSuffix"), from.Take("tagSuffix"))
		g.Mode = strings.TrimSuffix(strings.ToLower(c.word(at.member(modeMember), from.Take(modeMember))), "hronous")
		c.refuse(at, &from)
		data = rawjson.WithMembers(data, map[string]jsontext.Value{upstream.GuardrailConfig: nil})
	}
	c.checkGuardrail(g, top, at.member(modeMember))
	if c.err != nil {
		return nil, nil, c.err
	}
	return g, data, nil
}

// guardrailConfig returns what the body of InvokeModel says of a guardrail, or nil. If
// the body is no JSON, its validation says what is wrong.
func guardrailConfig(ctx context.Context, data []byte) (config jsontext.Value) {
	if !bytes.Contains(data, []byte(upstream.GuardrailConfig)) || messages.CheckJSON(ctx, data) != nil {
		return nil
	}
	for name, v := range rawjson.Members(rawjson.TrimSeparators(data)) {
		if rawjson.UnquoteKnown(name, []string{upstream.GuardrailConfig}) == upstream.GuardrailConfig {
			config = given(v)
		}
	}
	return config
}

const modeMember = "streamProcessingMode"

// guard reads the guardrail of a request of Converse, once its content is written.
func (c *converter) guard(at *spot, v jsontext.Value) {
	if v = given(v); v == nil {
		return
	}
	from := c.open(at, v, []string{"guardrailIdentifier", "guardrailVersion", "trace", modeMember})
	for _, list := range []string{"messages.content", "system"} {
		if qualifiers := list + ".guardContent.text.qualifiers"; c.dropped[qualifiers] {
			c.fail((*spot)(nil).member(qualifiers), "The guardrail looks at all of the prompt here, and cannot be told what its parts are.")
		}
	}
	word := func(name string) string { return c.word(at.member(name), from.Take(name)) }
	g := &guardrail{name: at.String(), Guardrail: upstream.Guardrail{
		ID: word("guardrailIdentifier"), Version: word("guardrailVersion"), Trace: word("trace"), Mode: word(modeMember),
	}}
	c.refuse(at, &from)
	c.checkGuardrail(g, at, at.member(modeMember))
	if traces(g.Trace) {
		c.drop(at.member("trace")) // the answer has no place for it
	}
	c.guardrail = g
}

// refuse fails for members that must not be passed over.
func (c *converter) refuse(at *spot, o *rawjson.Object) {
	for _, m := range o.Members {
		if given(m.Value) != nil {
			c.fail(at.member(dotless(m.Name)), "This cannot be expressed here.")
		}
	}
}

// checkGuardrail checks the words of a guardrail, which stand in headers of another
// request: at a place, and the mode at one of its own.
func (c *converter) checkGuardrail(g *guardrail, at, mode *spot) {
	for _, word := range []struct{ name, value, also string }{
		{"guardrailIdentifier", g.ID, ":/-_."},
		{"guardrailVersion", g.Version, ""},
	} {
		const longest = 2048
		if word.value == "" || len(word.value) > longest || strings.Trim(word.value, alphanumeric+word.also) != "" {
			c.fail(at.member(word.name), "A guardrail has an identifier or an ARN, and a version, which is a number or DRAFT.")
		}
	}
	if !slices.Contains([]string{"", "enabled", "enabled_full", "disabled"}, g.Trace) {
		c.fail(at.member("trace"), "The trace is enabled, enabled_full or disabled.")
	}
	if !slices.Contains([]string{"", "sync", "async"}, g.Mode) {
		c.fail(mode, "The mode is synchronous or asynchronous.")
	}
}

// traces tells whether a client wants to know how a guardrail judged.
func traces(trace string) bool { return strings.HasPrefix(trace, "enabled") }
