package format

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Reads is what calls are found by in an answer: all that the formats declare in which it is read. The parser
// reads by it, and the renderer escapes by it what the client wrote, so that no text is a call which the model
// repeats, nor the special tokens of the model. It is not changed once it is made.
type Reads struct {
	Spellings        []*markup.Spelling  // in which calls are read, besides that of legacy and attribute
	Spelled          spellers            // in which of them a tag may begin a call
	Bracketed        bool                // tags of some of these begin with a bracket
	ReadsMarks       bool                // tags of one of these have a mark before them: see answer/tagged
	Elements         *markup.Spelling    // of calls in which names are the text of elements: see format.elements
	ReadsNames       bool                // the name of a tool may begin a call that has lost the tag before it
	ReadsUnbracketed bool                // so may a tag that has lost its `<`
	ReadsChannels    bool                // headers of channels are read
	ReadsLiteral     [len(QuotesOf)]bool // of each syntax, whether calls in it are read
	Thinking         []thinkingMarks     // of the formats in which calls are read
	Alone            []string            // what calls in JSON that are the whole answer begin with: see format.alone
	Openers          *markup.Openers     // what calls in all of these begin with, and special tokens
}

// ReadsOf returns what is read of an answer to a prompt in a format, where the target accepts others, and texts must
// not spell tokens.
func ReadsOf(asked *Format, accept string, accepts []*Format, tokens TokenSet) *Reads {
	if len(accepts) > 1 && accept != AcceptAll {
		return NewReads(asked, accepts, tokens)
	}
	key := readsKey{asked, accept, tokens}
	if known, ok := knownReads.Load(key); ok {
		return known.(*Reads)
	}
	known, _ := knownReads.LoadOrStore(key, NewReads(asked, accepts, tokens))
	return known.(*Reads)
}

// knownReads are those with none, one or all of the formats besides, by a readsKey.
var knownReads sync.Map

type readsKey struct {
	asked  *Format
	accept string
	tokens TokenSet
}

// NewReads returns what is read of an answer to a prompt in a format, with others besides. A tag that may be of
// several is read in the first that knows what stands behind it; the first parameter may still tell another: see
// respell.
func NewReads(asked *Format, accepts []*Format, tokens TokenSet) *Reads {
	r := &Reads{}
	list := append([]*Format{asked}, accepts...)
	var openers []markup.Opener
	for _, f := range list {
		if f == asked || f.Name != JSON { // whose models' calls are read in all formats, but not these
			r.Alone = append(r.Alone, f.alone...)
		}
		for _, marks := range f.thinking {
			r.Thinking = append(r.Thinking, marks)
			r.Bracketed = r.Bracketed || marks.Closes[0] == '['
		}
	}
	for _, looksBehind := range [...]bool{true, false} {
		for _, f := range list {
			r.ReadsChannels = r.ReadsChannels || f.channels
			r.ReadsUnbracketed = r.ReadsUnbracketed || f.unbracketed
			r.Elements = cmp.Or(r.Elements, f.elements)
			r.ReadsLiteral[f.literal] = f.literal != NoLiteral
			for _, g := range f.spellings() {
				if g.LooksBehind() == looksBehind && !slices.Contains(r.Spellings, g) {
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

// The white space of a line, and all.
const (
	lineBlanks = " \t"
	blanks     = " \t\r\n"
)

// words returns what calls begin with besides the tags of spellings, and thinking. No word begins a call in JSON
// alone: it is read only where it is the whole answer.
func (r *Reads) words() (list []markup.Opener) {
	add := func(reads bool, x markup.Opener) {
		if reads {
			list = append(list, x)
		}
	}
	add(true, markup.Opener{Text: "[", Tool: true, After: "(", Gap: blanks}) // of Python, or with one object in all formats
	add(r.ReadsLiteral[GemmaLiteral], markup.Opener{Text: GemmaCall, Tool: true, After: "{(", Gap: lineBlanks})
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
			list = append(list, markup.Opener{Text: word, After: "[{`&", Gap: blanks}) // the bracket may be an entity, too
		}
	}
	return list
}

// IsOurs reports whether the upstream stopped at the stop sequence of the format. An upstream that
// does not say at which sequence it stopped is taken to have stopped at ours.
func (f *Format) IsOurs(stop messages.Stop, sequence string) bool {
	return stop == messages.StopSequence && (sequence == f.StopSequence || sequence == "")
}

// BeginsTag reports whether a tag of a call may begin with c.
func (r *Reads) BeginsTag(c byte) bool {
	return c == '<' || c == '[' && r.Bracketed || c == markup.Mark[0] && r.ReadsMarks
}
