package convert

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

// Bedrock clients ask for a guardrail in two ways (docs/reference/bedrock.md §2, §5): in headers of InvokeModel, which
// some also send with the Messages API, or in the body of Converse. A guardrail is a safety control. So everything
// about it is either understood or rejected, and never dropped, not even under compat: lenient.

// Guardrail is the guardrail that a request asks for.
type Guardrail struct {
	upstream.Guardrail
	Name string // the client's name for it: the field of the body, or the name of the header
}

// The headers of InvokeModel that ask for a guardrail.
const (
	guardrailIDHeader      = "X-Amzn-Bedrock-Guardrailidentifier"
	guardrailVersionHeader = "X-Amzn-Bedrock-Guardrailversion"
	GuardrailTraceHeader   = "X-Amzn-Bedrock-Trace"
)

// modeMember is the field for when the guardrail checks a stream: before the client gets a piece, or at the same time.
const modeMember = "streamProcessingMode"

// TakeGuardrail returns the guardrail from the header h and the body of a request, nil if there is none, and the body
// without it. The error is a *messages.InvalidRequestError.
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
		// The body of InvokeModel has SYNCHRONOUS where Converse has sync.
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

// guardrailConfig returns the guardrail's part of an InvokeModel body. It is nil if there is none, or if the body is
// not JSON: decoding the body reports that error, with its place.
func guardrailConfig(ctx context.Context, body []byte) (config jsontext.Value) {
	// Few texts contain many dashes, so searching for them is fast.
	if _, rare, _ := strings.Cut(upstream.GuardrailConfig, "-"); !bytes.Contains(body, []byte("-"+rare)) {
		return nil
	}
	if messages.CheckJSON(ctx, body) != nil {
		return nil
	}
	return nonNull(rawjson.Lookup(body, upstream.GuardrailConfig))
}

// guardrail returns the guardrail of a Converse request, nil for none. The content of the request has been written
// already, and may have marked a part of the prompt for the guardrail.
func (c *converter) guardrail(at *memberPath, v jsontext.Value) *Guardrail {
	if v = nonNull(v); v == nil {
		return nil
	}
	from := c.object(at, v, []string{"guardrailIdentifier", "guardrailVersion", "trace", modeMember})
	for _, list := range []string{"messages.content", "system"} {
		if qualifiers := list + ".guardContent.text.qualifiers"; c.dropped[qualifiers] {
			c.failBy(messages.FaultUnsupported, (*memberPath)(nil).member(qualifiers), "The guardrail checks the whole prompt here. Remove the qualifiers.")
		}
	}
	value := func(name string) string { return c.stringValue(at.member(name), from.Take(name)) }
	g := &Guardrail{Name: at.String(), Guardrail: upstream.Guardrail{
		ID: value("guardrailIdentifier"), Version: value("guardrailVersion"), Trace: value("trace"), Mode: value(modeMember),
	}}
	c.failRest(at, &from)
	c.checkGuardrail(g, at, at.member(modeMember))
	if strings.HasPrefix(g.Trace, "enabled") {
		c.drop(at.member("trace")) // the answer has no field for the trace
	}
	return g
}

// failRest fails if an object has fields that were not taken out.
func (c *converter) failRest(at *memberPath, o *rawjson.Object) {
	for _, m := range o.Members {
		if nonNull(m.Value) != nil {
			c.failBy(messages.FaultUnknownField, at.member(withoutDots(m.Name)), "This field is not supported here.")
		}
	}
}

// checkGuardrail fails if the guardrail has an impossible value. The values become headers of the request to Bedrock,
// so only some characters are allowed. at is the place of the guardrail in the client's request, and modeAt the place
// of the mode.
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

// isAlphanumeric reports whether s has only ASCII letters, digits and the given marks.
func isAlphanumeric(s, marks string) bool {
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte(marks, c) < 0 {
			return false
		}
	}
	return true
}
