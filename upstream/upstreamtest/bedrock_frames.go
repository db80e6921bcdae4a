package upstreamtest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	"github.com/go-json-experiment/json"
)

// bedrockFrames writes the frames of InvokeModelWithResponseStream (docs/reference/bedrock.md §3).
type bedrockFrames struct {
	w    http.ResponseWriter
	body *body
}

// start sends the head of the response.
func (f *bedrockFrames) start() {
	f.w.Header().Set("content-type", "application/vnd.amazon.eventstream")
	f.w.Header().Set("x-amzn-bedrock-content-type", "application/json")
	f.body.flush()
}

// padding is the text from which the member p of a payload is cut.
const padding = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// event writes a chunk. The last chunk has the token counts.
func (f *bedrockFrames) event(name string, data []byte, damaged bool) {
	if name == "message_stop" {
		data = fmt.Appendf(nil, `%s,"amazon-bedrock-invocationMetrics":{"inputTokenCount":7,"outputTokenCount":1,"invocationLatency":40,"firstByteLatency":10}}`,
			bytes.TrimSuffix(data, []byte("}")))
	}
	payload, err := json.Marshal(struct {
		Bytes   []byte `json:"bytes"`
		Padding string `json:"p"`
	}{data, padding[:len(data)%len(padding)]})
	if err != nil {
		panic(err) // cannot fail: bytes and ASCII
	}
	f.frame(payload, damaged, eventstreamapi.MessageTypeHeader, eventstreamapi.EventMessageType,
		eventstreamapi.EventTypeHeader, "chunk")
}

// fail writes the frame of an exception.
func (f *bedrockFrames) fail(typ, message string) {
	name := []rune(typ)
	name[0] = unicode.ToLower(name[0])
	f.frame(fmt.Appendf(nil, `{"message":%s}`, quote(message)), false,
		eventstreamapi.MessageTypeHeader, eventstreamapi.ExceptionMessageType,
		eventstreamapi.ExceptionTypeHeader, string(name))
}

// frame writes one frame. headers are names and values in turn. damaged flips a bit of the frame.
func (f *bedrockFrames) frame(payload []byte, damaged bool, headers ...string) {
	m := eventstream.Message{Payload: payload}
	m.Headers.Set(eventstreamapi.ContentTypeHeader, eventstream.StringValue("application/json"))
	for i := 0; i < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	var out strings.Builder
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		panic(err) // cannot fail: a builder accepts everything
	}
	data := []byte(out.String())
	if damaged {
		data[len(data)/2] ^= 1
	}
	_, _ = f.body.Write(data) // if the client has left, the context tells
}
