// Package eventstream writes the frames of an AWS event stream, in which the proxy answers the
// clients of Amazon Bedrock that stream (docs/reference/bedrock.md §3). The AWS SDK encodes them.
package eventstream

import (
	"bytes"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
)

// MediaType is the content type of a stream. Clients in Java compare it to the letter
// (docs/reference/clients.md §3).
const MediaType = "application/vnd.amazon.eventstream"

// Headers say what a frame is.
type Headers = eventstream.Headers

// EventHeaders returns the headers of a frame with an event of this type, whose payload
// is JSON, in the order in which Bedrock writes them.
func EventHeaders(event string) Headers {
	return headers(eventstreamapi.EventTypeHeader, event, eventstreamapi.EventMessageType)
}

// ExceptionHeaders returns the headers of the frame by which a stream fails, whose
// payload is JSON. The name is that of the exception in lower camel case:
// throttlingException.
func ExceptionHeaders(name string) Headers {
	return headers(eventstreamapi.ExceptionTypeHeader, name, eventstreamapi.ExceptionMessageType)
}

func headers(name, value, message string) (h Headers) {
	h.Set(name, eventstream.StringValue(value))
	h.Set(eventstreamapi.ContentTypeHeader, eventstream.StringValue("application/json"))
	h.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(message))
	return h
}

// Append appends the frame with these headers and this payload to dst. It panics if the headers are not
// from this package, or the payload is longer than a frame can be: 16 MiB.
func Append(dst []byte, h Headers, payload []byte) []byte {
	out := bytes.NewBuffer(dst)
	if err := eventstream.NewEncoder().Encode(out, eventstream.Message{Headers: h, Payload: payload}); err != nil {
		panic(err)
	}
	return out.Bytes()
}
