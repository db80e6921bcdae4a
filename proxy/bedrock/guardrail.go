package bedrock

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

// Clients of Bedrock ask for a guardrail in two ways (docs/reference/bedrock.md §2, §5):
// in headers of InvokeModel, which some send with the Messages API too, or in the body of
// Converse. A guardrail is a control for safety. So what is said about it here is either
// understood or refused, and never dropped, also where compat is lenient.

// Guardrail is the guardrail that a request asks for.
type Guardrail struct {
	upstream.Guardrail
	Name string // what the client calls it: the member of the body, or the name for the header
}

// The headers of InvokeModel that ask for a guardrail.
const (
	guardrailIDHeader      = "X-Amzn-Bedrock-Guardrailidentifier"
	guardrailVersionHeader = "X-Amzn-Bedrock-Guardrailversion"
	GuardrailTraceHeader   = "X-Amzn-Bedrock-Trace"
)

// modeMember is the member that says when the guardrail looks at a stream: before the
// client gets a piece of it, or at the same time.
const modeMember = "streamProcessingMode"

// TakeGuardrail returns the guardrail that the header h and the body of a request ask
// for, nil if neither does, and the body without what it says about the guardrail. The
// error is a *messages.InvalidRequestError.
func TakeGuardrail(ctx context.Context, h http.Header, body []byte) (*Guardrail, []byte, error) {
	g := &Guardrail{Name: "guardrailIdentifier"}
	g.ID, g.Version, g.Trace = h.Get(guardrailIDHeader), h.Get(guardrailVersionHeader), strings.ToLower(h.Get(GuardrailTraceHeader))
	config := guardrailConfig(ctx, body)
	if g.ID == "" && g.Version == "" && config == nil {
		return nil, body, nil
	}
	var top *memberPath
	at := top.member(upstream.GuardrailConfig)
	c := converter{ctx: ctx, dropped: map[string]bool{}}
	if config != nil {
		from := c.object(at, config, []string{"tagSuffix", modeMember})
		g.TagSuffix = c.stringValue(at.member("tagSuffix"), from.Take("tagSuffix"))
		// The body says SYNCHRONOUS where Converse says sync.
		g.Mode = strings.TrimSuffix(strings.ToLower(c.stringValue(at.member(modeMember), from.Take(modeMember))), "hronous")
		c.failRest(at, &from)
		body = rawjson.WithMembers(body, map[string]jsontext.Value{upstream.GuardrailConfig: nil})
	}
	c.checkGuardrail(g, top, at.member(modeMember))
	if c.err != nil {
		return nil, nil, c.err
	}
	return g, body, nil
}

// guardrailConfig returns what the body of InvokeModel says of a guardrail, nil if it
// says nothing or is no JSON: decoding the body reports that error, with its place.
func guardrailConfig(ctx context.Context, body []byte) (config jsontext.Value) {
	if _, rare, _ := strings.Cut(upstream.GuardrailConfig, "-"); !bytes.Contains(body, []byte("-"+rare)) { // few texts hold many dashes, so this is quick
		return nil
	}
	if messages.CheckJSON(ctx, body) != nil {
		return nil
	}
	return nonNull(rawjson.Lookup(body, upstream.GuardrailConfig))
}

// guardrail returns the guardrail of a request of Converse, nil for none. The content of
// the request has been written: it may ask for a part of the prompt to be looked at.
func (c *converter) guardrail(at *memberPath, v jsontext.Value) *Guardrail {
	if v = nonNull(v); v == nil {
		return nil
	}
	from := c.object(at, v, []string{"guardrailIdentifier", "guardrailVersion", "trace", modeMember})
	for _, list := range []string{"messages.content", "system"} {
		if qualifiers := list + ".guardContent.text.qualifiers"; c.dropped[qualifiers] {
			c.failBy(messages.FaultUnsupported, (*memberPath)(nil).member(qualifiers), "The guardrail looks at all of the prompt here, and cannot be told what its parts are.")
		}
	}
	value := func(name string) string { return c.stringValue(at.member(name), from.Take(name)) }
	g := &Guardrail{Name: at.String(), Guardrail: upstream.Guardrail{
		ID: value("guardrailIdentifier"), Version: value("guardrailVersion"), Trace: value("trace"), Mode: value(modeMember),
	}}
	c.failRest(at, &from)
	c.checkGuardrail(g, at, at.member(modeMember))
	if strings.HasPrefix(g.Trace, "enabled") {
		c.drop(at.member("trace")) // the answer has no place for the trace
	}
	return g
}

// failRest fails if an object has members that were not taken.
func (c *converter) failRest(at *memberPath, o *rawjson.Object) {
	for _, m := range o.Members {
		if nonNull(m.Value) != nil {
			c.failBy(messages.FaultUnknownField, at.member(withoutDots(m.Name)), "This cannot be expressed here.")
		}
	}
}

// checkGuardrail fails if the guardrail has a value that no guardrail can have. The values
// become headers of the request to Bedrock, so only some characters are allowed in them.
// at is where the client's request has the guardrail, and modeAt where it has the mode.
func (c *converter) checkGuardrail(g *Guardrail, at, modeAt *memberPath) {
	for _, id := range []struct{ name, value, marks string }{
		{"guardrailIdentifier", g.ID, ":/-_."},
		{"guardrailVersion", g.Version, ""},
	} {
		const longest = 2048
		if id.value == "" || len(id.value) > longest || !isAlphanumeric(id.value, id.marks) {
			c.fail(at.member(id.name), "A guardrail has an identifier or an ARN, and a version, which is a number or DRAFT.")
		}
	}
	if !slices.Contains([]string{"", "enabled", "enabled_full", "disabled"}, g.Trace) {
		c.fail(at.member("trace"), "The trace is enabled, enabled_full or disabled.")
	}
	if !slices.Contains([]string{"", "sync", "async"}, g.Mode) {
		c.fail(modeAt, "The mode is synchronous or asynchronous.")
	}
}

// isAlphanumeric reports whether s has nothing but letters and digits of ASCII and the
// given marks.
func isAlphanumeric(s, marks string) bool {
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte(marks, c) < 0 {
			return false
		}
	}
	return true
}
