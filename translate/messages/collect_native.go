package messages

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file collects the events of a model that has a tool API of its own.

// nativeMessage collects the events of a model that has a tool API of its own. Like the official
// SDKs (docs/reference/streaming.md §3), it keeps all members, known or not.
type nativeMessage struct {
	object rawjson.Object
	blocks []nativeBlock
	known  Message // the members that this package knows
}

// nativeBlock is a content block that is not complete yet.
type nativeBlock struct {
	object rawjson.Object    // the block as it opened
	texts  map[string][]byte // member name to the text that deltas have added
	input  []byte            // the partial_json so far
	cited  []byte            // the citations that deltas have added, a comma after each
}

// add adds one event. An event without Raw, of a call that Dragoman found in the model's text, is
// first written as JSON, as the client gets it.
func (m *nativeMessage) add(e Event) {
	raw := jsontext.Value(e.AppendJSON(nil))
	switch e.Type {
	case MessageStart:
		m.object = rawjson.ReadObject(rawjson.Lookup(raw, "message"))
		m.known = *e.Message
		m.known.ID, m.known.Model = rawjson.StringOf(m.object.Member("id")), rawjson.StringOf(m.object.Member("model"))
	case ContentBlockStart:
		m.blocks = append(m.blocks, nativeBlock{object: rawjson.ReadObject(rawjson.Lookup(raw, "content_block")), texts: map[string][]byte{}})
	case ContentBlockDelta:
		if e.Index < len(m.blocks) {
			m.blocks[e.Index].add(rawjson.Lookup(raw, "delta"))
		}
	case ContentBlockStop:
		if e.Index >= len(m.blocks) {
			return
		}
		b := &m.blocks[e.Index]
		if e.Cut > 0 {
			b.input = append(b.input[:e.Cut], '}')
		}
		b.input = rawjson.ReplaceLoneSurrogates(b.input) // a lone surrogate would make the input look cut
	case MessageDelta:
		for name, value := range rawjson.NamedMembers(rawjson.Lookup(raw, "delta")) {
			m.object.Set(name, value)
		}
		m.mergeUsage(rawjson.Lookup(raw, "usage"))
		m.known.StopReason, m.known.StopSequence = e.Message.StopReason, e.Message.StopSequence
		m.known.Usage, m.known.Outcomes = e.Message.Usage, e.Message.Outcomes
	}
}

// mergeUsage takes the final token counts. A null does not replace a count.
func (m *nativeMessage) mergeUsage(usage jsontext.Value) {
	total := rawjson.ReadObject(m.object.Member("usage"))
	for name, value := range rawjson.NamedMembers(usage) {
		if value.Kind() != 'n' || total.Member(name) == nil {
			total.Set(name, value)
		}
	}
	m.object.Set("usage", total.JSON())
}

// message returns the whole message. If a call was cut, message changes the stop reason by
// [Stop.WithCutCall].
func (m *nativeMessage) message() *Message {
	content, cut := []byte{'['}, false
	for i, b := range m.blocks {
		if i > 0 {
			content = append(content, ',')
		}
		content = append(content, b.json()...)
		cut = cut || b.isCut()
	}
	content = append(content, ']')
	if stop := m.known.StopReason.WithCutCall(); cut && stop != m.known.StopReason {
		m.known.StopReason = stop
		m.object.Set("stop_reason", rawjson.AppendString(nil, stop))
	}
	m.object.Set("content", content)
	m.known.Raw = m.object.JSON()
	for b := range rawjson.Elements(content) {
		m.known.Content = append(m.known.Content, ContentBlock{
			Type: rawjson.StringOf(rawjson.Lookup(b, "type")), Text: rawjson.StringOf(rawjson.Lookup(b, "text")),
			ID: rawjson.StringOf(rawjson.Lookup(b, "id")), Name: rawjson.StringOf(rawjson.Lookup(b, "name")), Input: rawjson.Lookup(b, "input"),
			Thinking: rawjson.StringOf(rawjson.Lookup(b, "thinking")), Signature: rawjson.StringOf(rawjson.Lookup(b, "signature")),
			Data: rawjson.StringOf(rawjson.Lookup(b, "data")),
		})
	}
	return &m.known
}

// add adds one delta. A string is appended to the member of its name, a citation to the list of
// citations. Any other value replaces the member.
func (b *nativeBlock) add(delta jsontext.Value) {
	for name, value := range rawjson.NamedMembers(delta) {
		switch {
		case name == "type", value.Kind() == 'n':
		case name == "partial_json":
			b.input, _ = jsontext.AppendUnquote(b.input, value)
		case name == "citation":
			if b.object.Member("citations") == nil {
				b.object.Set("citations", jsontext.Value("[]"))
			}
			b.cited = append(append(b.cited, value...), ',')
		case value.Kind() == '"':
			b.texts[name], _ = jsontext.AppendUnquote(b.texts[name], value)
		default:
			b.object.Set(name, value)
		}
	}
}

// isCut reports whether the block has an input that is incomplete.
func (b *nativeBlock) isCut() bool {
	return len(bytes.TrimSpace(b.input)) > 0 && !jsontext.Value(b.input).IsValid(jsontext.AllowDuplicateNames(true))
}

// json returns the whole block. An input from deltas replaces the input at the block's start. If
// the input was cut, it has the complete parameters only.
func (b *nativeBlock) json() jsontext.Value {
	for _, name := range slices.Sorted(maps.Keys(b.texts)) {
		b.object.Set(name, rawjson.AppendString(nil, rawjson.StringOf(b.object.Member(name))+string(b.texts[name])))
	}
	if n := len(b.cited); n > 0 {
		b.object.Set("citations", appendElements(b.object.Member("citations"), b.cited[:n-1]))
	}
	if !b.isCut() {
		if len(bytes.TrimSpace(b.input)) > 0 {
			b.object.Set("input", b.input)
		}
	} else if open := rawjson.AppendCutObject(nil, string(b.input)); len(open) > 0 {
		b.object.Set("input", append(open, '}'))
	} else {
		b.object.Set("input", jsontext.Value("{}"))
	}
	return b.object.JSON()
}

// appendElements returns a copy of array with more elements. more is the elements, with commas
// between them. A value that is not an array counts as an empty array.
func appendElements(array, more jsontext.Value) jsontext.Value {
	for range rawjson.Elements(array) {
		return slices.Concat(array[:len(array)-1], []byte{','}, more, []byte{']'})
	}
	return slices.Concat([]byte{'['}, more, []byte{']'})
}
