package messages

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file checks the top of a schema, without reading all of it.

// countSchema fails if all schemas of the request together have too many values. A value takes at
// least two bytes, so countSchema counts nothing in bodies that are too short to have too many.
func (d *decoder) countSchema(at fieldPath, schema jsontext.Value) {
	if d.size/2 < maxSchemaValues {
		return
	}
	if d.schemaValues += rawjson.CountValues(schema); d.schemaValues > maxSchemaValues {
		d.failBy(FaultLimit, at, "The schemas of a request should hold at most %d values together", maxSchemaValues)
	}
}

// checkSchema checks that a tool's schema has type object, that properties is an object, and that
// required is an array. It returns the schema. If properties or required is null, it removes the
// member: the Go SDK writes null for an empty map or list.
func (d *decoder) checkSchema(at *fieldPath, schema jsontext.Value) jsontext.Value {
	const invalid = "JSON schema is invalid. It must match JSON Schema draft 2020-12: "
	var typ, properties, required jsontext.Value
	for name, v := range rawjson.Members(schema) {
		switch string(rawjson.UnquoteBytes(name)) {
		case "type":
			typ = v
		case "properties":
			properties = v
		case "required":
			required = v
		}
	}
	if at := at.member("type"); typ.Kind() != '"' || d.text(at, typ) != "object" {
		if typ == nil {
			d.failBy(FaultMissingField, at, fieldRequired)
		}
		d.failBy(FaultSchema, at, "Input should be 'object'")
	}
	if !absent(properties) && properties.Kind() != '{' {
		d.failBy(FaultSchema, *at, invalid+"`properties` is not an object.")
	}
	if !absent(required) && required.Kind() != '[' {
		d.failBy(FaultSchema, *at, invalid+"`required` is not an array.")
	}
	if properties.Kind() != 'n' && required.Kind() != 'n' {
		return schema
	}
	o := rawjson.ReadObject(schema)
	o.Members = slices.DeleteFunc(o.Members, func(m rawjson.Member) bool {
		return m.Value.Kind() == 'n' && (m.Name == "properties" || m.Name == "required")
	})
	return o.JSON()
}
