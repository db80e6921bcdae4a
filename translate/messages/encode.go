package messages

import (
	"strconv"

	"dragoman/translate/rawjson"
)

// This file writes messages and events as JSON.

// AppendJSON appends the message to dst as the message object of docs/reference/messages-api.md §8,
// on one line. Members that the API always has, but this package does not know, are null.
func (m *Message) AppendJSON(dst []byte) []byte {
	if m.Raw != nil {
		return append(dst, m.Raw...)
	}
	dst = append(dst, `{"id":`...)
	dst = rawjson.AppendString(dst, m.ID)
	dst = append(dst, `,"type":"message","role":"assistant","model":`...)
	dst = rawjson.AppendString(dst, m.Model)
	dst = append(dst, `,"content":[`...)
	for i := range m.Content {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.Content[i].appendJSON(dst)
	}
	dst = append(dst, `],"container":null,"diagnostics":null,`...)
	dst = m.appendStop(dst)
	dst = append(dst, `,"usage":{`...)
	dst = m.Usage.appendCounters(dst)
	return append(dst, `,"cache_creation":null,"output_tokens_details":null,"server_tool_use":null,"service_tier":null,"inference_geo":null,"speed":null}}`...)
}

// AppendJSON appends the event to dst as the data of one SSE frame (docs/reference/streaming.md
// §3), on one line. It does not allocate if dst has room. Messages and blocks have the same members
// as in a whole message, so a client that accumulates the events gets the whole message.
func (e Event) AppendJSON(dst []byte) []byte {
	if e.Raw != nil {
		return append(dst, e.Raw...)
	}
	switch e.Type {
	case MessageStart:
		dst = append(dst, `{"type":"message_start","message":`...)
		dst = e.Message.AppendJSON(dst)
	case Ping:
		dst = append(dst, `{"type":"ping"`...)
	case ContentBlockStart:
		dst = append(dst, `{"type":"content_block_start","index":`...)
		dst = strconv.AppendInt(dst, int64(e.Index), 10)
		dst = append(dst, `,"content_block":`...)
		dst = e.Block.appendJSON(dst)
	case ContentBlockDelta:
		dst = append(dst, `{"type":"content_block_delta","index":`...)
		dst = strconv.AppendInt(dst, int64(e.Index), 10)
		dst = append(dst, deltaOpenings[e.Delta]...)
		dst = rawjson.AppendEscaped(dst, e.Text)
		return append(dst, `"}}`...)
	case ContentBlockStop:
		dst = append(dst, `{"type":"content_block_stop","index":`...)
		dst = strconv.AppendInt(dst, int64(e.Index), 10)
	case MessageDelta:
		dst = append(dst, `{"type":"message_delta","delta":{`...)
		dst = e.Message.appendStop(dst)
		dst = append(dst, `},"usage":{`...)
		dst = e.Message.Usage.appendCounters(dst)
		dst = append(dst, '}')
	case MessageStop:
		dst = append(dst, `{"type":"message_stop"`...)
	}
	return append(dst, '}')
}

// deltaOpenings are the JSON between the index of a delta and its text.
var deltaOpenings = [...]string{
	TextDelta:      `,"delta":{"type":"text_delta","text":"`,
	InputJSONDelta: `,"delta":{"type":"input_json_delta","partial_json":"`,
	ThinkingDelta:  `,"delta":{"type":"thinking_delta","thinking":"`,
	SignatureDelta: `,"delta":{"type":"signature_delta","signature":"`,
}

// appendJSON appends the block as JSON (docs/reference/messages-api.md §8).
func (b *ContentBlock) appendJSON(dst []byte) []byte {
	switch b.Type {
	case BlockToolUse:
		dst = append(dst, `{"type":"tool_use","id":`...)
		dst = rawjson.AppendString(dst, b.ID)
		dst = append(dst, `,"name":`...)
		dst = rawjson.AppendString(dst, b.Name)
		dst = append(dst, `,"input":`...)
		if len(b.Input) == 0 {
			dst = append(dst, `{}`...)
		} else {
			dst = append(dst, b.Input...)
		}
		return append(dst, `,"caller":{"type":"direct"}}`...)
	case BlockThinking:
		dst = append(dst, `{"type":"thinking","thinking":`...)
		dst = rawjson.AppendString(dst, b.Thinking)
		dst = append(dst, `,"signature":`...)
		dst = rawjson.AppendString(dst, b.Signature)
		return append(dst, '}')
	default:
		dst = append(dst, `{"type":"text","text":`...)
		dst = rawjson.AppendString(dst, b.Text)
		return append(dst, '}')
	}
}

// appendStop appends stop_reason and stop_sequence.
func (m *Message) appendStop(dst []byte) []byte {
	if m.StopReason == StopGuardrail {
		return append(dst, `"stop_details":{"type":"refusal","category":null,"explanation":"A guardrail intervened."},"stop_reason":"refusal","stop_sequence":null`...)
	}
	dst = append(dst, `"stop_details":null,"stop_reason":`...)
	dst = rawjson.AppendNullable(dst, m.StopReason)
	dst = append(dst, `,"stop_sequence":`...)
	return rawjson.AppendNullable(dst, m.StopSequence)
}

// appendCounters appends the token counts as members of an object.
func (u Usage) appendCounters(dst []byte) []byte {
	dst = append(dst, `"input_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.InputTokens), 10)
	dst = append(dst, `,"output_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.OutputTokens), 10)
	dst = append(dst, `,"cache_creation_input_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.CacheCreationInputTokens), 10)
	dst = append(dst, `,"cache_read_input_tokens":`...)
	return strconv.AppendInt(dst, int64(u.CacheReadInputTokens), 10)
}
