package langid

import (
	"embed"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed text/*.txt
var texts embed.FS

// longest is how many letters a gram has at most.
const longest = 4

// unseen is how many times each gram is taken to occur in each text, beside the times that
// it does: a gram that does not occur is unlikely, and not impossible. Between 0.2 and 0.7
// it hardly matters; with less, rare words count too much, and with more, the neighbours
// with short texts lose.
const unseen = 0.4

// gramsOf is how many grams of each length, by the length, a language is taken to have.
var gramsOf = [longest + 1]float64{1: 20, 2: 400, 3: 8000, 4: 160000}

// gram is up to four letters in a row in a word, its last letter last. A blank stands
// before and after a word.
type gram [longest]rune

// profiles are how often each gram stands in the text of each language. The words of a
// text are taken to be in the language in which their grams are likeliest together (naive
// Bayes): each gram of one to four letters counts by itself.
type profiles struct {
	codes   []string // of the languages, sorted
	english int      // in codes
	rows    map[gram]row
	none    [longest + 1]row // the scores of a gram that does not occur, by its length
}

// row is what one gram says for each language, in the order of the codes: the logarithm of
// how likely it is, less that of a gram which does not occur.
type row []float32

// counted returns the profiles of the texts.
var counted = sync.OnceValue(func() *profiles {
	files, err := texts.ReadDir("text")
	if err != nil {
		panic(err) // it is embedded
	}
	p := &profiles{rows: map[gram]row{}}
	for n := range p.none {
		p.none[n] = make(row, len(files))
	}
	for language, file := range files {
		text, err := texts.ReadFile("text/" + file.Name())
		if err != nil {
			panic(err)
		}
		p.codes = append(p.codes, strings.TrimSuffix(file.Name(), ".txt"))
		p.count(language, string(text))
	}
	p.english = slices.Index(p.codes, "en")
	for _, r := range p.rows {
		for i, n := range r {
			r[i] = float32(math.Log(1 + float64(n)/unseen))
		}
	}
	return p
})

// count makes the rows hold how often each gram stands in the text of a language.
func (p *profiles) count(language int, text string) {
	var total [longest + 1]float64
	for word := range words(text) {
		for g, n := range grams(word) {
			r := p.rows[g]
			if r == nil {
				r = make(row, len(p.none[n]))
				p.rows[g] = r
			}
			r[language]++
			total[n]++
		}
	}
	for n := 1; n <= longest; n++ {
		p.none[n][language] = float32(math.Log(unseen / (total[n] + unseen*gramsOf[n])))
	}
}

// add adds to the scores of the languages what a word says for each. A gram that stands in
// no text says nothing.
func (p *profiles) add(scores []float32, word string) {
	for g, n := range grams(word) {
		for i, more := range p.rows[g] {
			scores[i] += p.none[n][i] + more
		}
	}
}

// grams calls yield for each gram of a word with its length.
func grams(word string) func(yield func(gram, int) bool) {
	return func(yield func(gram, int) bool) {
		last := gram{longest - 1: ' '} // the letters up to here
		have := 1
		next := func(r rune) bool {
			copy(last[:], last[1:])
			last[longest-1] = r
			have = min(have+1, longest)
			for n, g := 1, last; n <= have; n++ {
				g = last
				clear(g[:longest-n])
				if !yield(g, n) {
					return false
				}
			}
			return true
		}
		for _, r := range word {
			if !next(unicode.ToLower(r)) {
				return
			}
		}
		next(' ')
	}
}
