package messages

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file makes one message of the events that a model with a tool API of its own sent.

// nativeMessage gathers the events of a model with a tool API of its own, as the official SDKs do
// (docs/reference/streaming.md §3): all members are kept, known or not.
type nativeMessage struct {
	object rawjson.Object
	blocks []nativeBlock
	known  Message // the members that this package knows
}

// nativeBlock is a content block that is still growing.
type nativeBlock struct {
	object rawjson.Object    // the block as it opened
	texts  map[string][]byte // by member: the text that deltas have added
	input  []byte            // the partial_json so far
	cited  []byte            // the citations that deltas have added, a comma after each
}

// add takes one event. Events without Raw, for calls that were found in the model's text, are taken
// as the client is sent them.
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
		b.input = rawjson.ReplaceLoneSurrogates(b.input) // or the input would count as cut
	case MessageDelta:
		for name, value := range rawjson.NamedMembers(rawjson.Lookup(raw, "delta")) {
			m.object.Set(name, value)
		}
		m.mergeUsage(rawjson.Lookup(raw, "usage"))
		m.known.StopReason, m.known.StopSequence = e.Message.StopReason, e.Message.StopSequence
		m.known.Usage, m.known.Outcomes = e.Message.Usage, e.Message.Outcomes
	}
}

// mergeUsage takes over the totals at the end of the answer. A null does not replace a total.
func (m *nativeMessage) mergeUsage(usage jsontext.Value) {
	total := rawjson.ReadObject(m.object.Member("usage"))
	for name, value := range rawjson.NamedMembers(usage) {
		if value.Kind() != 'n' || total.Member(name) == nil {
			total.Set(name, value)
		}
	}
	m.object.Set("usage", total.JSON())
}

// message returns the whole message. Its stop reason is that of a message with a call that was cut,
// if there is one.
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

// add takes one delta. A string adds to the member of its name, a citation to the list of citations,
// and any other value replaces the member.
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

// isCut reports whether the input came, but not to its end.
func (b *nativeBlock) isCut() bool {
	return len(bytes.TrimSpace(b.input)) > 0 && !jsontext.Value(b.input).IsValid(jsontext.AllowDuplicateNames(true))
}

// json returns the whole block. An input in deltas replaces the one that the block opened with; of
// one that was cut it has the members that came whole.
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

// appendElements returns a copy of array with more elements, which have commas between them. A value
// that is no array counts as an empty one.
func appendElements(array, more jsontext.Value) jsontext.Value {
	for range rawjson.Elements(array) {
		return slices.Concat(array[:len(array)-1], []byte{','}, more, []byte{']'})
	}
	return slices.Concat([]byte{'['}, more, []byte{']'})
}
