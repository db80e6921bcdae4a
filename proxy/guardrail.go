package proxy

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
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
		return nil, &translate.InvalidRequestError{
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
func readGuardrail(h http.Header, data []byte) (*guardrail, []byte, error) {
	g := &guardrail{name: "guardrailIdentifier"}
	g.ID, g.Version, g.Trace = h.Get(guardrailIDHeader), h.Get(guardrailVersionHeader), strings.ToLower(h.Get(guardrailTraceHeader))
	var config jsontext.Value
	if bytes.Contains(data, []byte(upstream.GuardrailConfig)) {
		var body map[string]jsontext.Value
		if json.Unmarshal(data, &body) == nil { // or its validation says what is wrong
			config = value(body[upstream.GuardrailConfig])
		}
	}
	if g.ID == "" && g.Version == "" && config == nil {
		return nil, data, nil
	}
	c := converter{dropped: map[string]bool{}}
	if config != nil {
		var from struct {
			TagSuffix string `json:"tagSuffix"`
			Mode      string `json:"streamProcessingMode"`
			Rest      others `json:",embed"`
		}
		if err := json.Unmarshal(config, &from); err != nil {
			return nil, nil, &translate.InvalidRequestError{Path: upstream.GuardrailConfig, Message: "This should be an object of strings."}
		}
		c.refuse(upstream.GuardrailConfig, from.Rest)
		g.TagSuffix, g.Mode = from.TagSuffix, strings.TrimSuffix(strings.ToLower(from.Mode), "hronous")
		data = translate.WithMembers(data, map[string]jsontext.Value{upstream.GuardrailConfig: nil})
	}
	c.checkGuardrail(g, "", upstream.GuardrailConfig+".streamProcessingMode")
	if c.err != nil {
		return nil, nil, c.err
	}
	return g, data, nil
}

// converseGuardrail is the guardrailConfig of Converse.
type converseGuardrail struct {
	ID      string `json:"guardrailIdentifier"`
	Version string `json:"guardrailVersion"`
	Trace   string `json:"trace"`
	Mode    string `json:"streamProcessingMode"`
	Rest    others `json:",embed"`
}

// guardrail returns the guardrail of a request of Converse, nil if it asks for none.
func (c *converter) guardrail(from *converseGuardrail) *guardrail {
	if from == nil {
		return nil
	}
	const at = "guardrailConfig"
	c.refuse(at, from.Rest)
	if qualifiers := "messages.content.guardContent.text.qualifiers"; c.dropped[qualifiers] {
		c.fail(qualifiers, "The guardrail looks at all of the prompt here, and cannot be told what its parts are.")
	}
	g := &guardrail{upstream.Guardrail{ID: from.ID, Version: from.Version, Trace: from.Trace, Mode: from.Mode}, at}
	c.checkGuardrail(g, at+".", at+".streamProcessingMode")
	if traces(g.Trace) {
		c.drop(at + ".trace") // the answer has no place for it
	}
	return g
}

// refuse fails for members that must not be passed over.
func (c *converter) refuse(at string, rest others) {
	for _, name := range rest.names() {
		c.fail(at+"."+name, "This cannot be expressed here.")
	}
}

// checkGuardrail checks the words of a guardrail, which stand in headers of another
// request: below a place, and the mode at one of its own.
func (c *converter) checkGuardrail(g *guardrail, below, mode string) {
	for _, word := range []struct{ at, value, also string }{
		{below + "guardrailIdentifier", g.ID, ":/-_."},
		{below + "guardrailVersion", g.Version, ""},
	} {
		const longest = 2048
		if word.value == "" || len(word.value) > longest || strings.Trim(word.value, alphanumeric+word.also) != "" {
			c.fail(word.at, "A guardrail has an identifier or an ARN, and a version, which is a number or DRAFT.")
		}
	}
	if !slices.Contains([]string{"", "enabled", "enabled_full", "disabled"}, g.Trace) {
		c.fail(below+"trace", "The trace is enabled, enabled_full or disabled.")
	}
	if !slices.Contains([]string{"", "sync", "async"}, g.Mode) {
		c.fail(mode, "The mode is synchronous or asynchronous.")
	}
}

// traces tells whether a client wants to know how a guardrail judged.
func traces(trace string) bool { return strings.HasPrefix(trace, "enabled") }
