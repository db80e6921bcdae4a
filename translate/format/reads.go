package format

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Reads is everything that may begin a call in an answer, for all formats that the parser reads
// there. The parser finds calls with it. The renderer escapes the client's text with it, so that a
// model can repeat a text of the client without making a call or a special token. Reads does not
// change after it is made.
type Reads struct {
	Spellings        []*markup.Spelling  // in addition to the tags of legacy and attribute
	Spelled          spellers            // in which of Spellings a tag may begin a call
	Bracketed        bool                // some spelling has tags that begin with a bracket
	ReadsMarks       bool                // some spelling has a mark before its tags: see tagged/nested.go
	Elements         *markup.Spelling    // see format.elements
	ReadsNames       bool                // the name of a tool may begin a call whose opening tag is lost
	ReadsUnbracketed bool                // a tag without its `<` may begin a call
	ReadsChannels    bool                // the parser reads headers of channels
	ReadsLiteral     [len(QuotesOf)]bool // whether the parser reads calls in each literal syntax
	Thinking         []thinkingMarks     // the marks of all formats
	Alone            []string            // the texts before a JSON call that is the whole answer: see format.alone
	Openers          *markup.Openers     // the start of calls in all these formats, and special tokens
}

// ReadsOf returns what the parser reads in an answer to a prompt in the format asked. accepts are
// the other formats that the target accepts. tokens are the special tokens that texts must not
// spell.
func ReadsOf(asked *Format, accepts []*Format, tokens TokenSet) *Reads {
	key := readsKey{asked: asked, tokens: tokens}
	switch {
	case len(accepts) == 1:
		key.accept = accepts[0].Name
	case slices.Equal(accepts, All()):
		key.accept = AcceptAll
	case len(accepts) > 1:
		return NewReads(asked, accepts, tokens)
	}
	if known, ok := knownReads.Load(key); ok {
		return known.(*Reads)
	}
	known, _ := knownReads.LoadOrStore(key, NewReads(asked, accepts, tokens))
	return known.(*Reads)
}

// knownReads maps a readsKey to Reads with no other format, one other, or all others.
var knownReads sync.Map

type readsKey struct {
	asked  *Format
	accept string
	tokens TokenSet
}

// NewReads returns what the parser reads in an answer to a prompt in the format asked, with accepts
// as other formats. If a tag belongs to several formats, the parser uses the first that fits the
// text after the tag. The first parameter may still show that it is another one: see respell.
func NewReads(asked *Format, accepts []*Format, tokens TokenSet) *Reads {
	r := &Reads{}
	list := append([]*Format{asked}, accepts...)
	var openers []markup.Opener
	for _, f := range list {
		if f == asked || f.Name != JSON { // json is always read, but calls without tags only if json is asked for
			r.Alone = append(r.Alone, f.alone...)
		}
		for _, marks := range f.thinking {
			r.Thinking = append(r.Thinking, marks)
			r.Bracketed = r.Bracketed || marks.Closes[0] == '['
		}
	}
	for _, labels := range [...]bool{true, false} {
		for _, f := range list {
			r.ReadsChannels = r.ReadsChannels || f.channels
			r.ReadsUnbracketed = r.ReadsUnbracketed || f.unbracketed
			r.Elements = cmp.Or(r.Elements, f.elements)
			r.ReadsLiteral[f.literal] = f.literal != NoLiteral
			for _, g := range f.spellings() {
				if g.Labels() == labels && !slices.Contains(r.Spellings, g) {
					r.Spelled.add(len(r.Spellings), &SpelledBy(g).calls)
					r.Spellings = append(r.Spellings, g)
					r.Bracketed = r.Bracketed || g.IsBracketed()
					r.ReadsNames = r.ReadsNames || g.Between() != ""
					r.ReadsMarks = r.ReadsMarks || g.Nested
					openers = append(openers, g.Openers()...)
				}
			}
		}
	}
	r.Openers = markup.NewOpeners(slices.Concat(openers, r.words(), tokens.openers()))
	return r
}

// blanks are all white space.
const blanks = " \t\r\n"

// words returns the starts of calls that are not tags of spellings, and the marks of thinking. No
// word marks a call that is JSON alone: the parser reads it only if it is the whole answer.
func (r *Reads) words() (list []markup.Opener) {
	add := func(reads bool, x markup.Opener) {
		if reads {
			list = append(list, x)
		}
	}
	add(true, markup.Opener{Text: "[", Tool: true, After: "(", Gap: blanks}) // a call in Python; in all formats, a list of one JSON object
	add(r.ReadsLiteral[GemmaLiteral], markup.Opener{Text: GemmaCall, Tool: true, After: "{(", Gap: blanks})
	add(r.ReadsChannels, markup.Opener{Text: HeaderTo, Tool: true})
	add(r.ReadsUnbracketed, markup.Opener{Text: UnbracketedCall})
	for _, marks := range r.Thinking {
		add(marks.Opens != "", markup.Opener{Text: marks.Opens})
		add(true, markup.Opener{Text: marks.Closes})
		for _, mark := range marks.Answers {
			add(true, markup.Opener{Text: mark})
		}
	}
	for _, begin := range r.Alone {
		switch word, _ := strings.CutSuffix(begin, "["); {
		case begin == AloneName:
			list = append(list, markup.Opener{Tool: true, After: "{"}, markup.Opener{Text: CallIDMarker}, markup.Opener{Text: ArgsMarker})
		case strings.IndexByte(word, '<') >= 0:
			list = append(list, markup.Opener{Text: word[strings.IndexByte(word, '<'):]})
		case word != "":
			list = append(list, markup.Opener{Text: word, After: "[{`&", Gap: blanks}) // the bracket may also be an entity
		}
	}
	return list
}

// IsOurs reports whether the upstream stopped at the stop sequence of the format. If the upstream
// does not name the sequence, IsOurs assumes this one.
func (f *Format) IsOurs(stop messages.Stop, sequence string) bool {
	return stop == messages.StopSequence && (sequence == f.StopSequence || sequence == "")
}

// BeginsTag reports whether a tag of a call may begin with c.
func (r *Reads) BeginsTag(c byte) bool {
	return c == '<' || c == '[' && r.Bracketed || c == markup.Mark[0] && r.ReadsMarks
}
