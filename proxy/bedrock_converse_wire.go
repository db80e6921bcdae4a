package proxy

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/upstream/converse"
)

// The parts of an answer of Converse, whole or streamed (docs/reference/bedrock.md §5).

// converseStops are the stop reasons that this API has a term for.
var converseStops = map[messages.Stop]string{
	messages.StopEndTurn:       converse.ReasonEndTurn,
	messages.StopToolUse:       converse.ReasonToolUse,
	messages.StopMaxTokens:     converse.ReasonMaxTokens,
	messages.StopSequence:      converse.ReasonSequence,
	messages.StopRefusal:       converse.ReasonContentFiltered,
	messages.StopGuardrail:     converse.ReasonGuardrail,
	messages.StopContextWindow: converse.ReasonContextWindow,
}

// converseStop returns the term for a stop reason. One that only a model with its own
// tool API gives is told as the end of the turn.
func converseStop(s messages.Stop) string {
	if name, ok := converseStops[s]; ok {
		return name
	}
	return converse.ReasonEndTurn
}

// converseSequence is the stop sequence as a client asks for it: by its path in a message
// or in an event of a stream. It is told in both places, whether it was asked for or not:
// no other field can be asked for.
type converseSequence struct {
	StopSequence string `json:"stop_sequence"`
	Delta        struct {
		StopSequence string `json:"stop_sequence"`
	} `json:"delta"`
}

// newEnding returns why an answer ended, as Converse says it.
func newEnding(m *messages.Message) converse.Ending {
	e := converse.Ending{StopReason: converseStop(m.StopReason)}
	if m.StopSequence != "" {
		fields := converseSequence{StopSequence: m.StopSequence}
		fields.Delta.StopSequence = m.StopSequence
		e.Fields = appendMarshaled(nil, fields)
	}
	return e
}

// newMetering returns the tokens and the time that an answer took.
func newMetering(u messages.Usage, took time.Duration) (m converse.Metering) {
	m.Usage.Input, m.Usage.Output = u.InputTokens, u.OutputTokens
	m.Usage.CacheRead, m.Usage.CacheWrite = u.CacheReadInputTokens, u.CacheCreationInputTokens
	m.Usage.Total = u.InputTokens + u.OutputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
	m.Metrics.Latency = took.Milliseconds()
	return m
}

// newContent returns a block of an answer. It is not ok if this API has no term for the
// block: that of a tool which the model's own API has run.
func newContent(b *messages.ContentBlock) (c converse.Block, ok bool) {
	switch b.Type {
	case messages.BlockText:
		c.Text = &b.Text
	case messages.BlockToolUse:
		c.ToolUse = &converse.ToolUse{ID: b.ID, Name: b.Name, Input: b.Input}
		if len(b.Input) == 0 || b.Input.Kind() == 'n' {
			c.ToolUse.Input = jsontext.Value("{}")
		}
	case messages.BlockThinking:
		c.Reasoning = &converse.Reasoning{Text: &converse.ReasoningText{Text: b.Thinking, Signature: b.Signature}}
	case messages.BlockRedacted:
		c.Reasoning = &converse.Reasoning{Redacted: b.Data}
	default:
		return c, false
	}
	return c, true
}

// appendMarshaled appends JSON. It panics if v has no JSON form, which is known when the
// code is written.
func appendMarshaled(dst []byte, v any) []byte {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return append(dst, data...)
}
