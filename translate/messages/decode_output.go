package messages

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads what a request asks of the answer apart from text: thinking, and a JSON format.

// thinking reads whether the client asks the model to think before it answers
// (docs/reference/messages-api.md §7). It ignores the budget: the model decides how much it thinks.
func (d *decoder) thinking(v jsontext.Value) Thinking {
	at := member("thinking")
	if absent(v) {
		return ThinkingOff
	}
	o, ok := d.openObject(&at, v, []string{"type", "display", "budget_tokens"})
	if !ok {
		return ThinkingOff
	}
	types := []string{"enabled", "adaptive", "between_tools", "disabled"}
	switch typ := d.text(at.member("type"), o.Take("type")); {
	case d.err != nil || typ == "disabled":
		return ThinkingOff
	case !slices.Contains(types, typ):
		d.failTag(at, typ, types)
	}
	if d.optionalText(at.member("display"), o.Take("display")) == "omitted" {
		return ThinkingOmitted
	}
	return ThinkingShown
}

// outputFormat reads the schema for the answer: output_config.format, or output_format in older
// requests. It returns nil if there is none.
func (d *decoder) outputFormat(o *rawjson.Object) jsontext.Value {
	format, at := o.Take("output_format"), member("output_format")
	config := member("output_config")
	if v := o.Take("output_config"); !absent(v) {
		known := []string{"effort", "task_budget"}
		c, ok := d.openObject(&config, v, append(known, "format"))
		if !ok {
			return nil
		}
		if f := c.Take("format"); !absent(f) {
			format, at = f, config.member("format")
		}
		d.dropRest(&config, &c, known)
	}
	if absent(format) {
		return nil
	}
	f, ok := d.openObject(&at, format, []string{"type", "schema"})
	if !ok {
		return nil
	}
	if typ := d.text(at.member("type"), f.Take("type")); d.err == nil && typ != "json_schema" {
		d.failTag(at, typ, []string{"json_schema"})
	}
	schema := f.Take("schema")
	if !d.object(at.member("schema"), schema.Kind()) {
		return nil
	}
	d.countSchema(at.member("schema"), schema)
	d.dropRest(&at, &f, nil)
	return schema
}
