// Package simulated is a program that plays a model, for a first run and for tests. It needs no network and
// is deterministic: the same prompt gives the same chunks.
//
// It takes the tools, the question and the results from the request behind the prompt
// ([translate.Prompt.Request]). It chooses a tool by the words that the tool shares with the question, and
// writes the call in the format of the prompt ([translate.Prompt.WriteCalls]). It does not read the prompt's
// instructions, so it does not show how a real model reacts to them. Its prose begins with "[simulated]", so
// that nobody takes it for a real model's. If no request is behind a prompt, it knows only the turns.
//
// It writes the first of these that applies:
//
//  1. a call that tool_choice forces
//  2. the results of the last user turn
//  3. calls to the tools that the question names
//  4. a call to the tool whose name and description share most words with the question
//  5. the text of the question
//
// If the request asks for JSON that fits a schema, it writes a JSON value instead of prose. It takes the
// values of required parameters and properties from the question: phrases in quotes, capitalised words,
// numbers and members of an enum.
//
// The files follow the work: read.go finds the question and the results, choose.go chooses tools, answer.go
// writes the answer, question.go and value.go make arguments.
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

// bytesPerToken is how many bytes of text count as one token, in max_tokens and in the usage.
const bytesPerToken = 4

// Upstream is the simulated model as an upstream, with the same interface as the others.
type Upstream struct{ upstream.Func }

// New returns the simulated model.
func New() *Upstream { return &Upstream{complete} }

// complete returns the completion of the prompt in pieces of 4 to 12 bytes. Like a real stream, it may be cut
// between any two characters, even inside a tag. It ends at the first stop sequence or after max_tokens. The
// model's id and features do not matter. The only error is the cause of ctx, after ctx has ended.
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

// ListModels returns the name "simulated". The model answers to any other name too.
func (s *Upstream) ListModels(context.Context) ([]upstream.Listed, error) {
	return []upstream.Listed{{ID: "simulated"}}, nil
}

// cut cuts a completion at the first stop sequence or at max_tokens. It also returns the last chunk, which
// says why the completion ended. max_tokens applies first, because the model never writes a stop sequence
// after it.
func cut(text string, p *translate.Prompt) (string, translate.Chunk) {
	end := translate.Chunk{Stop: messages.StopEndTurn}
	if most := p.MaxTokens * bytesPerToken; len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text, end.Stop = text[:most], messages.StopMaxTokens
	}
	first := len(text) + 1 // the end of the first complete stop sequence
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

// pieceLength returns how many bytes of text to write next: at most n, without cutting a character. If the
// first character is longer than n, it returns the length of that character.
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

// tokens returns the number of tokens for a number of bytes, rounded up.
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
