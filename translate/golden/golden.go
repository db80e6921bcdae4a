// Package golden writes answers in the form of the golden files in translate/testdata, for the
// tests that read them.
package golden

import (
	"strings"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// Message writes a message as lines: text and thinking in quotes, calls as name{input}, then the
// stop reason and the outcomes that are not clean.
func Message(m *messages.Message) string {
	var b strings.Builder
	for _, c := range m.Content {
		switch c.Type {
		case messages.BlockText:
			b.WriteString("text " + string(rawjson.AppendString(nil, c.Text)) + "\n")
		case messages.BlockThinking:
			b.WriteString("thinking " + string(rawjson.AppendString(nil, c.Thinking)) + "\n")
		case messages.BlockToolUse:
			b.WriteString(c.Name + " " + string(c.Input) + "\n")
		}
	}
	b.WriteString(string(m.StopReason))
	if m.StopSequence != "" {
		b.WriteString(" " + m.StopSequence)
	}
	for _, o := range m.Outcomes {
		if o.Kind != messages.OutcomeClean {
			b.WriteString("\n# " + string(o.Kind) + " " + o.Tool + " ")
			if o.Reason != messages.ReasonNone {
				b.WriteString(o.Reason.String())
			}
		}
	}
	return b.String()
}
