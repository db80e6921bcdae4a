// Package check checks values against JSON Schemas. Strangers write both, so the work is limited.
//
// [New] makes the checks of a request, and package translate applies them to an answer. [Schemas] caches compiled
// schemas for requests that send the same ones again.
package check

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The fields with the checked schemas.
const (
	FieldFormat   = "output_config.format"
	FieldStrict   = "tools.strict"
	FieldExamples = "tools.input_examples"
)

// New returns the checks that an answer must pass if its model only completes text. The answer must fit its schema
// (output_config.format), the inputs of strict tools must fit theirs, and the answer must do what tool_choice demands.
// If the model's entry has repair, its calls must also be readable. New returns nil if the request asks for none of
// these.
//
// If a schema makes no sense or takes too much work, the request does not fail, because the model has seen the schema.
// The answer then passes unchecked, and New calls unchecked with the field. Schemas in known are not compiled again.
// New checks the examples of the tools' inputs at once. An example that does not fit is a
// [*messages.InvalidRequestError].
func New(req *messages.Request, repair bool, known *Schemas, unchecked func(field string)) (*translate.Checks, error) {
	v := &validator{budget, known}
	check := func(s *jsonschema.Schema, field string) func(jsontext.Value) string {
		return func(value jsontext.Value) string {
			problem, checked := v.check(s, value)
			if !checked {
				unchecked(field)
			}
			return problem
		}
	}
	c := translate.Checks{
		Inputs:   map[string]func(jsontext.Value) string{},
		Readable: repair && req.MayCall(),
		Choice:   req.ShowsTools() && (req.MustCall() || !req.MayCall()),
	}
	if req.OutputSchema != nil {
		if s := v.compile(req.OutputSchema); s != nil {
			c.JSON = check(s, FieldFormat)
		} else {
			unchecked(FieldFormat)
		}
	}
	for i := range req.Tools {
		t := &req.Tools[i]
		if !t.Strict && len(t.InputExamples) == 0 {
			continue
		}
		s := v.compile(t.InputSchema)
		switch {
		case s != nil && t.Strict:
			c.Inputs[t.Name] = check(s, FieldStrict)
		case t.Strict:
			unchecked(FieldStrict)
		}
		if err := v.checkExamples(t, s, unchecked); err != nil {
			return nil, err
		}
	}
	if req.OutputSchema == nil && len(c.Inputs) == 0 && !c.Readable && !c.Choice {
		return nil, nil
	}
	return &c, nil
}

// checkExamples returns an error for the first example of a tool's input that does not fit the schema s. A nil s cannot
// check any example.
func (v *validator) checkExamples(t *messages.Tool, s *jsonschema.Schema, unchecked func(field string)) error {
	for i, example := range t.InputExamples {
		problem, checked := "", false
		if s != nil {
			problem, checked = v.check(s, example)
		}
		if !checked {
			unchecked(FieldExamples)
			return nil
		}
		if problem != "" {
			return &messages.InvalidRequestError{
				Fault:   messages.FaultSchema,
				Path:    fmt.Sprintf("%s.input_examples.%d", t.Path(), i),
				Message: "the example does not fit the input_schema: " + strings.ReplaceAll(problem, "\n", "; "),
			}
		}
	}
	return nil
}
