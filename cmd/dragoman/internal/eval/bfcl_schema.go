package eval

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonTypes are JSON Schema's names for the types of BFCL's schemas, some of which have
// Python's names; "" stands for a schema without a type, which allows any value.
var jsonTypes = map[string]string{
	"dict": "object", "float": "number", "tuple": "array", "any": "",
	"string": "string", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object", "number": "number", "null": "null",
}

// jsonSchema returns a schema of BFCL's as JSON Schema. It is copied token by token, so
// that members stay in their order: the model is told of them in it.
func jsonSchema(schema jsontext.Value) (jsontext.Value, error) {
	var out bytes.Buffer
	c := schemaCopy{jsontext.NewDecoder(bytes.NewReader(schema)), jsontext.NewEncoder(&out)}
	if err := c.schema(); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// schemaCopy copies a schema from one JSON text to another, with other names of types.
type schemaCopy struct {
	from *jsontext.Decoder
	to   *jsontext.Encoder
}

// schema copies a schema and those within it. A schema may also be true or false.
func (c schemaCopy) schema() error {
	return c.members(func(name string) error {
		switch {
		case name == "type" && c.from.PeekKind() == '"':
			return c.typeName()
		case name == "items" || name == "additionalProperties":
			return c.named(name, c.schema)
		case name == "properties":
			return c.named(name, func() error {
				return c.members(func(name string) error { return c.named(name, c.schema) })
			})
		}
		return c.named(name, c.value)
	})
}

// members copies an object, and leaves each member, whose name has been read, to member.
// It copies what is no object as it is.
func (c schemaCopy) members(member func(name string) error) error {
	if c.from.PeekKind() != '{' {
		return c.value()
	}
	if err := c.token(); err != nil {
		return err
	}
	for c.from.PeekKind() != '}' {
		name, err := c.from.ReadToken()
		if err == nil {
			err = member(name.String())
		}
		if err != nil {
			return err
		}
	}
	return c.token()
}

// named writes the name of a member and has value copy its value.
func (c schemaCopy) named(name string, value func() error) error {
	if err := c.to.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return value()
}

// value copies a value as it is.
func (c schemaCopy) value() error {
	v, err := c.from.ReadValue()
	if err != nil {
		return err
	}
	return c.to.WriteValue(v)
}

// token copies one token: the brace that begins or ends an object.
func (c schemaCopy) token() error {
	t, err := c.from.ReadToken()
	if err != nil {
		return err
	}
	return c.to.WriteToken(t)
}

// typeName copies the member type, whose name has been read and not written: a type that
// allows any value is left out.
func (c schemaCopy) typeName() error {
	t, err := c.from.ReadToken()
	if err != nil {
		return err
	}
	name, known := jsonTypes[t.String()]
	switch {
	case !known:
		return fmt.Errorf("type: %q is none that is read", t.String())
	case name == "":
		return nil
	}
	return c.named("type", func() error { return c.to.WriteToken(jsontext.String(name)) })
}
