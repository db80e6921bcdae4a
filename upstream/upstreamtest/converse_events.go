package upstreamtest

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"

	"dragoman/translate/messages"
)

// converseEvents returns the events of ConverseStream for a completion (docs/reference/bedrock.md §5). named:
// the request asked for the stop sequence, and the model tells it.
func (c Completion) converseEvents(named bool) []event {
	var list []event
	add := func(name, format string, args ...any) {
		list = append(list, event{name, fmt.Appendf(nil, format, args...)})
	}
	add("messageStart", `{"role":"assistant"}`)
	index := 0
	if c.Thinking != "" {
		add("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":%s}}}`, quote(c.Thinking))
		add("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"ZmFrZQ=="}}}`)
		add("contentBlockStop", `{"contentBlockIndex":0}`)
		index++
	}
	for _, piece := range c.pieces() {
		add("contentBlockDelta", `{"contentBlockIndex":%d,"delta":{"text":%s}}`, index, quote(piece))
	}
	add("contentBlockStop", `{"contentBlockIndex":%d}`, index)
	add("messageStop", `{%s}`, c.converseStop(named))
	add("metadata", `{"usage":%s,"metrics":{"latencyMs":40}}`, c.converseUsage())
	return list
}

// converseWhole returns the answer of Converse, which is written in these pieces.
func (c Completion) converseWhole(named bool) []event {
	var list []event
	add := func(format string, args ...any) {
		list = append(list, event{"", fmt.Appendf(nil, format, args...)})
	}
	add(`{"metrics":{"latencyMs":800},"output":{"message":{"role":"assistant","content":[`)
	if c.Thinking != "" {
		add(`{"reasoningContent":{"reasoningText":{"text":%s,"signature":"ZmFrZQ=="}}},`, quote(c.Thinking))
	}
	add(`{"text":"`)
	for _, piece := range c.pieces() {
		quoted := quote(piece)
		add(`%s`, quoted[1:len(quoted)-1])
	}
	add(`"}]}},%s,"performanceConfig":{"latency":"standard"},"serviceTier":{"type":"default"},"usage":%s}`, c.converseStop(named), c.converseUsage())
	return list
}

// converseReasons are the stop reasons with another name in Converse than in the Messages API.
var converseReasons = map[messages.Stop]string{messages.StopRefusal: "content_filtered"}

// converseStop returns the JSON members that say why the completion ended.
func (c Completion) converseStop(named bool) string {
	reason := converseReasons[c.Stop]
	if reason == "" {
		reason = string(c.Stop)
	}
	stop := fmt.Sprintf(`"stopReason":%s`, quote(reason))
	if named && c.StopSequence != "" {
		stop += fmt.Sprintf(`,"additionalModelResponseFields":{"stop_sequence":%s}`, quote(c.StopSequence))
	}
	return stop
}

// converseUsage returns the token counts as JSON.
func (c Completion) converseUsage() string {
	u := c.Usage
	return fmt.Sprintf(`{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d,"cacheReadInputTokens":%d,"cacheWriteInputTokens":%d}`,
		u.InputTokens, u.OutputTokens, u.InputTokens+u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
}

// converseFrames is the [wireWriter] of ConverseStream. The payload of a frame is the event itself. With
// InvokeModel, the payload holds the event in base64.
type converseFrames struct{ bedrockFrames }

// event writes an event of this type, padded like Bedrock's.
func (f *converseFrames) event(name string, data []byte, damaged bool) {
	payload := fmt.Appendf(nil, `%s,"p":%s}`, bytes.TrimSuffix(data, []byte("}")), quote(padding[:len(data)%len(padding)]))
	f.frame(payload, damaged, eventstreamapi.MessageTypeHeader, eventstreamapi.EventMessageType,
		eventstreamapi.EventTypeHeader, name)
}

// wholeFrames is the [wireWriter] of an answer that is one JSON text, written in pieces.
type wholeFrames struct {
	w    http.ResponseWriter
	body *body
}

// start sends the head of the response.
func (f *wholeFrames) start() {
	f.w.Header().Set("content-type", "application/json")
	f.body.flush()
}

// event writes a piece. A damaged piece makes the text invalid JSON.
func (f *wholeFrames) event(_ string, data []byte, damaged bool) {
	if damaged {
		data[0] = 0
	}
	_, _ = f.body.Write(data) // if the client has left, the context tells
}

// fail does nothing: such an answer fails before it begins (see Fault.before).
func (f *wholeFrames) fail(string, string) {}
