package format

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// Format is a prompting convention: how a prompt shows the tools, how the model has to write a call, and
// how a prompt shows the result.
//
// To add a format, declare it in a file of its own and list it in formats.go. If its calls are tags around
// raw values, or markers around JSON, a declaration with a shape and a spelling is enough: the shape says
// how to write a call, the spelling says which tags the parser reads. Any other format needs functions in
// place of the shape, and states in the parser.
type Format struct {
	Name string
	// ReadOnly: the parser reads calls in the format, but no model is asked in it. The format then declares
	// nothing for prompts.
	ReadOnly bool
	// alone are the texts before a JSON call, or before a list of calls, if the answer is nothing but calls.
	// A text that ends with a bracket stands only before a list. AloneName is the name of an offered tool.
	alone []string
	// Models are parts of the ids of models that were trained on the format, in lower case.
	Models []string
	// erased: the markers of the format are special tokens, which servers remove from answers.
	erased bool
	// Variant names a variant of the format of the same name: see variants.go.
	Variant string
	// thinking are the marks of thinking that are not tags of prose.
	thinking []thinkingMarks
	// opensThinking are parts of the ids of models that begin in thinking: the template writes the opening
	// mark, unless the request turns it off.
	opensThinking []string

	// Shape is how to write a call.
	Shape shape
	// Spelling is which tags the parser reads; nil: the tags of legacy and attribute.
	Spelling *markup.Spelling
	// also are the spellings of other families that write the same calls with other tag names.
	also []*markup.Spelling
	// elements is the spelling of calls whose names are the text of elements; nil if the format has none.
	elements *markup.Spelling
	// literal is the syntax of calls that are literals of a language.
	literal LiteralSyntax
	// unbracketed: the model may leave out the start of a tag, even after prose.
	unbracketed bool
	// channels: the parser reads message headers.
	channels bool

	// StopSequence is the stop sequence for the upstream: the text that a model writes after its calls. The
	// upstream does not return it.
	StopSequence string
	// ImpliedEnd is what the parser reads in place of StopSequence, if the answer stopped there inside
	// a call. It is the closing tag of the calls. If the stop sequence is not part of the calls, as
	// <tool_response>, it is "".
	ImpliedEnd string

	// CallOpener and CallCloser must occur in an operator's template, so that the model sees how a call begins
	// and ends: see [CheckTemplate].
	CallOpener, CallCloser string

	// Protects are the names of tags that a client's text must not spell, in addition to the ones that every
	// format protects: see [markup.Escaper].
	Protects markup.TagSet

	// Example shows the model how to write a call.
	Example string
	// ExampleNote returns the sentence that explains the example; nil if there is none.
	ExampleNote func(*language.Language) string

	// Words are the family's own sentences before and after the tool descriptions, as its chat template has
	// them, in any language of the prompt. If they are "", Dragoman's sentences stand around the example.
	Words [2]string
	// SystemText is the template's system text for requests that have none.
	SystemText string

	// ToolsAlone: no sentences stand around the tools.
	ToolsAlone bool
	// ToolsLast: the tools come after the client's system text. Otherwise they come before it.
	ToolsLast bool
	// Heading comes before Dragoman's sentences.
	Heading string
	// ListHeading comes before the list of tools, in place of Dragoman's sentence.
	ListHeading string
	// ExampleLast: the example comes after the tools. Otherwise it comes before them.
	ExampleLast bool
	// BeforeTools and AfterTools are the texts before and after the tool descriptions.
	BeforeTools, AfterTools string
	// tool is the text before and after the description of a tool, which is a JSON object.
	tool [2]string
	// BetweenTools separates the tools, if they form one list; "" if they do not.
	BetweenTools string
	// spaced: JSON has a space after each colon and comma, as Python writes it.
	spaced bool
	// compactTools: tool descriptions have no such spaces, even with spaced.
	compactTools bool
	// python is which values of calls are written as Python literals.
	python pythonValues
	// describeTool writes the description of a tool and a newline; nil: write tool and a JSON object. The
	// error says what is wrong with the tool's schema.
	describeTool func(w *ToolWriter, t *messages.Tool) error

	// BeforeCalls and AfterCalls are the texts before and after the calls of one turn.
	BeforeCalls, AfterCalls string
	// BetweenCalls separates two calls; "" means a newline.
	BetweenCalls string
	// WriteCall writes a past call as the model would write it, with a newline after it unless BetweenCalls is
	// set. The name is not escaped. n is the number of earlier calls in the conversation. input is a JSON
	// object, and s is the schema of the tool. If the parser reads the text with s, it gets the same call (G5).
	WriteCall func(b *markup.Buffer, name string, n int, input jsontext.Value, s *schema.Schema)
	// CallPrefill returns the start of a call to the named tool, for the model to continue. If name is "", it
	// is the start of a call to any tool. The name is escaped. n is as in WriteCall.
	CallPrefill func(name string, n int) string

	// BeforeResults and AfterResults are the texts before and after the results of one turn's calls.
	BeforeResults, AfterResults string
	// Result is the text before and after one result. In the first text, ID is the label of the call: see
	// shape.Label. If the result is an error, the error label comes before its content.
	Result [2]string
	// thinkTag is the name of the tags around a model's thinking; "" means "thinking".
	thinkTag string
	// writeResult writes a tool_result block and a newline; nil: write Result and the content. tool is the name
	// of the called tool, not escaped. n is as in WriteCall.
	writeResult func(w resultWriter, tool string, n int, result *messages.BlockParam)
}

// shaped returns f with the functions and the example that its shape defines.
func shaped(f Format) *Format {
	if f.Example == "" {
		f.Example = f.Shape.example(f.BeforeCalls, f.AfterCalls)
	}
	f.CallPrefill = func(name string, n int) string { return f.Shape.prefill(f.BeforeCalls, name, n) }
	f.WriteCall = f.writeShaped
	return &f
}

// Documented reports whether Claude's documentation has the preamble of the format, with its placeholders
// (docs/reference/legacy-format.md §2, §14).
func (f *Format) Documented() bool { return f.Name == Legacy || f.Name == Attribute }

// spellings returns the spellings that the parser reads for the format.
func (f *Format) spellings() []*markup.Spelling {
	if f.Spelling == nil {
		return f.also
	}
	return append([]*markup.Spelling{f.Spelling}, f.also...)
}

// The names of the formats, for [Target.Format].
const (
	Legacy    = "legacy"    // <invoke> with child tags: docs/reference/legacy-format.md §5
	Attribute = "attribute" // <invoke name="…">: docs/reference/legacy-format.md §14
	JSON      = "json"      // <tool_call>{"name":…,"arguments":…}</tool_call>: docs/reference/formats.md §6

	Qwen3Coder = "qwen3-coder" // <tool_call><function=…><parameter=…>: docs/reference/formats.md §1
	SeedOSS    = "seed-oss"    // <seed:tool_call><function=…>: §1b
	GLM        = "glm"         // <tool_call>…<arg_key>…</arg_key><arg_value>: §2
	DSML       = "dsml"        // <｜DSML｜invoke name="…">: §3
	MiniMax    = "minimax"     // <minimax:tool_call><invoke name="…">: §5
	Kimi       = "kimi"        // <|tool_call_begin|>functions.…:0<|tool_call_argument_begin|>{…}: §4
	DeepSeek   = "deepseek"    // <｜tool▁call▁begin｜>…<｜tool▁sep｜>{…}: §12
	Mistral    = "mistral"     // [TOOL_CALLS]…[ARGS]{…}: §8
	Llama      = "llama"       // <|python_tag|>{"name":…,"parameters":…}: §10
	Pythonic   = "pythonic"    // [book(note="…"), ping()]: §11
	Gemma      = "gemma"       // <|tool_call>call:…{…}<tool_call|>: §9
	Harmony    = "harmony"     // <|channel|>commentary to=functions.… json<|message|>{…}: §7
	MiniCPM    = "minicpm"     // <function name="…"><param name="…">: §13
)
