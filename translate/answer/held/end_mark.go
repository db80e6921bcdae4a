package held

import (
	"strings"

	"dragoman/translate/markup"
)

// endMarks are the tokens with which models end an answer. Some servers leave them in the text.
var endMarks = [...]string{"<|im_end|>", "<|end|>", "<|eot|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<end_of_turn>", "<turn|>", "<eos>", "</s>"}

// MatchEndMark matches an end token at the start of s.
func MatchEndMark(s []byte, eof bool) (n int, v markup.Verdict) {
	for _, mark := range endMarks {
		switch {
		case markup.HasPrefix(s, mark):
			return len(mark), markup.Match
		case len(s) > 0 && !eof && markup.IsPrefixOf(s, mark):
			v = markup.NeedMore
		}
	}
	return 0, v
}

// withoutEndMarks removes end tokens and white space from the end of text.
func withoutEndMarks(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range endMarks {
		text = strings.TrimSpace(strings.TrimSuffix(text, mark))
	}
	return text
}
