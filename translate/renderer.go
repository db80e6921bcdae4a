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

	foundLanguage *language           // that of the prompt, once it is known
	pastCalls     map[string]pastCall // of the assistant turn before, by id
}

// pastCall is a call that the turn after it answers.
type pastCall struct {
	order int
	name  string
}

// language returns the language of the prompt. To find that of a conversation takes
// work, which is not done for a prompt in which nothing is said.
func (r *renderer) language() *language {
	if r.foundLanguage == nil {
		r.foundLanguage = languageOf(r.target.Language, r.req)
	}
	return r.foundLanguage
}
