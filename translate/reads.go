package translate

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// reads is what calls are found by in an answer: all that the formats declare in which it is read. The parser
// reads by it, and the renderer escapes by it what the client wrote, so that no text is a call which the model
// repeats, nor the special tokens of the model. It is not changed once it is made.
type reads struct {
	spellings        []*markup.Spelling  // in which calls are read, besides that of legacy and attribute
	spelled          spellers            // in which of them a tag may begin a call
	bracketed        bool                // tags of some of these begin with a bracket
	readsMarks       bool                // tags of one of these have a mark before them: see parse_nested.go
	elements         *markup.Spelling    // of calls in which names are the text of elements: see format.elements
	readsNames       bool                // the name of a tool may begin a call that has lost the tag before it
	readsUnbracketed bool                // so may a tag that has lost its `<`
	readsChannels    bool                // headers of channels are read
	readsLiteral     [len(quotesOf)]bool // of each syntax, whether calls in it are read
	thinking         []thinkingMarks     // of the formats in which calls are read
	alone            []string            // what calls in JSON that are the whole answer begin with: see format.alone
	openers          *markup.Openers     // what calls in all of these begin with, and special tokens
}

// readsOf returns what is read of an answer to a prompt in a format, where the target accepts others, and texts must
// not spell tokens.
func readsOf(asked *format, accept string, accepts []*format, tokens tokenSet) *reads {
	if len(accepts) > 1 && accept != AcceptAll {
		return newReads(asked, accepts, tokens)
	}
	key := readsKey{asked, accept, tokens}
	if known, ok := knownReads.Load(key); ok {
		return known.(*reads)
	}
	known, _ := knownReads.LoadOrStore(key, newReads(asked, accepts, tokens))
	return known.(*reads)
}

// knownReads are those with none, one or all of the formats besides, by a readsKey.
var knownReads sync.Map

type readsKey struct {
	asked  *format
	accept string
	tokens tokenSet
}

// newReads returns what is read of an answer to a prompt in a format, with others besides. A tag that may be of
// several is read in the first that knows what stands behind it; the first parameter may still tell another: see
// respell.
func newReads(asked *format, accepts []*format, tokens tokenSet) *reads {
	r := &reads{}
	list := append([]*format{asked}, accepts...)
	var openers []markup.Opener
	for _, f := range list {
		if f == asked || f.name != FormatJSON { // whose models' calls are read in all formats, but not these
			r.alone = append(r.alone, f.alone...)
		}
		for _, marks := range f.thinking {
			r.thinking = append(r.thinking, marks)
			r.bracketed = r.bracketed || marks.closes[0] == '['
		}
	}
	for _, looksBehind := range [...]bool{true, false} {
		for _, f := range list {
			r.readsChannels = r.readsChannels || f.channels
			r.readsUnbracketed = r.readsUnbracketed || f.unbracketed
			r.elements = cmp.Or(r.elements, f.elements)
			r.readsLiteral[f.literal] = f.literal != noLiteral
			for _, g := range f.spellings() {
				if g.LooksBehind() == looksBehind && !slices.Contains(r.spellings, g) {
					r.spelled.add(len(r.spellings), &spelledBy(g).calls)
					r.spellings = append(r.spellings, g)
					r.bracketed = r.bracketed || g.IsBracketed()
					r.readsNames = r.readsNames || g.Between() != ""
					r.readsMarks = r.readsMarks || g.Nested
					openers = append(openers, g.Openers()...)
				}
			}
		}
	}
	r.openers = markup.NewOpeners(slices.Concat(openers, r.words(), tokens.openers()))
	return r
}

// The white space of a line, and all.
const (
	lineBlanks = " \t"
	blanks     = " \t\r\n"
)

// words returns what calls begin with besides the tags of spellings, and thinking. No word begins a call in JSON
// alone: it is read only where it is the whole answer.
func (r *reads) words() (list []markup.Opener) {
	add := func(reads bool, x markup.Opener) {
		if reads {
			list = append(list, x)
		}
	}
	add(r.readsLiteral[pythonLiteral], markup.Opener{Text: "[", Tool: true, After: "(", Gap: blanks})
	add(r.readsLiteral[gemmaLiteral], markup.Opener{Text: gemmaCall, Tool: true, After: "{(", Gap: lineBlanks})
	add(r.readsChannels, markup.Opener{Text: headerTo, Tool: true})
	add(r.readsUnbracketed, markup.Opener{Text: unbracketedCall})
	for _, marks := range r.thinking {
		add(marks.opens != "", markup.Opener{Text: marks.opens})
		add(true, markup.Opener{Text: marks.closes})
		for _, mark := range marks.answers {
			add(true, markup.Opener{Text: mark})
		}
	}
	for _, begin := range r.alone {
		switch word, _ := strings.CutSuffix(begin, "["); {
		case begin == aloneName:
			list = append(list, markup.Opener{Tool: true, After: "{"}, markup.Opener{Text: callIDMarker}, markup.Opener{Text: argsMarker})
		case strings.IndexByte(word, '<') >= 0:
			list = append(list, markup.Opener{Text: word[strings.IndexByte(word, '<'):]})
		case word != "":
			list = append(list, markup.Opener{Text: word, After: "[{`&", Gap: blanks}) // the bracket may be an entity, too
		}
	}
	return list
}

// isOurs reports whether the upstream stopped at the stop sequence of the format. An upstream that
// does not say at which sequence it stopped is taken to have stopped at ours.
func (f *format) isOurs(stop messages.Stop, sequence string) bool {
	return stop == messages.StopSequence && (sequence == f.stopSequence || sequence == "")
}
