package translate

// messages reads the conversation into r.
func (d *decoder) messages(r *Request, w *wireList[wireMessage]) {
	const most = 100_000
	at := member("messages")
	switch w.at.kind {
	case '[':
	case 0:
		d.fail(at, fieldRequired)
	default:
		d.fail(at, notList)
	}
	if len(w.items) > most {
		d.fail(at, "List should have at most %d items", most)
	}
	r.Messages = make([]MessageParam, 0, len(w.items))
	for n := range w.items {
		element := at.element(n)
		m := d.message(&element, &w.items[n], n == len(w.items)-1)
		if d.err != nil {
			return
		}
		if len(m.Content) > 0 {
			r.Messages = append(r.Messages, m)
		}
	}
	d.endTurns(r.Messages)
}

// messagePlaces gives the place that a message of each role is.
var messagePlaces = map[string]*blockPlace{RoleUser: &inUser, RoleAssistant: &inAssistant, RoleSystem: &inSystemMessage}

// message reads one message. It has no content if nothing of it is left.
func (d *decoder) message(at *fieldPath, w *wireMessage, last bool) (m MessageParam) {
	if !d.object(*at, w.at) {
		return m
	}
	m.Role = d.text(at.member("role"), w.Role)
	place, ok := messagePlaces[m.Role]
	if !ok {
		d.fail(at.member("role"), "Input should be 'user', 'assistant' or 'system'")
		return m
	}
	empty := false
	content := at.member("content")
	switch w.Content.at.kind {
	case '"':
		s := d.text(content, w.Content.at)
		if empty = s == ""; !empty {
			m.Content = d.follow(content, m, BlockParam{Type: BlockText, Text: s})
		}
	case '[':
		empty = len(w.Content.items) == 0
		m.Content = make([]BlockParam, 0, len(w.Content.items))
		for i := range w.Content.items {
			element := content.element(i)
			if b, ok := d.block(&element, &w.Content.items[i], place); ok && d.err == nil {
				m.Content = d.follow(element, m, b)
			}
		}
	case 0:
		d.fail(content, fieldRequired)
	default:
		d.fail(content, notText)
	}
	if empty && !(last && m.Role == RoleAssistant) {
		d.fail(*at, "all messages must have non-empty content except for the optional final assistant message")
	}
	d.leave(at, w.Rest, nil)
	return m
}
