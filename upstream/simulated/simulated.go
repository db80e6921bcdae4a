// Package simulated is a program that plays a model: what a newcomer's first run and the
// tests talk to. It has no network and is deterministic: the same prompt gives the same
// chunks.
//
// It takes the tools, the question and the results from the request that the prompt was made of
// ([translate.Prompt.Request]). It picks a tool by the words that the tool shares with the question, and
// writes the call as the format of the prompt has it ([translate.Prompt.WriteCalls]). It does not read
// the prompt's instructions, so it says nothing of what a real model makes of them. Prose of its own
// begins with "[simulated]", so that nobody takes it for a model's. Of a prompt that was made by hand it
// knows the turns alone.
//
// What it writes is the first of these that the prompt gives reason for:
//
//  1. a call that tool_choice forces
//  2. the results of the last user turn
//  3. calls to the tools that the question names
//  4. a call to the one tool whose name and description share most with the question
//  5. what it was told
//
// If the request asks for JSON that fits a schema, it writes a JSON value in the place of prose. Required
// parameters and properties get values out of the question: phrases in quotes, capitalised words, numbers
// and members of an enum.
//
// The files follow the work: read.go finds the question and the results; choose.go chooses tools;
// answer.go writes; question.go and value.go make arguments.
package simulated

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// bytesPerToken is how many bytes of text the simulated model counts as one token, in
// max_tokens and in its usage.
const bytesPerToken = 4

// Upstream is the simulated model as an upstream: it is asked as those are that reach a
// model over a network.
type Upstream struct{ upstream.Func }

// New returns the simulated model.
func New() *Upstream { return &Upstream{complete} }

// complete returns the completion of the prompt in pieces of 4 to 12 bytes, cut anywhere
// between two characters, also within a tag, as a real stream is. It stops at the first
// stop sequence or after max_tokens, whichever comes first. The model's id and features
// make no difference. The only error is the cause of ctx, once that has ended.
func complete(ctx context.Context, _ upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		text, end := cut(newConversation(p).completion(), p)
		next := translate.Chunk{Usage: messages.Usage{InputTokens: tokens(size(p))}}
		for i := 0; ; i++ {
			if ctx.Err() != nil {
				yield(translate.Chunk{}, context.Cause(ctx))
				return
			}
			if !yield(next, nil) || next.Stop != "" {
				return
			}
			if text == "" {
				next = end
				continue
			}
			n := pieceLength(text, 4+7*i%9)
			next = translate.Chunk{Text: text[:n]}
			text = text[n:]
		}
	}
}

// ListModels returns the one name that says what it is. It answers to any other as well.
func (s *Upstream) ListModels(context.Context) ([]upstream.Listed, error) {
	return []upstream.Listed{{ID: "simulated"}}, nil
}

// cut returns the part of a completion up to where the prompt wants it to end, and the
// last chunk, which says why it ends there. max_tokens is applied first: a stop sequence
// after it is never written.
func cut(text string, p *translate.Prompt) (string, translate.Chunk) {
	end := translate.Chunk{Stop: messages.StopEndTurn}
	if most := p.MaxTokens * bytesPerToken; len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text, end.Stop = text[:most], messages.StopMaxTokens
	}
	first := len(text) + 1 // where the first stop sequence to be whole ends
	for _, stop := range p.StopSequences {
		at := strings.Index(text, stop)
		if stop != "" && at >= 0 && at+len(stop) < first {
			first, end.Stop, end.StopSequence = at+len(stop), messages.StopSequence, stop
		}
	}
	if end.Stop == messages.StopSequence {
		text = text[:first-len(end.StopSequence)]
	}
	end.Usage.OutputTokens = tokens(len(text))
	return text, end
}

// pieceLength returns how many bytes of text to write next: n, or fewer so that no
// character is cut, or the whole of a character that is longer than n.
func pieceLength(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(text)
	}
	return n
}

// tokens returns how many tokens so many bytes are, rounded up.
func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// size returns how many bytes of text a prompt has.
func size(p *translate.Prompt) int {
	n := 0
	for _, t := range p.System {
		n += len(t.Text)
	}
	for _, t := range p.Turns {
		for _, part := range t.Parts {
			n += len(part.Text)
		}
	}
	return n
}
