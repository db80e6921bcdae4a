package markup

import "bytes"

// This file finds comments as models write them between tags.

// The start and the end of a comment.
const (
	commentBegins = "<!--"
	commentEnds   = "-->"
)

// maxComment is the maximum length of a comment in bytes.
const maxComment = 4 << 10

// MatchComment matches `<!-- … -->` at the start of s, and returns its length. eof: no more text
// follows.
func MatchComment(s []byte, eof bool) (n int, v Verdict) {
	if IsPrefixOf(s, commentBegins) && !eof {
		return 0, NeedMore
	}
	if !HasPrefix(s, commentBegins) {
		return 0, NoMatch
	}
	end := bytes.Index(s[len(commentBegins):min(len(s), maxComment)], []byte(commentEnds))
	switch {
	case end >= 0:
		return len(commentBegins) + end + len(commentEnds), Match
	case len(s) < maxComment && !eof:
		return 0, NeedMore
	}
	return 0, NoMatch
}
