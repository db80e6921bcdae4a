package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

// wire is one API's form of an answer. Each method appends to b.
type wire interface {
	contentType(stream bool) string
	whole(b []byte, c *completion) []byte
	begin(b []byte, c *completion) []byte
	delta(b []byte, d *delta, now time.Time) []byte
	end(b []byte, c *completion) []byte
}

// stamped appends a delta's text with the time in it.
func stamped(b []byte, d *delta, now time.Time) []byte {
	from := len(b)
	b = append(b, d.escaped...)
	if d.mark != 0 {
		putStamp(b[from+d.at:], d.mark, now)
	}
	return b
}

// text appends all of the text.
func (c *completion) text(b []byte, now time.Time) []byte {
	for i := range c.deltas {
		b = stamped(b, &c.deltas[i], now)
	}
	return b
}

// messages is the Messages API: in server-sent events, or in the frames that Bedrock puts its events
// into.
type messages struct{ frames bool }

func (m messages) contentType(stream bool) string {
	switch {
	case !stream:
		return "application/json"
	case m.frames:
		return "application/vnd.amazon.eventstream"
	}
	return "text/event-stream; charset=utf-8"
}

func (c *completion) stopReason() string {
	if c.stop == "" {
		return `"stop_reason":"end_turn","stop_sequence":null`
	}
	return `"stop_reason":"stop_sequence","stop_sequence":"` + c.stop + `"`
}

func (m messages) whole(b []byte, c *completion) []byte {
	b = append(b, `{"id":"msg_bench","type":"message","role":"assistant","model":"bench","content":[{"type":"text","text":"`...)
	b = c.text(b, time.Now())
	return fmt.Appendf(b, `"}],%s,"usage":{"input_tokens":100,"output_tokens":%d}}`, c.stopReason(), c.bytes/4)
}

func (m messages) begin(b []byte, c *completion) []byte {
	b = m.event(b, "message_start", []byte(`{"type":"message_start","message":{"id":"msg_bench","type":"message","role":"assistant","model":"bench",`+
		`"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}}}`))
	b = m.event(b, "content_block_start", []byte(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`))
	if m.frames {
		return b
	}
	return m.event(b, "ping", []byte(`{"type": "ping"}`))
}

func (m messages) delta(b []byte, d *delta, now time.Time) []byte {
	json := make([]byte, 0, 256)
	json = append(json, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`...)
	json = append(stamped(json, d, now), `"}}`...)
	return m.event(b, "content_block_delta", json)
}

func (m messages) end(b []byte, c *completion) []byte {
	b = m.event(b, "content_block_stop", []byte(`{"type":"content_block_stop","index":0}`))
	b = m.event(b, "message_delta", fmt.Appendf(nil, `{"type":"message_delta","delta":{%s},"usage":{"output_tokens":%d}}`, c.stopReason(), c.bytes/4))
	return m.event(b, "message_stop", []byte(`{"type":"message_stop"}`))
}

// event appends one event.
func (m messages) event(b []byte, name string, json []byte) []byte {
	if m.frames {
		return appendFrame(b, json)
	}
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\ndata: "...)
	b = append(b, json...)
	return append(b, "\n\n"...)
}

// frameHeaders are the headers of a frame that holds an event, as AWS encodes them: each a name with
// its length, the type 7 of a string, and a value with its length.
var frameHeaders = func() (b []byte) {
	for _, h := range [][2]string{{":event-type", "chunk"}, {":content-type", "application/json"}, {":message-type", "event"}} {
		b = append(append(b, byte(len(h[0]))), h[0]...)
		b = binary.BigEndian.AppendUint16(append(b, 7), uint16(len(h[1])))
		b = append(b, h[1]...)
	}
	return b
}()

// appendFrame appends a frame of InvokeModelWithResponseStream. Its padding makes the frames of one
// kind differ in length, as Bedrock's do.
func appendFrame(b, event []byte) []byte {
	const before, between, after = `{"bytes":"`, `","p":"`, `"}`
	padding := "abcdefghijklmnopqrstuvwx"[:len(event)%24]
	payload := len(before) + base64.StdEncoding.EncodedLen(len(event)) + len(between) + len(padding) + len(after)
	from := len(b)
	b = binary.BigEndian.AppendUint32(b, uint32(16+len(frameHeaders)+payload))
	b = binary.BigEndian.AppendUint32(b, uint32(len(frameHeaders)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[from:]))
	b = append(b, frameHeaders...)
	b = append(b, before...)
	b = base64.StdEncoding.AppendEncode(b, event)
	b = append(append(append(b, between...), padding...), after...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[from:]))
}

// chat is the API of chat completions, which peers take their models by.
type chat struct{}

func (chat) contentType(stream bool) string {
	return messages{}.contentType(stream)
}

func (chat) whole(b []byte, c *completion) []byte {
	b = append(b, `{"id":"chatcmpl-bench","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"`...)
	b = c.text(b, time.Now())
	return fmt.Appendf(b, `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":%d,"total_tokens":%d}}`, c.bytes/4, 100+c.bytes/4)
}

const chatHead = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[{"index":0,"delta":{`

func (chat) begin(b []byte, c *completion) []byte {
	return append(b, chatHead+`"role":"assistant","content":""},"finish_reason":null}]}`+"\n\n"...)
}

func (chat) delta(b []byte, d *delta, now time.Time) []byte {
	b = append(b, chatHead+`"content":"`...)
	return append(stamped(b, d, now), `"},"finish_reason":null}]}`+"\n\n"...)
}

func (chat) end(b []byte, c *completion) []byte {
	return append(b, chatHead+`},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n"...)
}
