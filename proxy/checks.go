package proxy

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The fields whose schemas are checked.
const (
	fieldFormat = "output_config.format"
	fieldStrict = "tools.strict"
)

// newChecks returns what an answer of a model that only completes text has to pass: that
// it is valid by a schema (output_config.format), that the inputs of strict tools are valid
// by theirs, and, where the model's entry says repair, that its calls can be read. It is
// nil if the request asks for none of it.
//
// A schema that makes no sense, or takes too much work, does not fail the request, because
// the model has seen it: what the model writes passes as it is, and unchecked is called
// with the field.
func newChecks(req *messages.Request, repair bool, unchecked func(field string)) *translate.Checks {
	v := &validator{validationBudget}
	check := func(s *jsonschema.Schema, field string) func(jsontext.Value) string {
		return func(value jsontext.Value) string {
			problem, checked := v.check(s, value)
			if !checked {
				unchecked(field)
			}
			return problem
		}
	}
	c := translate.Checks{Inputs: map[string]func(jsontext.Value) string{}, Readable: repair && len(req.Tools) > 0}
	if req.Format != nil {
		if s := v.compile(req.Format); s != nil {
			c.JSON = check(s, fieldFormat)
		} else {
			unchecked(fieldFormat)
		}
	}
	for _, t := range req.Tools {
		if t.Strict {
			if s := v.compile(t.InputSchema); s != nil {
				c.Inputs[t.Name] = check(s, fieldStrict)
			} else {
				unchecked(fieldStrict)
			}
		}
	}
	if req.Format == nil && len(c.Inputs) == 0 && !c.Readable {
		return nil
	}
	return &c
}
