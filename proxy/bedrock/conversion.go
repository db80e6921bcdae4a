// Package bedrock reads the bodies of requests to Amazon Bedrock that are not those of
// the Messages API, and writes them as such: [FromConverse] and [FromCountTokens]. It
// also reads the guardrail that a request asks for ([TakeGuardrail]).
//
// All names of docs/reference/bedrock.md are read strictly: an unknown member is named
// in [Conversion.Dropped], and a misspelt one is an error.
package bedrock

import (
	"errors"
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// Conversion is the body of a request in the terms of the Messages API, and the way
// back from its names to those that the client used. A nil Conversion is for a request
// that came in these terms: nothing is renamed.
type Conversion struct {
	Body       []byte     // a request of the Messages API, without model and stream
	Dropped    []string   // members of the request that Body has no place for: sorted, in the client's terms
	Refusable  string     // the first of Dropped that is more than a hint, which compat: strict refuses; "" for none
	lengthOpen bool       // the client did not say how long the answer may be; max_tokens in Body is a default
	Guardrail  *Guardrail // that the answer has to pass; nil for none

	path  func(path string) string // turns a path in Body into the client's; not for one that is the client's already
	words *strings.Replacer        // puts the text of an error in the client's terms; nil if they are the same
}

// HasOpenLength reports whether the client left open how long the answer may be.
func (c *Conversion) HasOpenLength() bool { return c != nil && c.lengthOpen }

// Error returns an error about Body in the client's terms. Errors of other types than
// *messages.InvalidRequestError are returned as they are.
func (c *Conversion) Error(err error) error {
	var invalid *messages.InvalidRequestError
	if c == nil || !errors.As(err, &invalid) {
		return err
	}
	renamed := *invalid
	renamed.Path = c.path(renamed.Path)
	if c.words != nil {
		renamed.Message = c.words.Replace(renamed.Message)
	}
	return &renamed
}

// DroppedWith returns Dropped and the given fields of Body, all in the client's terms,
// sorted, each once.
func (c *Conversion) DroppedWith(fields []string) []string {
	if c == nil {
		return fields
	}
	names := slices.Clone(c.Dropped)
	for _, field := range fields {
		names = append(names, c.Name(field))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Name returns what a field of Body is called in the client's request.
func (c *Conversion) Name(field string) string {
	if c == nil {
		return field
	}
	return c.path(field)
}

// within returns the conversion of a request that is a part of another one: at is where it
// stands there, and comes before all names. err is the error of the conversion, nil for
// none; its path is renamed in the same way, and it is returned.
func (c *Conversion) within(at string, err error) (*Conversion, error) {
	below := func(path string) string {
		if path == "" {
			return at
		}
		return at + "." + path
	}
	var invalid *messages.InvalidRequestError
	if errors.As(err, &invalid) {
		renamed := *invalid
		renamed.Path = below(renamed.Path)
		return nil, &renamed
	}
	if err != nil {
		return nil, err
	}
	inner := c.path
	c.path = func(path string) string {
		if inner != nil {
			path = inner(path)
		}
		return below(path)
	}
	for i, name := range c.Dropped {
		c.Dropped[i] = below(name)
	}
	if c.Refusable != "" {
		c.Refusable = below(c.Refusable)
	}
	return c, nil
}
