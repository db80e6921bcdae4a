package translate

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// renderer makes one prompt of one request.
type renderer struct {
	ctx    context.Context
	req    *messages.Request
	target Target
	format *format
	escape markup.Escaper
	prompt *Prompt

	writer turnWriter

	calls map[string]pastCall // of the assistant turn before, by id
}

// pastCall is a call that the turn after it answers.
type pastCall struct {
	order int
	name  string
}
