package translate

// How many tokens a text has, where no upstream counts them.

const (
	// bytesPerToken is how much text a token is taken for: English has about four bytes
	// in one.
	bytesPerToken = 4
	// tokensPerImage is what an image is taken for: one of about a million pixels.
	tokensPerImage = 1600
)

// EstimateTokens returns about how many tokens the prompt has. An image counts as one of
// about a million pixels, a document by the bytes of its source.
func (p *Prompt) EstimateTokens() int {
	bytes, images := 0, 0
	for _, t := range p.System {
		bytes += t.Text.Len()
	}
	for _, turn := range p.Turns {
		for _, part := range turn.Parts {
			bytes += part.Text.Len() + len(part.Title) + len(part.Context)
			switch part.Type {
			case PartImage:
				images++
			case PartDocument:
				bytes += len(part.Source)
			}
		}
	}
	return EstimateTokens(bytes) + images*tokensPerImage
}

// EstimateTokens returns about how many tokens that many bytes of text have: one for each
// four, rounded up.
func EstimateTokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }
