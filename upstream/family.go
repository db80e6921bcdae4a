package upstream

import (
	"strconv"
	"strings"
)

// Prefills tells from a model id whether the model continues an assistant turn:
// Claude up to 4.5 does, later ones refuse it with a 400 (reference/wire.md §8),
// and of other families nothing is known. The id may be that of any vendor
// ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-sonnet-4@20250514")
// or hold wildcards; where a wildcard leaves the version open the answer is no.
func Prefills(id string) bool {
	_, rest, found := strings.Cut(strings.ToLower(id), "claude-")
	if !found {
		return false
	}
	words := strings.FieldsFunc(strings.ReplaceAll(rest, "*", "-*-"), func(c rune) bool {
		return strings.ContainsRune("-.:@_/", c)
	})
	if len(words) > 0 && words[0] == "instant" {
		return true
	}
	for i, word := range words {
		if word == "*" {
			return false
		}
		major, ok := version(word)
		if !ok {
			continue
		}
		minor := "0"
		if i+1 < len(words) {
			minor = words[i+1]
		}
		return major < 4 || major == 4 && upTo45(minor)
	}
	return false
}

// upTo45 tells whether the word after a "4" leaves the version at 4.5 or less.
func upTo45(word string) bool {
	if word == "*" {
		return false
	}
	minor, ok := version(word)
	return !ok || minor <= 5 // not a number, or a date: 4.0
}

// version reads a number of a version, which is short where a date is not.
func version(word string) (int, bool) {
	word = strings.TrimPrefix(word, "v")
	n, err := strconv.Atoi(word)
	return n, err == nil && len(word) <= 2
}
