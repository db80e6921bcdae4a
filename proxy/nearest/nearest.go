// Package nearest finds the word that somebody meant when they mistyped it.
package nearest

import "slices"

// Word returns the word in words that is nearest to s in single-character edits; among equals, the first. It returns ""
// if no word is near enough for a useful suggestion: if more than one edit, and more than a third of s, would have to
// change.
func Word(s string, words []string) string {
	best, limit := "", max(1, len(s)/3)
	for _, w := range words {
		if d := Distance(s, w); d <= limit {
			best, limit = w, d-1
		}
	}
	return best
}

// First returns up to n of words, the nearest to s first.
func First(s string, words []string, n int) []string {
	type ranked struct {
		word     string
		distance int
	}
	all := make([]ranked, len(words))
	for i, w := range words {
		all[i] = ranked{w, Distance(s, w)}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return a.distance - b.distance })
	var first []string
	for _, r := range all[:min(n, len(all))] {
		first = append(first, r.word)
	}
	return first
}

// Distance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
// alignment), in bytes.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
