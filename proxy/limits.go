package proxy

import (
	"fmt"
	"iter"
	"net/http"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// An upstream that does not come to an end must not fill the memory.
const (
	maxRetained   = 64 << 20 // bytes of one answer in memory
	maxBlocks     = 10_000   // content blocks of one answer
	bytesPerBlock = 1 << 10  // about what a block takes in memory besides its text
)

// retain adds to the bytes of the answer that are in memory: collected into a message, or
// held back by the parser. What a stream has written to its client is released again,
// unless the answer is collected as well. The error says that there are too many.
func (x *exchange) retain(size int) error {
	if x.retained += size; x.retained > maxRetained {
		return errEndless(fmt.Sprintf("more than %d MB of its answer have to be kept", maxRetained>>20))
	}
	return nil
}

func errEndless(what string) error {
	return &upstream.Error{Status: http.StatusBadGateway, Type: messages.ErrorAPI, Message: "the upstream does not come to an end: " + what, Final: true}
}

// limitBlocks ends an answer with an error when it has more than maxBlocks content blocks.
func limitBlocks(events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		blocks := 0
		for e, err := range events {
			if e.Type == messages.ContentBlockStart {
				if blocks++; blocks > maxBlocks {
					yield(messages.Event{}, errEndless(fmt.Sprintf("its answer has more than %d content blocks", maxBlocks)))
					return
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
