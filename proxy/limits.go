package proxy

import (
	"fmt"
	"iter"
	"net/http"

	"dragoman/translate"
	"dragoman/upstream"
)

// An upstream that does not come to an end must not fill the memory.
const (
	maxRetained   = 64 << 20 // bytes of an answer of which the client has had nothing yet
	maxBlocks     = 10_000   // content blocks of an answer
	bytesPerBlock = 1 << 10  // about what is kept of a block besides its bytes
)

// keep takes down that so many bytes more of the answer are kept: collected into a
// message, or held back by what reads them.
func (x *exchange) retain(size int) error {
	if x.retained += size; x.retained > maxRetained {
		return errEndless(fmt.Sprintf("more than %d MB of its answer have to be kept", maxRetained>>20))
	}
	return nil
}

func errEndless(what string) error {
	return &upstream.Error{Status: http.StatusBadGateway, Type: typeAPI, Message: "the upstream does not come to an end: " + what, Final: true}
}

// tellChunk and tellEvent are for attend.
func chunkInfo(c translate.Chunk) (requestID string, size int) {
	return c.RequestID, len(c.Text) + len(c.Thinking)
}

func eventInfo(e translate.Event) (requestID string, size int) {
	if e.Message != nil {
		requestID = e.Message.RequestID
	}
	if e.Type == translate.ContentBlockStart {
		size = bytesPerBlock
	}
	return requestID, size + len(e.Raw)
}

// few ends an answer of too many content blocks.
func limitBlocks(events iter.Seq2[translate.Event, error]) iter.Seq2[translate.Event, error] {
	return func(yield func(translate.Event, error) bool) {
		blocks := 0
		for e, err := range events {
			if e.Type == translate.ContentBlockStart {
				if blocks++; blocks > maxBlocks {
					yield(translate.Event{}, errEndless(fmt.Sprintf("its answer has more than %d content blocks", maxBlocks)))
					return
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
