package proxy

import (
	"time"

	"dragoman/translate/messages"
)

// sse writes the events of the Messages API as server-sent events (docs/reference/streaming.md §1). Chat Completions has
// frames of its own: chatFrames.
type sse struct{}

func (sse) appendEvent(dst []byte, e messages.Event, _ time.Duration) []byte {
	if e.Type == messages.ContentBlockDelta {
		dst = append(dst, deltaFrameHead...)
	} else {
		dst = appendFrameHead(dst, e.Name())
	}
	dst = e.AppendJSON(dst)
	return append(dst, "\n\n"...)
}

// deltaFrameHead is the head of the most frequent frame.
var deltaFrameHead = appendFrameHead(nil, messages.ContentBlockDelta.String())

func (sse) appendFailure(dst []byte, f *failure, requestID string) []byte {
	dst = appendFrameHead(dst, "error")
	dst = appendError(dst, f, requestID)
	return append(dst, "\n\n"...)
}

// appendFrameHead appends what comes before the data of a server-sent event. The data must be one line.
func appendFrameHead(dst []byte, event string) []byte {
	dst = append(dst, "event: "...)
	dst = append(dst, event...)
	return append(dst, "\ndata: "...)
}
