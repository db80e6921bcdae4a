package translate

// aloneName says in [format.alone] that the name of an offered tool may stand before an input.
const aloneName = "NAME"

// What may stand between the two, of which the first has an id behind it, of so many letters and digits.
const (
	callIDMarker = "[CALL_ID]"
	argsMarker   = "[ARGS]"
	callIDLen    = 9
)

// channelWords are the words of headers. What stands for the name of a tool in one ends before these where
// the markers between them are lost.
var channelWords = [...]string{"assistant", "commentary", analysis, "final", "json", "code"}

// headerTo stands before the tool to which a message goes.
const headerTo = "to="

// analysis is the channel of thinking.
const analysis = "analysis"

// unbracketedCall is what a call begins with that has lost its bracket, in the attribute format.
const unbracketedCall = "invoke name="

// gemmaCall stands before the name of the tool.
const gemmaCall = "call:"

// literalSyntax is the syntax of calls that are literals of a language.
type literalSyntax uint8

const (
	noLiteral     literalSyntax = iota
	pythonLiteral               // [book(note="a", count=3), ping()]
	gemmaLiteral                // call:book{note:<|"|>a<|"|>,count:3}
)

// What strings begin and end with in those of Gemma and of FunctionGemma.
const (
	gemmaQuote  = `<|"|>`
	gemmaEscape = "<escape>"
)

// quotesOf are what strings begin and end with in a syntax, the longest first where one begins another.
var quotesOf = [...][]string{
	pythonLiteral: {`"""`, "'''", `"`, "'"},
	gemmaLiteral:  {gemmaQuote, gemmaEscape, `"`, "'"},
}

// maxToolName bounds the text that is read as the name of a tool, with blanks before and after it.
// The API's own bound is 200 (docs/reference/messages-api.md §9).
const maxToolName = 512

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte) { b[c>>6] |= 1 << (c & 63) }

func (b *byteSet) join(other *byteSet) {
	for i := range b {
		b[i] |= other[i]
	}
}

func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }
