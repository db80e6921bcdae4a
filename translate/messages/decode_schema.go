package messages

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file checks what is certain of a schema without reading it all.

// countSchema fails if the schemas of the request hold too many values together. A body has at least
// two bytes for each value, so that most need not be counted.
func (d *decoder) countSchema(at fieldPath, schema jsontext.Value) {
	if d.size/2 < maxSchemaValues {
		return
	}
	if d.schemaValues += rawjson.CountValues(schema); d.schemaValues > maxSchemaValues {
		d.failBy(FaultLimit, at, "The schemas of a request should hold at most %d values together", maxSchemaValues)
	}
}

// checkSchema checks the top of a tool's schema, and returns the schema: it is of type object, and properties
// and required are of the kind they have to be. If one of these two is null, checkSchema takes it out: the Go
// SDK writes null for a map or a list that nobody filled.
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
