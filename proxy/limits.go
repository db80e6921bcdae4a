package proxy

import (
	"fmt"
	"net/http"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// An upstream that does not come to an end must not fill the memory. What the parser holds back has bounds of its own.
const (
	maxRetained = 64 << 20 // bytes of an answer that is collected: for the client, or to be checked
	maxBlocks   = 10_000   // content blocks of one answer
)

// retained counts the bytes of an answer that is collected.
type retained int

// add adds bytes. The error says that there are too many.
func (r *retained) add(bytes int) error {
	if *r += retained(bytes); *r > maxRetained {
		return errEndless(fmt.Sprintf("more than %d MB of its answer have to be kept", maxRetained>>20))
	}
	return nil
}

func errEndless(what string) error {
	return &upstream.Error{Status: http.StatusBadGateway, Type: messages.ErrorAPI, Message: "the upstream does not come to an end: " + what, Final: true}
}
