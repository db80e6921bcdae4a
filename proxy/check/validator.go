package check

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate/memo"
)

// validator checks values against JSON Schemas (draft 2020-12, or the older draft in $schema). Strangers write both,
// and the library that checks them has no limits of its own: a schema that refers to itself can take endless time, and
// a number with an exponent of a million takes as much as a million digits. So validator first estimates the work of
// each step, in a pass that is linear in its input, and skips a step that would exceed the rest of the budget.
type validator struct {
	left  int // the rest of the budget, in units of about a microsecond
	known *Schemas
}

// budget is the work that one request may cause: about 50 ms.
const budget = 60_000

// Schemas caches compiled schemas, keyed by their text. A nil Schemas caches nothing.
type Schemas = memo.Table[compiled]

// NewSchemas returns an empty Schemas. It has limits for the number of schemas and for their bytes.
func NewSchemas() *Schemas {
	const schemas, bytes, most = 256, 4 << 20, 512 << 10
	return memo.New[compiled](schemas, bytes, most)
}

// compiled is a schema, nil if it makes no sense, and the work of compiling it. Every request pays for that work, so
// that no result depends on earlier requests.
type compiled struct {
	schema *jsonschema.Schema
	cost   int
}

// memory returns about how many bytes a compiled schema takes: the library uses more than half a kilobyte for each
// object.
func (c compiled) memory(text []byte) int { return 64*c.cost + 8*len(text) }

// spend takes work from the budget, and reports whether there was enough.
func (v *validator) spend(work int) bool {
	if work > v.left {
		return false
	}
	v.left -= work
	return true
}

// compile returns a schema for check. It is nil if the schema makes no sense, refers to another document, or takes too
// much work. Patterns match every text: a stranger's regular expression is never run.
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

// compileSchema returns the schema of a document; nil if it makes no sense.
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

// schemaURL is the address of a schema for the library. It must be absolute: the library would take a relative address
// for a file in the working directory, and a model would see that path in problems.
const schemaURL = "schema:///"

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("no other schema is looked up") }

// anyText is a pattern that matches every text.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }

// check describes what is wrong with a value (see problemOf); "" if the value is valid. If checked is false, the check
// would take too much work.
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
