package translate

import (
	"dragoman/translate/markup"
)

// gemmaCall stands before the name of the tool.
const gemmaCall = "call:"

// matchGemmaHead matches it and the name, up to the bracket before the arguments. more is the verdict if it
// may go on.
func matchGemmaHead(head []byte, more markup.Verdict) (name string, n int, v markup.Verdict) {
	return "", 0, markup.NoMatch
}

func (p *parser) readGemmaCall(text string) ([]literalCall, bool) { return nil, false }
