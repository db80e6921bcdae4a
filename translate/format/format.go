package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"

	"github.com/go-json-experiment/json/jsontext"
)

// Format is a prompting convention: how a model without a tool API is shown the tools,
// how it has to write a call, and how it is shown the result.
//
// To add one, declare it in a file of its own and list it in formats.go. Where its calls are tags around
// raw values, or markers around JSON, it says in its shape and its spelling how they are written and how
// they are read, and nothing else is needed. A format of another kind has functions in place of the
// shape, and states in the parser.
type Format struct {
	Name string
	// ReadOnly says that calls are read in the format, and that no model is asked in it: what stands
	// around its prompts is not kept.
	ReadOnly bool
	// alone are what stands before a call in JSON that is a whole answer, or before a list of such calls;
	// with a bracket at its end, before a list alone. For AloneName, see there.
	alone []string
	// Models are parts of the ids of models that were trained on the format, in lower case. erased says
	// that its markers are special tokens, which servers erase from what they pass on. variant is what
	// tells formats of one name apart: see variants.go.
	Models  []string
	erased  bool
	Variant string
	// thinking are marks of thinking besides the tags of prose: see [thinkingMarks]. opensThinking are
	// parts of the ids of those models whose template opens thinking, if it is not told otherwise.
	thinking      []thinkingMarks
	opensThinking []string

	// Shape is how calls are written, and spelling how their tags may be written; nil for the tags of
	// legacy and attribute.
	Shape    shape
	Spelling *markup.Spelling
	// also are the spellings of other families that write the same calls with tags of other names.
	also []*markup.Spelling
	// elements is the spelling of calls in which names are the text of elements; nil if there are none.
	elements *markup.Spelling
	// literal is the syntax of calls that are literals of a language.
	literal LiteralSyntax
	// unbracketed says that models leave out what its tags begin with, in prose, too: see
	// parse_unbracketed.go.
	unbracketed bool
	// channels says that headers are read: see parse_channels.go.
	channels bool

	// StopSequence is the stop sequence for the upstream: what a model writes after its calls.
	// Upstreams leave it out of the answer. Where an answer that stopped at it ends within
	// a call, the parser reads ImpliedEnd in its place: the end of the calls, or nothing where
	// the stop sequence is no part of them, as <tool_response> is not.
	StopSequence, ImpliedEnd string
	// InventsResults says that a model which goes on behind its calls has made their results up, in words
	// or not: no call behind text there is read.
	InventsResults bool

	// CallOpener and CallCloser are what a template must hold, so that the model is shown
	// how a call begins and ends: see [CheckTemplate].
	CallOpener, CallCloser string

	// Protects are the names whose tags text of the client must not spell, besides those
	// that every format protects: see [markup.Escaper].
	Protects markup.TagSet

	// Example shows the model how to write a call. ExampleNote chooses the sentence that
	// says what the example does not show; nil for none.
	Example     string
	ExampleNote func(*language.Language) string

	// Words are what the chat template of the family says before and after the descriptions of the tools, as
	// it says them, in whatever language the prompt is; "" for our own sentences around the example. SystemText
	// is what it says where the client has no system text.
	Words      [2]string
	SystemText string

	// ToolsAlone says that nothing is said around the tools.
	ToolsAlone bool
	// ToolsLast says that the tools are described behind the system text of the client, and not before it.
	ToolsLast bool
	// Heading stands above all. ExampleLast says that the example comes after the tools, and not before
	// them; ListHeading stands above those in place of a sentence.
	Heading, ListHeading string
	ExampleLast          bool
	// BeforeTools and AfterTools stand before and after the descriptions of the tools.
	BeforeTools, AfterTools string
	// tool stands before and after the description of one tool, which is a JSON object, and BetweenTools
	// before that of the next, where all are one list.
	tool         [2]string
	BetweenTools string
	// spaced says that JSON has a blank behind each colon and comma, as Python writes it; compactTools
	// that descriptions of tools have none all the same.
	spaced, compactTools bool
	// python says which values of calls, besides strings, stand as Python writes them.
	python pythonValues
	// describeTool writes one description, with a newline after it, in place of that. The error
	// says what is wrong with the schema of the tool.
	describeTool func(w *ToolWriter, t *messages.Tool) error

	// BeforeCalls and AfterCalls stand before and after the calls of one turn.
	BeforeCalls, AfterCalls string
	// BetweenCalls stands between them, where that is not a newline alone.
	BetweenCalls string
	// WriteCall writes a past call as the model would have written it, with a newline
	// after it, or with BetweenCalls. The name is not escaped, n is how many calls the conversation has had before,
	// the input is a JSON object, and s is the schema of the tool. What the parser reads under
	// the same schema is the same call (G5).
	WriteCall func(b *markup.Buffer, name string, n int, input jsontext.Value, s *schema.Schema)
	// CallPrefill returns the beginning of a call to the named tool, or of a call to any tool
	// if name is "", for the model to continue. The name is escaped. n is as in WriteCall.
	CallPrefill func(name string, n int) string

	// BeforeResults and AfterResults stand before and after the results of the calls of one turn.
	BeforeResults, AfterResults string
	// Result stands before and after the content of one result; ID in it is what stands for the name
	// of the tool in the call. The label of an error stands before its content.
	Result [2]string
	// thinkTag is the name of the tags around what the model thinks aloud; "" for "thinking".
	thinkTag string
	// writeResult writes one result, with a newline after it, in place of that: a tool_result
	// block, and the name of the tool that was called, which is not escaped; n is as in WriteCall.
	writeResult func(w resultWriter, tool string, n int, result *messages.BlockParam)
}

// shaped returns f with what follows from its shape.
func shaped(f Format) *Format {
	if f.Example == "" {
		f.Example = f.Shape.example(f.BeforeCalls, f.AfterCalls)
	}
	f.CallPrefill = func(name string, n int) string { return f.Shape.prefill(f.BeforeCalls, name, n) }
	f.WriteCall = f.writeShaped
	return &f
}

// Documented reports whether the preamble of the format is a text of its makers, placeholders included
// (docs/reference/legacy-format.md §2, §14).
func (f *Format) Documented() bool { return f.Name == Legacy || f.Name == Attribute }

// spellings returns the spellings in which calls of the format are read.
func (f *Format) spellings() []*markup.Spelling {
	if f.Spelling == nil {
		return f.also
	}
	return append([]*markup.Spelling{f.Spelling}, f.also...)
}

// The names of the formats: see [Target.Format].
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
