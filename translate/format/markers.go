package format

// AloneName says in [Format.alone] that the name of an offered tool may stand before an input.
const AloneName = "NAME"

// What may stand between the two, of which the first has an id behind it, of so many letters and digits.
const (
	CallIDMarker = "[CALL_ID]"
	ArgsMarker   = "[ARGS]"
	CallIDLen    = 9
)

// ChannelWords are the words of headers. What stands for the name of a tool in one ends before these where
// the markers between them are lost.
var ChannelWords = [...]string{"assistant", "commentary", Analysis, "final", "json", "code"}

// HeaderTo stands before the tool to which a message goes.
const HeaderTo = "to="

// Analysis is the channel of thinking.
const Analysis = "analysis"

// UnbracketedCall is what a call begins with that has lost its bracket, in the attribute format.
const UnbracketedCall = "invoke name="

// GemmaCall stands before the name of the tool.
const GemmaCall = "call:"

// LiteralSyntax is the syntax of calls that are literals of a language.
type LiteralSyntax uint8

const (
	NoLiteral     LiteralSyntax = iota
	PythonLiteral               // [book(note="a", count=3), ping()]
	GemmaLiteral                // call:book{note:<|"|>a<|"|>,count:3}
)

// What strings begin and end with in those of Gemma and of FunctionGemma.
const (
	GemmaQuote  = `<|"|>`
	GemmaEscape = "<escape>"
)

// QuotesOf are what strings begin and end with in a syntax, the longest first where one begins another.
var QuotesOf = [...][]string{
	PythonLiteral: {`"""`, "'''", `"`, "'"},
	GemmaLiteral:  {GemmaQuote, GemmaEscape, `"`, "'"},
}

// MaxToolName bounds the text that is read as the name of a tool, with blanks before and after it.
// The API's own bound is 200 (docs/reference/messages-api.md §9).
const MaxToolName = 512

// ByteSet is a set of bytes.
type ByteSet [4]uint64

func (b *ByteSet) Add(c byte) { b[c>>6] |= 1 << (c & 63) }

func (b *ByteSet) Join(other *ByteSet) {
	for i := range b {
		b[i] |= other[i]
	}
}

func (b *ByteSet) Has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }
