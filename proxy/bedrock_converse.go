package proxy

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/upstream/converse"
	"dragoman/upstream/eventstream"
)

// bedrockConverse is Converse of Bedrock, with and without a stream
// (reference/bedrock.md §5). The API has no pings, but its clients pass over an event
// that they do not know, wherever it comes: those of AWS have to, for the API grows. An
// empty delta would need an open block, and would be part of it.
var bedrockConverse = dialect{
	name:     "bedrock_converse",
	identify: bedrockID,
	keys:     bedrockKeys,
	convert:  convertConverse,
	decode:   decodeBedrock,
	native:   nativeBedrock,
	message:  converseMessageJSON,
	failure:  bedrockFailure,
	streamHeader: http.Header{
		"Content-Type":      {eventstream.MediaType},
		"Cache-Control":     {"no-cache"},
		"X-Accel-Buffering": {"no"},
	},
	ping:   eventstream.Append(nil, eventstream.EventHeaders("ping"), []byte("{}")),
	frames: func(http.Header) frames { return &converseFrames{} },
}

// converseStops are the stop reasons in this API's terms. What else a model may give
// that has tools of its own, this API has no term for.
var converseStops = map[messages.Stop]string{
	messages.StopEndTurn:       converse.ReasonEndTurn,
	messages.StopToolUse:       converse.ReasonToolUse,
	messages.StopMaxTokens:     converse.ReasonMaxTokens,
	messages.StopSequence:      converse.ReasonSequence,
	messages.StopRefusal:       converse.ReasonContentFiltered,
	messages.StopGuardrail:     converse.ReasonGuardrail,
	messages.StopContextWindow: converse.ReasonContextWindow,
}

func converseStop(s messages.Stop) string {
	if name, ok := converseStops[s]; ok {
		return name
	}
	return converse.ReasonEndTurn
}

// converseSequence is the stop sequence in the fields of the model's own answer. It is
// told whether it was asked for or not, both where a message has it and where the event
// of a stream has it: no other field of the answer can be asked for.
type converseSequence struct {
	StopSequence string `json:"stop_sequence"`
	Delta        struct {
		StopSequence string `json:"stop_sequence"`
	} `json:"delta"`
}

func newEnding(m *messages.Message) converse.Ending {
	e := converse.Ending{StopReason: converseStop(m.StopReason)}
	if m.StopSequence != "" {
		fields := converseSequence{StopSequence: m.StopSequence}
		fields.Delta.StopSequence = m.StopSequence
		e.Fields = appendMarshaled(nil, fields)
	}
	return e
}

func newMetering(u messages.Usage, took time.Duration) (m converse.Metering) {
	m.Usage.Input, m.Usage.Output = u.InputTokens, u.OutputTokens
	m.Usage.CacheRead, m.Usage.CacheWrite = u.CacheReadInputTokens, u.CacheCreationInputTokens
	m.Usage.Total = u.InputTokens + u.OutputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
	m.Metrics.Latency = took.Milliseconds()
	return m
}

// newContent returns a block of an answer in this API's terms, which has none for
// what a model's own tools did.
func newContent(b *messages.ContentBlock) (c converse.Block, ok bool) {
	switch b.Type {
	case messages.BlockText:
		c.Text = &b.Text
	case messages.BlockToolUse:
		c.ToolUse = &converse.ToolUse{ID: b.ID, Name: b.Name, Input: b.Input}
		if len(b.Input) == 0 {
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

func converseMessageJSON(_ http.Header, dst []byte, m *messages.Message, took time.Duration) []byte {
	answer := converse.Answer{Ending: newEnding(m), Metering: newMetering(m.Usage, took)}
	answer.Output.Message = converse.Message{Role: messages.RoleAssistant, Content: []converse.Block{}}
	for i := range m.Content {
		if c, ok := newContent(&m.Content[i]); ok {
			answer.Output.Message.Content = append(answer.Output.Message.Content, c)
		}
	}
	return appendMarshaled(dst, answer)
}

// appendMarshaled appends what can always be written as JSON.
func appendMarshaled(dst []byte, v any) []byte {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return append(dst, data...)
}
