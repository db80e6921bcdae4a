package prompt

import (
	"unicode/utf8"
)

// How many tokens a text has, where no upstream counts them.

const (
	// bytesPerToken is how much text a token is taken for: English has about four bytes
	// in one.
	bytesPerToken = 4
	// tokensPerImage is what an image is taken for: one of about a million pixels.
	tokensPerImage = 1600
)

// EstimateTokens returns about how many tokens the prompt has. An image counts as one of
// about a million pixels, a document by the bytes of its source; a raw prompt has words in their place.
func (p *Prompt) EstimateTokens() int {
	bytes, images := 0, 0
	for _, t := range p.System {
		bytes += len(t.Text)
	}
	if p.ToolAPI != nil {
		for _, t := range p.ToolAPI.Tools {
			bytes += len(t.Name) + len(t.Description) + len(t.InputSchema)
		}
	}
	for part := range p.allParts() {
		if p.chat != nil {
			bytes += len(part.AsText())
			continue
		}
		bytes += len(part.Text) + len(part.Title) + len(part.Context)
		switch part.Type {
		case PartImage:
			images++
		case PartDocument:
			bytes += len(part.Source)
		case PartToolUse:
			bytes += len(part.Name) + len(part.Input)
		}
	}
	return EstimateTokens(bytes) + images*tokensPerImage
}

// EstimateTokens returns about how many tokens that many bytes of text have: one for each
// four, rounded up.
func EstimateTokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// The most bytes of text that one token of a tokenizer stands for, on average. English prose has 4 to 5
// bytes in a token, code less; Hindi and Tamil have up to 10, of which three are one character.
const (
	mostBytesPerToken    = 7
	mostNonASCIIPerToken = 12
)

// LeastTokens returns a number of tokens that the text of the prompt has at least, in whatever language
// and for whatever model. A run of one character, as in an indentation, counts as one. Images and
// documents do not count: what they come to is up to the model.
func (p *Prompt) LeastTokens() int {
	var ascii, others int
	count := func(text string) {
		for i, c := range []byte(text) {
			switch {
			case c >= utf8.RuneSelf:
				others++
			case i == 0 || text[i-1] != c:
				ascii++
			}
		}
	}
	for _, t := range p.System {
		count(t.Text)
	}
	for part := range p.allParts() {
		count(part.Text)
	}
	return ascii/mostBytesPerToken + others/mostNonASCIIPerToken
}
