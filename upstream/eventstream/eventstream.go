// Package eventstream writes the frames of an AWS event stream, which clients of Amazon Bedrock get when they
// stream (docs/reference/bedrock.md §3). The AWS SDK encodes the frames.
package eventstream

import (
	"bytes"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
)

// MediaType is the content type of a stream. Clients in Java accept only this exact spelling
// (docs/reference/clients.md §3).
const MediaType = "application/vnd.amazon.eventstream"

// Headers are the headers of a frame.
type Headers = eventstream.Headers

// EventHeaders returns the headers of a frame with an event of this type and a JSON payload, in Bedrock's
// order.
func EventHeaders(event string) Headers {
	return headers(eventstreamapi.EventTypeHeader, event, eventstreamapi.EventMessageType)
}

// ExceptionHeaders returns the headers of a frame that reports a failure, with a JSON payload. name is the
// exception in lower camel case: throttlingException.
func ExceptionHeaders(name string) Headers {
	return headers(eventstreamapi.ExceptionTypeHeader, name, eventstreamapi.ExceptionMessageType)
}

func headers(name, value, message string) (h Headers) {
	h.Set(name, eventstream.StringValue(value))
	h.Set(eventstreamapi.ContentTypeHeader, eventstream.StringValue("application/json"))
	h.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(message))
	return h
}

// Append appends the frame with these headers and this payload to dst. It panics if the headers are not from
// this package, or the payload exceeds the limit of a frame: 16 MiB.
func Append(dst []byte, h Headers, payload []byte) []byte {
	out := bytes.NewBuffer(dst)
	if err := eventstream.NewEncoder().Encode(out, eventstream.Message{Headers: h, Payload: payload}); err != nil {
		panic(err)
	}
	return out.Bytes()
}
