package proxy

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// converseStops are the stop reasons in this API's terms. What else a model may give
// that has tools of its own, this API has no term for.
var converseStops = map[translate.Stop]string{
	translate.StopEndTurn:       "end_turn",
	translate.StopToolUse:       "tool_use",
	translate.StopMaxTokens:     "max_tokens",
	translate.StopSequence:      "stop_sequence",
	translate.StopRefusal:       "content_filtered",
	translate.StopGuardrail:     "guardrail_intervened",
	translate.StopContextWindow: "model_context_window_exceeded",
}

func converseStop(s translate.Stop) string {
	if name, ok := converseStops[s]; ok {
		return name
	}
	return "end_turn"
}

// converseEnding is how an answer ended. The stop sequence is told whether it was
// asked for or not, both where a message has it and where the event of a stream has
// it: no other field of the answer can be asked for.
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

// converseMetering is what an answer took, in tokens and milliseconds.
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

// converseContent is a content block of an answer: a union.
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

// converseThought is a union.
type converseThought struct {
	Text     *converseThinking `json:"reasoningText,omitzero"`
	Redacted string            `json:"redactedContent,omitzero"` // base64, as the model's own API has it
}

type converseThinking struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitzero"`
}

// newContent returns a block of an answer in this API's terms, which has none for
// what a model's own tools did.
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

// appendMarshaled appends what can always be written as JSON.
func appendMarshaled(dst []byte, v any) []byte {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return append(dst, data...)
}
