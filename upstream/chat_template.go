package upstream

import "bytes"

// chatTemplate is what stands before and behind the text in the events of a stream. All
// that hold nothing but text are alike but for that, whatever members the server writes
// and in whichever order: so once one was read as JSON, the others need not be.
type chatTemplate struct {
	before, behind []byte // before is empty if none is known
}

// chatTextStart is how the text of an event begins, up to its quotation mark.
var chatTextStart = []byte(`"delta":{"content":`)

// learn takes the template from an event, whose JSON is data, if it holds text and
// nothing else to say.
func (t *chatTemplate) learn(data []byte, c *chatCompletion) {
	choice := &c.Choices[0]
	delta := choice.Delta
	if len(c.Choices) > 1 || choice.FinishReason != "" || choice.Message != (chatDelta{}) || c.Usage != (chatUsage{}) ||
		delta.Content == "" || delta != (chatDelta{Content: delta.Content}) {
		return
	}
	before, rest, found := bytes.Cut(data, chatTextStart)
	if !found || bytes.Contains(rest, []byte(`"content":`)) {
		return
	}
	text, length, ok := new(texts).unquote(rest)
	if !ok || chatText(text) != delta.Content {
		return
	}
	t.before = append(t.before[:0], data[:len(before)+len(chatTextStart)]...)
	t.behind = append(t.behind[:0], rest[length:]...)
}

// text returns the text of an event that the template fits. It is valid as long as data
// is, or until the next call.
func (t *chatTemplate) text(data []byte, of *texts) ([]byte, bool) {
	quoted, fits := bytes.CutPrefix(data, t.before)
	if !fits || len(t.before) == 0 {
		return nil, false
	}
	text, length, ok := of.unquote(quoted)
	return text, ok && bytes.Equal(quoted[length:], t.behind)
}
