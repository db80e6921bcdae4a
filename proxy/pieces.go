package proxy

import (
	"iter"
	"unicode/utf8"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// mostAtOnce is how much text of an answer is parsed before [readAnswer] looks again whether the client is
// there, in bytes. An upstream may send megabytes in one chunk, and to parse one of them can take a third of a
// second. What is made of a text does not depend on its pieces (G2).
const mostAtOnce = 16 << 10

// chunksInPieces yields each chunk in pieces of mostAtOnce. Its Calls are in the first one, its Stop in the last one.
func chunksInPieces(chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		for c, err := range chunks {
			for len(c.Thinking)+len(c.Text) > mostAtOnce {
				piece := c
				piece.Stop, piece.StopSequence, piece.Left, piece.More = "", "", false, true
				piece.Thinking, c.Thinking = cutText(c.Thinking)
				piece.Text = ""
				if c.Thinking == "" && piece.Thinking == "" {
					piece.Text, c.Text = cutText(c.Text)
				}
				if !yield(piece, nil) {
					return
				}
				c.Calls = nil
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// textsInPieces yields each delta of text in pieces of mostAtOnce, which have no Raw.
func textsInPieces(events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		for e, err := range events {
			for e.Delta == messages.TextDelta && len(e.Text) > mostAtOnce {
				piece := e
				piece.Raw, piece.More, e.Raw = nil, true, nil
				piece.Text, e.Text = cutText(e.Text)
				if !yield(piece, nil) {
					return
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// cutText returns the first mostAtOnce bytes of a text, or a few less so that no character is cut, and the rest.
func cutText[T string | []byte](text T) (piece, rest T) {
	n := min(len(text), mostAtOnce)
	for least := n - utf8.UTFMax; n < len(text) && n > least && !utf8.RuneStart(text[n]); {
		n--
	}
	return text[:n], text[n:]
}
