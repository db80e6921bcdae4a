package translate

// What an image is taken for, in tokens, where nobody counts: one of about a
// million pixels.
const tokensPerImage = 1600

// bytesPerToken is what a token is taken for where nobody counted: English text
// has about four bytes in one.
const bytesPerToken = 4

// EstimateTokens returns about how many tokens the prompt has.
func (p *Prompt) EstimateTokens() int {
	bytes, images := 0, 0
	for _, t := range p.System {
		bytes += len(t.Text)
	}
	for _, turn := range p.Turns {
		for _, part := range turn.Parts {
			bytes += len(part.Text) + len(part.Title) + len(part.Context)
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

// EstimateTokens returns about how many tokens so many bytes of text have.
func EstimateTokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }
