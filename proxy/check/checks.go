// Package check holds values to JSON Schemas. Strangers write both, so the work that they may cause has a bound.
//
// [New] makes the checks of a request, which package translate has an answer pass. [Schemas] keeps compiled
// schemas for the requests that send the same ones again.
package check

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The fields whose schemas are checked.
const (
	FieldFormat   = "output_config.format"
	FieldStrict   = "tools.strict"
	FieldExamples = "tools.input_examples"
)

// New returns what an answer of a model that only completes text has to pass: that
// it is valid by a schema (output_config.format), that the inputs of strict tools are valid
// by theirs, that it does what tool_choice asks and, where the model's entry says repair,
// that its calls can be read. It is nil if the request asks for none of it.
//
// A schema that makes no sense, or takes too much work, does not fail the request, because
// the model has seen it: what the model writes passes as it is, and unchecked is called
// with the field; the schemas that known has need not be compiled. The examples of the tools' inputs are checked at once. One that does not
// fit is a [*messages.InvalidRequestError].
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
	if req.Format != nil {
		if s := v.compile(req.Format); s != nil {
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
	if req.Format == nil && len(c.Inputs) == 0 && !c.Readable && !c.Choice {
		return nil, nil
	}
	return &c, nil
}

// checkExamples returns an error for the first example of a tool's input that does not fit
// the schema s, which is nil if it cannot be checked by.
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
