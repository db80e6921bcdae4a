package proxy

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
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

// countRequest is the body of CountTokens; its input is a union.
type countRequest struct {
	Input struct {
		Converse jsontext.Value `json:"converse"`
		Invoke   *struct {
			Body string `json:"body"` // base64
			Rest others `json:",embed"`
		} `json:"invokeModel"`
		Rest others `json:",embed"`
	} `json:"input"`
	Rest others `json:",embed"`
}

// convertCount returns the request that is packed, as one of the Messages API.
func convertCount(data []byte) (*conversion, error) {
	var from countRequest
	if err := json.Unmarshal(data, &from); err != nil || jsontext.Value(data).Kind() != '{' {
		return nil, converseError(data, err)
	}
	in := &from.Input
	c := converter{dropped: map[string]bool{}}
	c.union("input", in.Rest, value(in.Converse) != nil, in.Invoke != nil)
	if c.err != nil {
		return nil, c.err
	}
	if in.Invoke == nil {
		inner, err := convertConverse(in.Converse)
		if err == nil && inner.guardrail != nil { // there is no answer that would have to pass it
			inner.dropped = append(inner.dropped, inner.guardrail.name)
		}
		return inner.within("input.converse", err)
	}
	body, err := base64.StdEncoding.DecodeString(in.Invoke.Body)
	if err != nil {
		return nil, &translate.InvalidRequestError{Path: "input.invokeModel.body", Message: "This should be base64."}
	}
	return (&conversion{body: body}).within("input.invokeModel.body", nil)
}

// within is a conversion of what is at a place in the request, or the error in it.
func (c *conversion) within(at string, err error) (*conversion, error) {
	below := func(path string) string {
		if path == "" {
			return at
		}
		return at + "." + path
	}
	var invalid *translate.InvalidRequestError
	if errors.As(err, &invalid) {
		told := *invalid
		told.Path = below(told.Path)
		return nil, &told
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
