package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file judges a call by the schema of its tool: the names of its parameters, and whether each value fits its type.
// schema.AppendTyped decides that for text, and schema.Misfits for JSON, by the same rules.

// misfitOf returns why the given parameter names do not fit a tool with the schema s, as the reason of an outcome,
// and the names at fault. It returns "" if they fit.
func misfitOf(s *schema.Schema, strict bool, given []string) (reason messages.Reason, which []string) {
	if which = s.Missing(given); len(which) > 0 {
		return messages.ReasonMissingParameters, which
	}
	if which = s.Undeclared(given, strict); len(which) > 0 {
		return messages.ReasonUndeclaredParameters, which
	}
	return messages.ReasonNone, nil
}

// judgeCall returns the kind of a whole call to an offered tool with the schema s, and the reason. given are the names of
// its parameters. typed is ReasonType if a value does not fit its type.
func judgeCall(s *schema.Schema, strict bool, given []string, typed messages.Reason) (messages.OutcomeKind, messages.Reason) {
	reason, _ := misfitOf(s, strict, given)
	switch {
	case reason != messages.ReasonNone:
		return messages.OutcomeInvalid, reason
	case typed != messages.ReasonNone:
		return messages.OutcomeTypeFallback, typed
	}
	return messages.OutcomeClean, messages.ReasonNone
}

// judge returns what judgeCall does, for the current call.
func (p *parser) judge() (messages.OutcomeKind, messages.Reason) {
	call := &p.call
	switch {
	case call.Unoffered:
		return messages.OutcomeUnknownTool, messages.ReasonNone
	case call.Schema == nil:
		return messages.OutcomeClean, messages.ReasonNone
	}
	given := call.Members
	for name := range call.Parameters {
		given = append(given, name)
	}
	tool := p.tools.Named(call.Tool)
	return judgeCall(call.Schema, tool != nil && tool.Strict, given, call.Misfit)
}

// tellMisfit returns what to tell the model if the names of the input do not fit the tool, or if a value is copied
// from the example. It returns "" if the input is fine, or if the tool does not exist.
func (c *correction) tellMisfit(tool string, input jsontext.Value) string {
	i := slices.IndexFunc(c.req.Tools, func(t messages.Tool) bool { return t.Name == tool })
	if i < 0 {
		return ""
	}
	t := &c.req.Tools[i]
	reason, names := misfitOf(schema.Compile(t.InputSchema), t.Strict, rawjson.MemberNames(input))
	switch reason {
	case messages.ReasonMissingParameters:
		return "Missing parameters: " + strings.Join(names, ", ") + "."
	case messages.ReasonUndeclaredParameters:
		return "Parameters that the tool does not have: " + strings.Join(names, ", ") + "."
	}
	for _, text := range c.invented {
		if hasString(input, text) {
			return fmt.Sprintf("The value %q is the example's. Take values from the conversation.", text)
		}
	}
	return ""
}
