// Package convert turns requests of other client APIs into requests of the Messages API: see [FromConverse],
// [FromCountTokens] and [FromChat]. It also reads the guardrail of a Bedrock request: see [TakeGuardrail].
//
// It reads all names of an API strictly: [Conversion.Dropped] names an unknown field, and a misspelt field is an error.
package convert

import (
	"errors"
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// Conversion is a request's body in the form of the Messages API, with the way back to the client's names. A nil
// Conversion is for a request that already has that form: it renames nothing.
type Conversion struct {
	Body       []byte     // a request of the Messages API, without model and stream
	Dropped    []string   // fields of the request that Body cannot have: sorted, under the client's names
	Refusable  string     // the first of Dropped that is more than a hint, so that compat: strict rejects it; "" for none
	lengthOpen bool       // the client did not limit the answer's length, so max_tokens in Body is a default
	Guardrail  *Guardrail // that the answer must pass; nil for none

	IncludeUsage bool // Chat Completions: a stream ends with the usage
	JSONAnswer   bool // Chat Completions: the answer is JSON, unless it is a call

	path  func(path string) string // translates a path in Body to the client's path; nil if the paths are the same
	words *strings.Replacer        // translates the text of an error to the client's terms; nil if the terms are the same
}

// defaultMaxTokens is the max_tokens of a request without a limit. The default of the other APIs is the model's limit,
// which is not known for all models. Every model can write this many tokens, and a cut answer says that it was cut.
const defaultMaxTokens = "4096"

// HasOpenLength reports whether the client did not limit the answer's length.
func (c *Conversion) HasOpenLength() bool { return c != nil && c.lengthOpen }

// Error translates an error about Body into the client's terms. It returns an error that is not a
// *messages.InvalidRequestError unchanged.
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

// DroppedWith returns Dropped and the given fields of Body, under the client's names, sorted and without duplicates.
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

// Name returns the client's name of a field of Body.
func (c *Conversion) Name(field string) string {
	if c == nil {
		return field
	}
	return c.path(field)
}

// within returns the conversion of a request that is part of another request: at is its place there, and becomes the
// prefix of all names. err is the conversion's error or nil; within returns it with the same prefix.
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
