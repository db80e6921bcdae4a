package proxy

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// bedrockCount is CountTokens of Bedrock (reference/bedrock.md §6): a request of
// InvokeModel or of Converse, packed.
var bedrockCount = func() dialect {
	d := bedrockConverse
	d.name = "bedrock_count"
	d.convert = convertCount
	d.count = func(dst []byte, tokens int) []byte { return fmt.Appendf(dst, `{"inputTokens":%d}`, tokens) }
	return d
}()

// convertCount returns the request that is packed, as one of the Messages API. The
// body holds it as its input, which is a union.
func convertCount(ctx context.Context, data []byte) (*conversion, error) {
	if err := messages.CheckJSON(ctx, data); err != nil {
		return nil, err
	}
	c := converter{ctx: ctx, dropped: map[string]bool{}}
	var top *spot
	at, kinds := top.member("input"), []string{"converse", "invokeModel"}
	body := c.open(nil, rawjson.TrimSeparators(data), []string{"input"})
	input := c.open(at, body.Take("input"), kinds)
	kind := c.union(at, &input, kinds)
	if c.err != nil {
		return nil, c.err
	}
	at = at.member(kind)
	if kind == "converse" {
		inner, err := convertChecked(ctx, input.Take(kind))
		if err == nil && inner.guardrail != nil { // there is no answer that would have to pass it
			inner.dropped = append(inner.dropped, inner.guardrail.name)
		}
		return inner.within(at.String(), err)
	}
	packed := c.open(at, input.Take(kind), []string{"body"})
	at = at.member("body")
	unpacked, err := base64.StdEncoding.DecodeString(c.word(at, packed.Take("body")))
	if err != nil {
		c.fail(at, "This should be base64.")
	}
	if c.err != nil {
		return nil, c.err
	}
	return (&conversion{body: unpacked}).within(at.String(), nil)
}

// within is a conversion of what is at a place in the request, or the error in it.
func (c *conversion) within(at string, err error) (*conversion, error) {
	below := func(path string) string {
		if path == "" {
			return at
		}
		return at + "." + path
	}
	var invalid *messages.InvalidRequestError
	if errors.As(err, &invalid) {
		told := *invalid
		told.Path = below(told.Path)
		return nil, &told
	}
	if err != nil {
		return nil, err
	}
	place := c.place
	c.place = func(path string) string {
		if place != nil {
			path = place(path)
		}
		return below(path)
	}
	for i, name := range c.dropped {
		c.dropped[i] = below(name)
	}
	return c, nil
}
