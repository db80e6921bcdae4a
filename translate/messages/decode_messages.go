package messages

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// MaxMessages is how many messages a request may have (reference/messages-api.md §2).
const MaxMessages = 100_000

// messages reads the conversation into r.
func (d *decoder) messages(r *Request, list jsontext.Value) {
	at := member("messages")
	switch list.Kind() {
	case '[':
	case 0:
		d.fail(at, fieldRequired)
	default:
		d.fail(at, notList)
	}
	const shortest = len(`{"role":"user","content":"a"},`)
	r.Messages = make([]MessageParam, 0, room(list, shortest, MaxMessages))
	empty := -1 // only the last message may be
	for e := range d.elements(at, list, MaxMessages) {
		if empty >= 0 {
			d.fail(at.element(empty), emptyMessage)
			break
		}
		m, ok := d.message(e)
		if !ok {
			empty = e.at.index
		}
		if len(m.Content) > 0 {
			r.Messages = append(r.Messages, m)
		}
	}
	if d.goesOn() {
		d.endTurns(r.Messages)
	}
}

const emptyMessage = "all messages must have non-empty content except for the optional final assistant message"

// room is how many elements to have room for in a list of objects of so many bytes
// at least. A long list is counted first, as far as its elements are objects: one
// that grows has its elements in memory twice.
func room(list jsontext.Value, shortest, most int) (n int) {
	const long = 256 << 10
	if len(list) < long {
		return min(2, len(list)/shortest+1)
	}
	most = min(most, len(list)/shortest+1)
	for v := range rawjson.Elements(list) {
		if n == most || v[0] != '{' {
			break
		}
		n++
	}
	return n
}

// messagePlaces gives the place that a message of each role is.
var messagePlaces = map[string]*blockPlace{RoleUser: &inUser, RoleAssistant: &inAssistant, RoleSystem: &inSystemMessage}

var (
	messageMembers = []string{"role", "content"}
	roles          = []string{RoleUser, RoleAssistant, RoleSystem}
)

// message reads one message. It has no content if nothing of it is left. It is not
// ok if it had none, which the last message of the assistant may do.
func (d *decoder) message(e *listItem) (m MessageParam, ok bool) {
	at := &e.at
	o, ok := d.openMessage(e)
	if !ok {
		return m, false
	}
	m.Role = d.word(at.member("role"), o.Take("role"), roles)
	place := messagePlaces[m.Role]
	if place == nil {
		d.fail(at.member("role"), "Input should be 'user', 'assistant' or 'system'")
		return m, false
	}
	content, v := at.member("content"), o.Take("content")
	switch v.Kind() {
	case '"':
		s := d.text(content, v)
		if ok = s != ""; ok {
			m.Content = d.follow(content, m, BlockParam{Type: BlockText, Text: s})
		}
	case '[':
		ok = false
		m.Content = make([]BlockParam, 0, d.room(v))
		for e := range d.elements(content, v, MaxBlocks) {
			ok = true
			if b, ok := d.block(e, place); ok && d.err == nil {
				m.Content = d.follow(e.at, m, b)
			}
		}
		d.closeMessage(e, &o)
	case 0:
		d.fail(content, fieldRequired)
	default:
		d.fail(content, notText)
	}
	if !ok && m.Role != RoleAssistant {
		d.fail(*at, emptyMessage)
	}
	d.leave(at, &o, nil)
	return m, ok
}
