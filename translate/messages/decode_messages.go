package messages

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads the list of messages.

// messages reads the list of messages into r.
func (d *decoder) messages(r *Request, list jsontext.Value) {
	at := member("messages")
	switch list.Kind() {
	case '[':
	case 0:
		d.failBy(FaultMissingField, at, fieldRequired)
	default:
		d.fail(at, notList)
	}
	const shortest = len(`{"role":"user","content":"a"},`)
	r.Messages = make([]MessageParam, 0, d.capacity(list, shortest, MaxMessages))
	var before conversation
	empty := -1 // index of an empty message of the assistant
	for e := range d.elements(at, list, MaxMessages) {
		// The API allows an empty message only at the end. But clients also send one back after an empty answer.
		if empty >= 0 && d.opt.Strict {
			d.failBy(FaultConversation, at.element(empty), emptyMessage)
			break
		}
		m, ok := d.message(&before, e)
		if !ok {
			empty = e.at.index
		}
		if len(m.Content) > 0 {
			m.Skipped = e.at.index - len(r.Messages)
			r.Messages = append(r.Messages, m)
		}
	}
	r.Messages = d.withoutCleared(r.Messages)
	if d.mayContinue() {
		before.checkEnd(d, r.Messages)
	}
}

// emptyMessage is the API's error for a message without content.
const emptyMessage = "all messages must have non-empty content except for the optional final assistant message"

// messagePlaces maps a role to the place that the content of its messages is.
var messagePlaces = map[string]*blockPlace{RoleUser: &inUser, RoleAssistant: &inAssistant, RoleSystem: &inSystemMessage}

var (
	messageMembers = []string{"role", "content", "clear_at", "output_config"}
	effort         = []string{"effort"}
	roles          = []string{RoleUser, RoleAssistant, RoleSystem}
)

// message reads one message; before is the conversation up to it. If all blocks are left out, the
// message has no content. message returns false if the client sent an empty message, which the API
// allows only as the final assistant message.
func (d *decoder) message(before *conversation, e *listItem) (m MessageParam, ok bool) {
	at := &e.at
	o, ok := d.openItem(e, messageMembers)
	if !ok {
		return m, false
	}
	m.Role = d.textKnown(at.member("role"), o.Take("role"), roles)
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
			m.Content = before.add(d, content, m, BlockParam{Type: BlockText, Text: s})
		}
	case '[':
		ok = false
		m.Content = make([]BlockParam, 0, d.blockCapacity(v))
		for e := range d.elements(content, v, MaxBlocks) {
			ok = true
			if b, ok := d.block(e, place); ok && d.err == nil {
				b.Skipped = int32(e.at.index - len(m.Content))
				m.Content = before.add(d, e.at, m, b)
			}
		}
	case 0:
		d.failBy(FaultMissingField, content, fieldRequired)
	default:
		d.fail(content, notText)
	}
	if !ok && m.Role != RoleAssistant {
		d.failBy(FaultConversation, *at, emptyMessage)
	}
	if m.Role == RoleSystem {
		d.systemMembers(at, &o)
	}
	d.dropRest(at, &o, nil)
	return m, ok
}

// systemMembers reads the members that only system messages have: when the text is cleared, and the
// effort for the turn (docs/reference/messages-api.md §3).
func (d *decoder) systemMembers(at *fieldPath, o *rawjson.Object) {
	switch clear := at.member("clear_at"); d.optionalText(clear, o.Take("clear_at")) {
	case "", "never":
	case "next_user_message":
		if d.cleared == nil {
			d.cleared = make(map[int]bool)
		}
		d.cleared[at.index] = true
	default:
		d.fail(clear, "Input should be 'never' or 'next_user_message'")
	}
	if v := o.Take("output_config"); !absent(v) {
		config := at.member("output_config")
		if c, ok := d.openObject(&config, v, effort); ok {
			d.dropRest(&config, &c, effort)
		}
	}
}

// withoutCleared returns the messages without the cleared ones: a system message may say that it is
// cleared as soon as another user message follows.
func (d *decoder) withoutCleared(list []MessageParam) []MessageParam {
	if len(d.cleared) == 0 {
		return list
	}
	last := len(list) - 1 // the last user message
	for last >= 0 && list[last].Role != RoleUser {
		last--
	}
	kept := list[:0]
	for i, m := range list {
		if i < last && d.cleared[i+m.Skipped] {
			continue
		}
		m.Skipped += i - len(kept)
		kept = append(kept, m)
	}
	return kept
}
