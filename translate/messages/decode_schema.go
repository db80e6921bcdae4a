package messages

import (
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
		d.fail(at, "The schemas of a request should hold at most %d values together", maxSchemaValues)
	}
}

// checkSchema checks the top of a tool's schema: it is of type object, and properties and required
// are of the kind they have to be.
func (d *decoder) checkSchema(at *fieldPath, schema jsontext.Value) {
	const invalid = "JSON schema is invalid. It must match JSON Schema draft 2020-12: "
	var typ, properties, required jsontext.Value
	for name, v := range d.index.Members(schema) {
		switch rawjson.UnquoteKnown(name, []string{"type", "properties", "required"}) {
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
			d.fail(at, fieldRequired)
		}
		d.fail(at, "Input should be 'object'")
	}
	if properties != nil && properties.Kind() != '{' {
		d.fail(*at, invalid+"`properties` is not an object.")
	}
	if required != nil && required.Kind() != '[' {
		d.fail(*at, invalid+"`required` is not an array.")
	}
}
