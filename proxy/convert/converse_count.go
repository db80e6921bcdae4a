package convert

import (
	"context"
	"encoding/base64"

	"dragoman/translate/messages"
)

// FromCountTokens converts a request of CountTokens (docs/reference/bedrock.md §6). Its input is a union: a request of
// Converse or, in base64, a body of InvokeModel in the form of the Messages API. The error is the cause of ctx, or a
// *messages.InvalidRequestError with paths in the client's own request.
func FromCountTokens(ctx context.Context, data []byte) (*Conversion, error) {
	if err := messages.CheckJSON(ctx, data); err != nil {
		return nil, err
	}
	c := converter{ctx: ctx, dropped: map[string]bool{}}
	var top *memberPath
	at, kinds := top.member("input"), []string{"converse", "invokeModel"}
	body := c.object(nil, data, []string{"input"})
	input := c.object(at, body.Take("input"), kinds)
	kind := c.union(at, &input, kinds)
	if c.err != nil {
		return nil, c.err
	}
	at = at.member(kind)
	if kind == "converse" {
		inner, err := fromObject(ctx, input.Take(kind))
		if err == nil && inner.Guardrail != nil { // a count has no answer for the guardrail to judge
			inner.Dropped = append(inner.Dropped, inner.Guardrail.Name)
			inner.Refusable = firstOf(inner.Refusable, inner.Guardrail.Name)
		}
		return inner.within(at.String(), err)
	}
	packed := c.object(at, input.Take(kind), []string{"body"})
	at = at.member("body")
	unpacked, err := base64.StdEncoding.DecodeString(c.stringValue(at, packed.Take("body")))
	if err != nil {
		c.fail(at, "This should be base64.")
	}
	if c.err != nil {
		return nil, c.err
	}
	return (&Conversion{Body: unpacked}).within(at.String(), nil)
}
