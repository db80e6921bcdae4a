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

// Whether the parameters of a call fit its tool, by their names. How a value fits its schema is another
// question: see schema.AppendTyped.

// misfitOf returns why parameters of these names do not fit a tool with the schema s, as the reason of an
// outcome, and which names that is about. It returns "" if they fit.
func misfitOf(s *schema.Schema, strict bool, given []string) (reason string, which []string) {
	if which = s.Missing(given); len(which) > 0 {
		return messages.ReasonMissingParameters, which
	}
	if which = s.Undeclared(given, strict); len(which) > 0 {
		return messages.ReasonUndeclaredParameters, which
	}
	return "", nil
}

// misfit returns why the parameters of the call that is read do not fit its tool; "" if they do.
func (p *parser) misfit() (reason string) {
	call := &p.call
	if call.Unoffered || call.Schema == nil {
		return ""
	}
	given := call.Members
	for name := range call.Parameters {
		given = append(given, name)
	}
	tool := p.tools.Named(call.Tool)
	reason, _ = misfitOf(call.Schema, tool != nil && tool.Strict, given)
	return reason
}

// tellMisfit returns what the model is told of an input whose parameters do not fit the tool; "" if they
// do, or if there is no such tool.
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
