package prompt

import (
	"context"
	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// renderer holds what the steps of one [Render] share. Each step has a file of its own:
// render_system.go, render_turns.go with render_results.go, and render_choice.go.
type renderer struct {
	ctx    context.Context // checked between tools, messages, blocks and results
	req    *messages.Request
	target Target
	format *format.Format
	escape markup.Escaper // applies the escape policy to all of the prompt
	writer turnWriter     // of the turn that is being made
	prompt *Prompt        // made so far

	origins *Origins // of the prompt; nil unless somebody asks for them

	// promptLanguage is the language of the prompt; nil until language is called.
	promptLanguage *language.Language
	// pastCalls are the calls of the assistant turn before, by their id: the results of
	// the next turn name them.
	pastCalls map[string]pastCall
	calls     int // how many calls have been written
}

// newWriter returns a writer of parts of the prompt.
func (r *renderer) newWriter() turnWriter {
	return turnWriter{Buffer: markup.Buffer{Escape: &r.escape}, language: r.language, format: r.format, framed: r.prompt.chat.framesOwn()}
}

// pastCall is a call in the history.
type pastCall struct {
	order  int // among the calls of its turn, from 0
	number int // among those of the conversation, from 0
	name   string
}

// language returns the language of the prompt. It is found once it is needed: to guess
// that of a conversation takes longer than to render a short request without tools.
func (r *renderer) language() *language.Language {
	if r.promptLanguage == nil {
		r.promptLanguage = LanguageOf(r.target.Language, r.req, r.target.Memo)
	}
	return r.promptLanguage
}
