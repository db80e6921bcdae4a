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

// longest is the most letters in a gram.
const longest = 4

// unseen is added to the count of each gram in each language, so that a gram that does not occur
// there is unlikely but not impossible. Values between 0.2 and 0.7 hardly differ. With less, rare
// words count too much. With more, languages with short files lose.
const unseen = 0.4

// gramsOf is, for each length, the assumed number of different grams in a language.
var gramsOf = [longest + 1]float64{1: 20, 2: 400, 3: 8000, 4: 160000}

// gram is up to four consecutive letters of a word, the last letter last. A blank comes before and
// after a word.
type gram [longest]rune

// profiles are the frequencies of grams in each language. The language of a text is the one that
// makes its grams most likely (naive Bayes): each gram of one to four letters counts independently.
type profiles struct {
	codes   []string // sorted
	english int      // in codes
	rows    map[gram]row
	none    [longest + 1]row // the scores of a gram that does not occur, by length
}

// row is the scores of one gram, in the order of codes: the logarithm of its probability in each
// language, minus the logarithm for a gram that does not occur.
type row []float32

// counted returns the profiles of all languages.
var counted = sync.OnceValue(func() *profiles {
	files, err := texts.ReadDir("text")
	if err != nil {
		panic(err) // the file is embedded
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

// count fills the rows with the counts of each gram in a language's file.
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

// add adds the scores of a word's grams to scores. A gram that occurs in no file scores nothing.
func (p *profiles) add(scores []float32, word string) {
	for g, n := range grams(word) {
		for i, more := range p.rows[g] {
			scores[i] += p.none[n][i] + more
		}
	}
}

// grams yields each gram of a word with its length.
func grams(word string) func(yield func(gram, int) bool) {
	return func(yield func(gram, int) bool) {
		last := gram{longest - 1: ' '} // the letters so far
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
