package upstreamtest

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"dragoman/translate/messages"
)

// event is one event of an answer: its type, and its JSON.
type event struct {
	name string
	data []byte
}

// events returns the stream of the Messages API for a completion
// (docs/reference/streaming.md §2, §3).
func (c Completion) events() []event {
	var list []event
	add := func(name, format string, args ...any) {
		list = append(list, event{name, fmt.Appendf(nil, `{"type":"`+name+`"`+format+`}`, args...)})
	}
	add("message_start", `,"message":{"id":"msg_fake","type":"message","role":"assistant","model":"fake","content":[],`+
		`"stop_reason":null,"stop_sequence":null,"usage":%s}`, quote(messages.Usage{
		InputTokens:              c.Usage.InputTokens,
		CacheCreationInputTokens: c.Usage.CacheCreationInputTokens,
		CacheReadInputTokens:     c.Usage.CacheReadInputTokens,
	}))
	index := 0
	if c.Thinking != "" {
		add("content_block_start", `,"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`)
		add("content_block_delta", `,"index":0,"delta":{"type":"thinking_delta","thinking":%s}`, quote(c.Thinking))
		add("content_block_delta", `,"index":0,"delta":{"type":"signature_delta","signature":"ZmFrZQ=="}`)
		add("content_block_stop", `,"index":0`)
		index++
	}
	if c.Text != "" {
		add("content_block_start", `,"index":%d,"content_block":{"type":"text","text":""}`, index)
	}
	add("ping", "") // a ping may come anywhere, and readers must ignore it
	for _, piece := range c.pieces() {
		add("content_block_delta", `,"index":%d,"delta":{"type":"text_delta","text":%s}`, index, quote(piece))
	}
	if c.Text != "" {
		add("content_block_stop", `,"index":%d`, index)
	}
	sequence := "null"
	if c.StopSequence != "" {
		sequence = string(quote(c.StopSequence))
	}
	stop := c.Stop
	if stop == messages.StopGuardrail { // Bedrock reports it in a separate member, and does not change the stop reason
		stop = messages.StopEndTurn
	}
	add("message_delta", `,"delta":{"stop_reason":%s,"stop_sequence":%s},"usage":{"output_tokens":%d}`,
		quote(stop), sequence, c.Usage.OutputTokens)
	add("message_stop", "%s", c.action())
	return list
}

// quote returns a value, often a string, as JSON.
func quote(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a text of the script is not UTF-8
	}
	return data
}

// action returns the member in which InvokeModel reports, in the last event, that a guardrail intervened; ""
// otherwise.
func (c Completion) action() string {
	if c.Stop != messages.StopGuardrail {
		return ""
	}
	return `,"amazon-bedrock-guardrailAction":"INTERVENED"`
}
