package eval

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonTypes maps BFCL's names of types, some of them Python's, to JSON Schema's. "" means a schema without a type,
// which allows any value.
var jsonTypes = map[string]string{
	"dict": "object", "float": "number", "tuple": "array", "any": "",
	"string": "string", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object", "number": "number", "null": "null",
}

// jsonSchema converts a BFCL schema to JSON Schema. It copies token by token, so that the fields stay in order: the
// model sees them in that order.
func jsonSchema(schema jsontext.Value) (jsontext.Value, error) {
	var out bytes.Buffer
	c := schemaCopy{jsontext.NewDecoder(bytes.NewReader(schema)), jsontext.NewEncoder(&out)}
	if err := c.schema(); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// schemaCopy copies a schema from one JSON text to another, and changes the names of types.
type schemaCopy struct {
	from *jsontext.Decoder
	to   *jsontext.Encoder
}

// schema copies a schema and the schemas inside it. A schema may also be true or false.
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

// members copies an object. It reads the name of each field and leaves the rest of the field to member. It copies
// anything but an object unchanged.
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

// named writes the name of a field and lets value copy its value.
func (c schemaCopy) named(name string, value func() error) error {
	if err := c.to.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return value()
}

// value copies a value unchanged.
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

// typeName copies the field "type", whose name has been read but not written. It omits a type that allows any value.
func (c schemaCopy) typeName() error {
	t, err := c.from.ReadToken()
	if err != nil {
		return err
	}
	name, known := jsonTypes[t.String()]
	switch {
	case !known:
		return fmt.Errorf("type: %q is not supported", t.String())
	case name == "":
		return nil
	}
	return c.named("type", func() error { return c.to.WriteToken(jsontext.String(name)) })
}
