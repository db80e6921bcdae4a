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

// This file checks the parameter names of a call against its tool. schema.AppendTyped checks the values.

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

// misfit returns why the parameters of the current call do not fit its tool, or "" if they fit.
func (p *parser) misfit() (reason messages.Reason) {
	call := &p.call
	if call.Unoffered || call.Schema == nil {
		return messages.ReasonNone
	}
	given := call.Members
	for name := range call.Parameters {
		given = append(given, name)
	}
	tool := p.tools.Named(call.Tool)
	reason, _ = misfitOf(call.Schema, tool != nil && tool.Strict, given)
	return reason
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
