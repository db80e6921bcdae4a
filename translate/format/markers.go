package format

// AloneName, in [Format.alone], means that the name of an offered tool may come before an input.
const AloneName = "NAME"

// The markers between a name and its input. After CallIDMarker comes an id of CallIDLen letters and
// digits.
const (
	CallIDMarker = "[CALL_ID]"
	ArgsMarker   = "[ARGS]"
	CallIDLen    = 9
)

// ChannelWords are the words of headers. If the markers between them are lost, the name of a tool
// ends before one of these words.
var ChannelWords = [...]string{"assistant", "commentary", Analysis, "final", "json", "code"}

// HeaderTo comes before the name of the tool that a message goes to.
const HeaderTo = "to="

// Analysis is the channel of thinking.
const Analysis = "analysis"

// UnbracketedCall is the start of a call in the attribute format that has lost its bracket.
const UnbracketedCall = "invoke name="

// GemmaCall comes before the name of the tool.
const GemmaCall = "call:"

// LiteralSyntax is the syntax of calls that are literals of a language.
type LiteralSyntax uint8

const (
	NoLiteral     LiteralSyntax = iota
	PythonLiteral               // [book(note="a", count=3), ping()]
	GemmaLiteral                // call:book{note:<|"|>a<|"|>,count:3}
)

// The quotes around strings in the literals of Gemma and FunctionGemma.
const (
	GemmaQuote  = `<|"|>`
	GemmaEscape = "<escape>"
)

// QuotesOf are the quotes around strings in each syntax. If one quote begins another, the longer
// one comes first.
var QuotesOf = [...][]string{
	PythonLiteral: {`"""`, "'''", `"`, "'"},
	GemmaLiteral:  {GemmaQuote, GemmaEscape, `"`, "'"},
}

// MaxToolName limits the text that is read as the name of a tool, including blanks around it. The
// API's own limit is 200 (docs/reference/messages-api.md §9).
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
