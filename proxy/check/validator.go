package check

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate/memo"
)

// validator checks values against JSON Schemas (draft 2020-12, or the older draft that
// $schema names). Schemas and values are a stranger's, and the library that checks them
// has no bounds of its own: a schema that folds back on itself takes it time without
// end, and a number with an exponent of a million takes what a million digits take. So
// the work of each step is estimated first, in a pass that is linear in its input, and a
// step that would take more than is left of the budget is not done.
type validator struct {
	left  int // work that may still be done, in units of about a microsecond
	known *Schemas
}

// budget is the work that one request may cause: about 50 ms.
const budget = 60_000

// Schemas keeps compiled schemas by their text. A nil Schemas keeps nothing.
type Schemas = memo.Table[compiled]

// NewSchemas returns a Schemas that is empty. It has no more than so many schemas, and so many bytes.
func NewSchemas() *Schemas {
	const schemas, bytes, most = 256, 4 << 20, 512 << 10
	return memo.New[compiled](schemas, bytes, most)
}

// compiled is a schema to check by, nil if it makes no sense, and what it took to compile it:
// each request pays for it, so that none depends on those before.
type compiled struct {
	schema *jsonschema.Schema
	cost   int
}

// memory returns about how many bytes a compiled schema takes: the library has more than half a
// kilobyte for each object.
func (c compiled) memory(text []byte) int { return 64*c.cost + 8*len(text) }

// spend takes work out of what is left, and reports whether there was enough.
func (v *validator) spend(work int) bool {
	if work > v.left {
		return false
	}
	v.left -= work
	return true
}

// compile returns a schema for check. It is nil if the schema makes no sense, refers to
// another document, or takes too much work. Patterns match every text: a regular
// expression of a stranger's is not run.
func (v *validator) compile(schema jsontext.Value) *jsonschema.Schema {
	if c, ok := v.known.Find(schema); ok {
		if !v.spend(c.cost) {
			return nil
		}
		return c.schema
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil
	}
	c := compiled{cost: compileCost(doc)}
	if !v.spend(c.cost) {
		return nil
	}
	c.schema = compileSchema(doc)
	v.known.Keep(schema, c, c.memory(schema))
	return c.schema
}

// compileSchema returns the schema that a document is, nil if it makes no sense.
func compileSchema(doc any) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) { return anyText(pattern), nil })
	if c.AddResource(schemaURL, doc) != nil {
		return nil
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil
	}
	return compiled
}

// schemaURL is where a schema is, for the library. It has to be absolute: a relative one is
// taken for a file in the working directory, and problems are told to a model.
const schemaURL = "schema:///"

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("no other schema is looked up") }

// anyText is a pattern that matches every text.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }

// check returns what is wrong with a value (see problemOf), "" if the value is valid. With
// checked false it takes too much work to tell.
func (v *validator) check(s *jsonschema.Schema, value jsontext.Value) (problem string, checked bool) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err == nil {
		if !v.spend(checkCost(s, doc, v.left)) {
			return "", false
		}
		err = s.Validate(doc)
	}
	if err == nil {
		return "", true
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return problemOf(invalid), true
	}
	return err.Error(), true
}
