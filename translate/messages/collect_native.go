package messages

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// nativeMessage puts together the events of a model with a tool API of its own,
// as the accumulators of the official SDKs do (reference/streaming.md §3): all
// members are kept, whatever they are.
type nativeMessage struct {
	message rawObject
	blocks  []nativeBlock
	read    Message // what we know of it
}

// nativeBlock is a content block whose deltas have not all come.
type nativeBlock struct {
	block rawObject
	texts map[string][]byte // by member: what its deltas have added
	input []byte            // partial_json
	cited []byte            // citations that deltas have added, each with a comma behind it
}

// add takes one event. Those of this package, which stand for what was found in
// text, are taken as they go out.
func (m *nativeMessage) add(e Event) {
	raw := jsontext.Value(e.AppendJSON(nil))
	switch e.Type {
	case MessageStart:
		m.message = newRawObject(rawjson.Get(raw, "message"))
		m.read = *e.Message
		m.read.ID, m.read.Model = stringOf(m.message.member("id")), stringOf(m.message.member("model"))
	case ContentBlockStart:
		m.blocks = append(m.blocks, nativeBlock{block: newRawObject(rawjson.Get(raw, "content_block")), texts: map[string][]byte{}})
	case ContentBlockDelta:
		if e.Index < len(m.blocks) {
			m.blocks[e.Index].add(rawjson.Get(raw, "delta"))
		}
	case ContentBlockStop:
		if e.Index < len(m.blocks) && e.Cut > 0 {
			b := &m.blocks[e.Index]
			b.input = append(b.input[:e.Cut], '}')
		}
	case MessageDelta:
		for name, value := range rawjson.Named(rawjson.Get(raw, "delta")) {
			m.message.set(name, value)
		}
		m.merge(rawjson.Get(raw, "usage"))
		m.read.StopReason, m.read.StopSequence = e.Message.StopReason, e.Message.StopSequence
		m.read.Usage, m.read.Outcomes = e.Message.Usage, e.Message.Outcomes
	}
}

// merge takes over the totals that are told at the end.
func (m *nativeMessage) merge(usage jsontext.Value) {
	total := newRawObject(m.message.member("usage"))
	for name, value := range rawjson.Named(usage) {
		if value.Kind() != 'n' || total.member(name) == nil {
			total.set(name, value)
		}
	}
	m.message.set("usage", total.json())
}

// whole returns the message.
func (m *nativeMessage) whole() *Message {
	content, cut := []byte{'['}, false
	for i, b := range m.blocks {
		if i > 0 {
			content = append(content, ',')
		}
		content = append(content, b.whole()...)
		cut = cut || b.isCut()
	}
	content = append(content, ']')
	if stop := m.read.StopReason; cut && (stop == StopToolUse || stop == StopEndTurn) { // see parser.ending
		m.read.StopReason = StopMaxTokens
		m.message.set("stop_reason", rawjson.AppendString(nil, StopMaxTokens))
	}
	m.message.set("content", content)
	m.read.Raw = m.message.json()
	for b := range rawjson.Elements(content) {
		m.read.Content = append(m.read.Content, ContentBlock{
			Type: stringOf(rawjson.Get(b, "type")), Text: stringOf(rawjson.Get(b, "text")),
			ID: stringOf(rawjson.Get(b, "id")), Name: stringOf(rawjson.Get(b, "name")), Input: rawjson.Get(b, "input"),
			Thinking: stringOf(rawjson.Get(b, "thinking")), Signature: stringOf(rawjson.Get(b, "signature")),
			Data: stringOf(rawjson.Get(b, "data")),
		})
	}
	return &m.read
}

// add takes one delta: a string adds to the member of its name, a citation to the
// list of them, and what is neither replaces what was there.
func (b *nativeBlock) add(delta jsontext.Value) {
	for name, value := range rawjson.Named(delta) {
		switch {
		case name == "type", value.Kind() == 'n':
		case name == "partial_json":
			b.input, _ = jsontext.AppendUnquote(b.input, value)
		case name == "citation":
			if b.block.member("citations") == nil {
				b.block.set("citations", jsontext.Value("[]"))
			}
			b.cited = append(append(b.cited, value...), ',')
		case value.Kind() == '"':
			b.texts[name], _ = jsontext.AppendUnquote(b.texts[name], value)
		default:
			b.block.set(name, value)
		}
	}
}

// isCut tells whether what came of an input is no JSON.
func (b *nativeBlock) isCut() bool {
	return len(bytes.TrimSpace(b.input)) > 0 && !jsontext.Value(b.input).IsValid(jsontext.AllowDuplicateNames(true))
}

func (b *nativeBlock) whole() jsontext.Value {
	for _, name := range slices.Sorted(maps.Keys(b.texts)) {
		b.block.set(name, rawjson.AppendString(nil, stringOf(b.block.member(name))+string(b.texts[name])))
	}
	if n := len(b.cited); n > 0 {
		b.block.set("citations", appendElements(b.block.member("citations"), b.cited[:n-1]))
	}
	if !b.isCut() {
		if len(bytes.TrimSpace(b.input)) > 0 {
			b.block.set("input", b.input)
		}
	} else if open := rawjson.AppendOpenObject(nil, string(b.input)); len(open) > 0 {
		b.block.set("input", append(open, '}'))
	}
	return b.block.json()
}

// appendElements returns a JSON array with more elements, which have commas between
// them. What is no array has none.
func appendElements(array, more jsontext.Value) jsontext.Value {
	for range rawjson.Elements(array) {
		return slices.Concat(array[:len(array)-1], []byte{','}, more, []byte{']'})
	}
	return slices.Concat([]byte{'['}, more, []byte{']'})
}

// rawObject is a JSON object whose members can be changed. It keeps their order,
// and to the byte those that are not changed.
type rawObject []rawMember

type rawMember struct {
	name  string
	value jsontext.Value
}

func newRawObject(object jsontext.Value) (o rawObject) {
	for name, value := range rawjson.Named(object) {
		o = append(o, rawMember{name, slices.Clone(value)})
	}
	return o
}

func (o rawObject) member(name string) jsontext.Value {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o *rawObject) set(name string, value jsontext.Value) {
	value = slices.Clone(value)
	for i, m := range *o {
		if m.name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, rawMember{name, value})
}

func (o rawObject) json() jsontext.Value {
	dst := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(dst, m.name)
		dst = append(dst, ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

// stringOf returns the text of a JSON string, "" for what is none.
func stringOf(v jsontext.Value) (s string) {
	if v.Kind() == '"' && json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// WithMembers returns a JSON object with members replaced, added at its end, or,
// where their value is nil, taken out. All other bytes are kept, but for blanks
// between members.
func WithMembers(object jsontext.Value, changes map[string]jsontext.Value) jsontext.Value {
	o := newRawObject(object)
	o = slices.DeleteFunc(o, func(m rawMember) bool {
		value, named := changes[m.name]
		return named && value == nil
	})
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if changes[name] != nil {
			o.set(name, changes[name])
		}
	}
	return o.json()
}
