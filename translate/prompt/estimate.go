package prompt

import (
	"unicode/utf8"
)

// This file estimates the tokens of a text, for upstreams that do not count them.

const (
	// bytesPerToken is the assumed size of a token: English has about four bytes per token.
	bytesPerToken = 4
	// tokensPerImage is the assumed size of an image, of about a million pixels.
	tokensPerImage = 1600
)

// EstimateTokens returns about how many tokens the prompt has. Each image counts as tokensPerImage,
// and a document by the bytes of its source. A raw prompt has words in their place.
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

// EstimateTokens returns about how many tokens this many bytes of text have: a quarter, rounded up.
func EstimateTokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// The most bytes per token, on average. English prose has 4 to 5 bytes per token, and code has
// fewer. Hindi and Tamil have up to 10, but three bytes are one character.
const (
	mostBytesPerToken    = 7
	mostNonASCIIPerToken = 12
)

// LeastTokens returns a lower limit for the tokens of the prompt's text, in any language and for
// any model. A run of one character, such as an indent, counts as one. Images and documents do not
// count, because each model counts them differently.
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
