package proxy

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// The parts of an answer of Converse, whole or streamed (docs/reference/bedrock.md §5).

// converseStops are the stop reasons that this API has a term for.
var converseStops = map[translate.Stop]string{
	translate.StopEndTurn:       "end_turn",
	translate.StopToolUse:       "tool_use",
	translate.StopMaxTokens:     "max_tokens",
	translate.StopSequence:      "stop_sequence",
	translate.StopRefusal:       "content_filtered",
	translate.StopGuardrail:     "guardrail_intervened",
	translate.StopContextWindow: "model_context_window_exceeded",
}

// converseStop returns the term for a stop reason. One that only a model with its own
// tool API gives is told as the end of the turn.
func converseStop(s translate.Stop) string {
	if name, ok := converseStops[s]; ok {
		return name
	}
	return "end_turn"
}

// converseEnding says how an answer ended. A client has to ask for the stop sequence, by
// its path in a message or in an event of a stream. It is told in both places, whether it
// was asked for or not: no other field can be asked for.
type converseEnding struct {
	Stop  string            `json:"stopReason"`
	Extra *converseSequence `json:"additionalModelResponseFields,omitzero"`
}

type converseSequence struct {
	StopSequence string `json:"stop_sequence"`
	Delta        struct {
		StopSequence string `json:"stop_sequence"`
	} `json:"delta"`
}

func newEnding(m *translate.Message) converseEnding {
	e := converseEnding{Stop: converseStop(m.StopReason)}
	if m.StopSequence != "" {
		e.Extra = &converseSequence{StopSequence: m.StopSequence}
		e.Extra.Delta.StopSequence = m.StopSequence
	}
	return e
}

// converseMetering says what an answer took, in tokens and milliseconds.
type converseMetering struct {
	Usage struct {
		Input      int `json:"inputTokens"`
		Output     int `json:"outputTokens"`
		Total      int `json:"totalTokens"`
		CacheRead  int `json:"cacheReadInputTokens"`
		CacheWrite int `json:"cacheWriteInputTokens"`
	} `json:"usage"`
	Metrics struct {
		Latency int64 `json:"latencyMs"`
	} `json:"metrics"`
}

func newMetering(u translate.Usage, took time.Duration) (m converseMetering) {
	m.Usage.Input, m.Usage.Output = u.InputTokens, u.OutputTokens
	m.Usage.CacheRead, m.Usage.CacheWrite = u.CacheReadInputTokens, u.CacheCreationInputTokens
	m.Usage.Total = u.InputTokens + u.OutputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
	m.Metrics.Latency = took.Milliseconds()
	return m
}

// converseContent is a content block of an answer: a union, of which one member is set.
type converseContent struct {
	Text      *string          `json:"text,omitzero"`
	ToolUse   *converseCall    `json:"toolUse,omitzero"`
	Reasoning *converseThought `json:"reasoningContent,omitzero"`
}

type converseCall struct {
	ID    string         `json:"toolUseId"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input,omitzero"`
}

// converseThought is what a model has thought: a union.
type converseThought struct {
	Text     *converseThinking `json:"reasoningText,omitzero"`
	Redacted string            `json:"redactedContent,omitzero"` // base64, as the model's own API has it
}

type converseThinking struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitzero"`
}

// newContent returns a block of an answer. It is not ok if this API has no term for the
// block: that of a tool which the model's own API has run.
func newContent(b *translate.ContentBlock) (c converseContent, ok bool) {
	switch b.Type {
	case translate.BlockText:
		c.Text = &b.Text
	case translate.BlockToolUse:
		c.ToolUse = &converseCall{b.ID, b.Name, b.Input}
		if len(b.Input) == 0 {
			c.ToolUse.Input = jsontext.Value("{}")
		}
	case translate.BlockThinking:
		c.Reasoning = &converseThought{Text: &converseThinking{b.Thinking, b.Signature}}
	case translate.BlockRedacted:
		c.Reasoning = &converseThought{Redacted: b.Data}
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
