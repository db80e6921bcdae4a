package messages

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads tools that the API itself defines, and the members that all client tools share.

// builtinTool reads a tool of an Anthropic-defined type.
func (d *decoder) builtinTool(at *fieldPath, o *rawjson.Object, typ string, b *builtin) Tool {
	if d.text(at.member("name"), o.Take("name")) != b.name {
		d.fail(at.member("name"), "Input should be '%s'", b.name)
	}
	t := Tool{Type: typ, Name: b.name, Description: b.description, InputSchema: jsontext.Value(b.schema)}
	switch b.prefix {
	case "computer_":
		d.display(at, o, &t)
	case "text_editor_":
		if n := o.Take("max_characters"); !absent(n) {
			t.Description += fmt.Sprintf(" A view shows no more than %d characters.", d.integer(at.member("max_characters"), n, 1))
		}
	}
	t.Streaming = d.inputStreaming(at, o)
	d.deferTool(at, o, t.Name)
	d.dropRest(at, o, unsupportedInTool)
	return t
}

// display reads the options of a computer tool that describe its screen, and adds them to the
// description.
func (d *decoder) display(at *fieldPath, o *rawjson.Object, t *Tool) {
	width := d.integer(at.member("display_width_px"), o.Take("display_width_px"), 1)
	height := d.integer(at.member("display_height_px"), o.Take("display_height_px"), 1)
	t.Description += fmt.Sprintf(" The screen is %d pixels wide and %d pixels high.", width, height)
	if n := o.Take("display_number"); !absent(n) {
		t.Description += fmt.Sprintf(" It is display number %d.", d.integer(at.member("display_number"), n, 0))
	}
	if d.boolean(at.member("enable_zoom"), o.Take("enable_zoom")) {
		t.InputSchema = jsontext.Value(computerZoomSchema)
	}
}

// unsupportedInTool are members of a tool that the API knows but a text model cannot use.
var unsupportedInTool = []string{
	"cache_control", "allowed_callers",
}

// deferTool notes that a tool has defer_loading: the model is shown it only after something names
// it.
func (d *decoder) deferTool(at *fieldPath, o *rawjson.Object, name string) {
	if d.boolean(at.member("defer_loading"), o.Take("defer_loading")) {
		if d.deferred == nil {
			d.deferred = make(map[string]bool)
		}
		d.deferred[name] = true
	}
}

const eagerStreaming = "eager_input_streaming"

// betaFineGrained is the beta that turns on eager_input_streaming for all tools of a request
// (docs/reference/streaming.md §4).
const betaFineGrained = "fine-grained-tool-streaming-2025-05-14"

// listsBeta reports whether list, a body's anthropic_beta, names the beta. It may be a string or a
// list.
func listsBeta(list jsontext.Value, name string) bool {
	switch list.Kind() {
	case '"':
		return string(rawjson.UnquoteBytes(list)) == name
	case '[':
		for v := range rawjson.Elements(list) {
			if v.Kind() == '"' && string(rawjson.UnquoteBytes(v)) == name {
				return true
			}
		}
	}
	return false
}

// inputStreaming reads eager_input_streaming, which every client tool may have.
func (d *decoder) inputStreaming(at *fieldPath, o *rawjson.Object) InputStreaming {
	v := o.Take(eagerStreaming)
	switch {
	case absent(v) && d.streamsEagerly:
		return StreamEagerly
	case absent(v):
		return StreamAsTargeted
	case d.boolean(at.member(eagerStreaming), v):
		return StreamEagerly
	}
	return StreamWhole
}
