package simulated

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"dragoman/translate"
	"dragoman/upstream"
)

// bytesPerToken is what the simulated model takes for one token, in max_tokens
// and in its usage.
const bytesPerToken = 4

// Upstream is a built-in model without a network: what a newcomer's first run
// and our tests talk to. It reads the prompt as text, as a model would, and knows
// nothing else: it finds the tools in their markup, picks one by the words it
// shares with the question, and writes the call in the legacy format
// (reference/legacy-format.md §5). It is deterministic: the same prompt gives the
// same chunks. Prose of its own begins with "[simulated]".
//
// In order of precedence it finishes a call that a prefill has opened, obeys an
// instruction to call, reports the results that the last human turn holds, calls
// the tools that the question names, calls the one tool whose name and description
// share most with it, and else says what it was told. What is no call is a JSON
// value, where the prompt asks for one that fits a schema. Required parameters and
// properties get phrases in quotes, capitalised words, numbers and values of an
// enum out of the question.
type Upstream struct{}

// New returns the simulated model.
func New() *Upstream { return &Upstream{} }

// Invoke writes the completion in pieces of 4 to 12 bytes, cut anywhere between
// two characters, also within a tag. It stops at the first stop sequence or when
// max_tokens are written, whichever comes first; a token is 4 bytes. The name of
// the model makes no difference.
func (s *Upstream) Invoke(ctx context.Context, _ upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		r := parsePrompt(p)
		text, end := cut(r.completion(), p)
		next := translate.Chunk{Usage: translate.Usage{InputTokens: tokens(size(p))}}
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

// cut cuts a completion where the prompt asks for it and says how it ends.
func cut(text string, p *translate.Prompt) (string, translate.Chunk) {
	end := translate.Chunk{Stop: translate.StopEndTurn}
	if most := p.MaxTokens * bytesPerToken; len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text, end.Stop = text[:most], translate.StopMaxTokens
	}
	first := len(text) + 1 // where the first stop sequence to be whole ends
	for _, stop := range p.StopSequences {
		at := strings.Index(text, stop)
		if stop != "" && at >= 0 && at+len(stop) < first {
			first, end.Stop, end.StopSequence = at+len(stop), translate.StopSequence, stop
		}
	}
	if end.Stop == translate.StopSequence {
		text = text[:first-len(end.StopSequence)]
	}
	end.Usage.OutputTokens = tokens(len(text))
	return text, end
}

// pieceLength returns how many bytes of text to write: n or a few less or more, so that
// no character is cut.
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

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// size returns the bytes of text in a prompt.
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
