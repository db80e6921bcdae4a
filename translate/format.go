package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// format is a prompting convention: how a model without a tool API is shown the tools,
// how it has to write a call, and how it is shown the result.
//
// To add one, declare it in a file of its own and list it in formats.go. Where its calls are tags around
// raw values, or markers around JSON, it says in its shape and its spelling how they are written and how
// they are read, and nothing else is needed. A format of another kind has functions in place of the
// shape, and states in the parser.
type format struct {
	name string
	// readOnly says that calls are read in the format, and that no model is asked in it: what stands
	// around its prompts is not kept.
	readOnly bool
	// alone are what stands before a call in JSON that is a whole answer, or before a list of such calls;
	// with a bracket at its end, before a list alone. For aloneName, see there.
	alone []string
	// models are parts of the ids of models that were trained on the format, in lower case. erased says
	// that its markers are special tokens, which servers erase from what they pass on. variant is what
	// tells formats of one name apart: see variants.go.
	models  []string
	erased  bool
	variant string
	// thinking are marks of thinking besides the tags of prose: see [thinkingMarks]. opensThinking are
	// parts of the ids of those models whose template opens thinking, if it is not told otherwise.
	thinking      []thinkingMarks
	opensThinking []string

	// shape is how calls are written, and spelling how their tags may be written; nil for the tags of
	// legacy and attribute.
	shape    shape
	spelling *markup.Spelling
	// also are the spellings of other families that write the same calls with tags of other names.
	also []*markup.Spelling
	// elements is the spelling of calls in which names are the text of elements; nil if there are none.
	elements *markup.Spelling
	// literal is the syntax of calls that are literals of a language.
	literal literalSyntax
	// unbracketed says that models leave out what its tags begin with, in prose, too: see
	// parse_unbracketed.go.
	unbracketed bool
	// channels says that headers are read: see parse_channels.go.
	channels bool

	// stopSequence is the stop sequence for the upstream: what a model writes after its calls.
	// Upstreams leave it out of the answer. Where an answer that stopped at it ends within
	// a call, the parser reads impliedEnd in its place: the end of the calls, or nothing where
	// the stop sequence is no part of them, as <tool_response> is not.
	stopSequence, impliedEnd string
	// inventsResults says that a model which goes on behind its calls has made their results up, in words
	// or not: no call behind text there is read.
	inventsResults bool

	// callOpener and callCloser are what a template must hold, so that the model is shown
	// how a call begins and ends: see [CheckTemplate].
	callOpener, callCloser string

	// protects are the names whose tags text of the client must not spell, besides those
	// that every format protects: see [markup.Escaper].
	protects markup.TagSet

	// example shows the model how to write a call. exampleNote chooses the sentence that
	// says what the example does not show; nil for none.
	example     string
	exampleNote func(*language) string

	// words are what the chat template of the family says before and after the descriptions of the tools, as
	// it says them, in whatever language the prompt is; "" for our own sentences around the example. systemText
	// is what it says where the client has no system text.
	words      [2]string
	systemText string

	// toolsLast says that the tools are described behind the system text of the client, and not before it.
	toolsLast bool
	// heading stands above all. exampleLast says that the example comes after the tools, and not before
	// them; listHeading stands above those in place of a sentence.
	heading, listHeading string
	exampleLast          bool
	// beforeTools and afterTools stand before and after the descriptions of the tools.
	beforeTools, afterTools string
	// tool stands before and after the description of one tool, which is a JSON object, and betweenTools
	// before that of the next, where all are one list.
	tool         [2]string
	betweenTools string
	// spaced says that JSON has a blank behind each colon and comma, as Python writes it; compactTools
	// that descriptions of tools have none all the same.
	spaced, compactTools bool
	// python says which values of calls, besides strings, stand as Python writes them.
	python pythonValues
	// describeTool writes one description, with a newline after it, in place of that. The error
	// says what is wrong with the schema of the tool.
	describeTool func(w *toolWriter, t *messages.Tool) error

	// beforeCalls and afterCalls stand before and after the calls of one turn.
	beforeCalls, afterCalls string
	// betweenCalls stands between them, where that is not a newline alone.
	betweenCalls string
	// appendCall appends a past call as the model would have written it, with a newline
	// after it, or with betweenCalls. The name is not escaped, n is how many calls the conversation has had before,
	// the input is a JSON object, and s is the schema of the tool. What the parser reads under
	// the same schema is the same call (G5).
	appendCall func(e *markup.Escaper, dst []byte, name string, n int, input jsontext.Value, s *schema.Schema) []byte
	// callPrefill returns the beginning of a call to the named tool, or of a call to any tool
	// if name is "", for the model to continue. The name is escaped. n is as in appendCall.
	callPrefill func(name string, n int) string

	// beforeResults and afterResults stand before and after the results of the calls of one turn.
	beforeResults, afterResults string
	// result stands before and after the content of one result; ID in it is what stands for the name
	// of the tool in the call. The label of an error stands before its content.
	result [2]string
	// thinkTag is the name of the tags around what the model thinks aloud; "" for "thinking".
	thinkTag string
	// writeResult writes one result, with a newline after it, in place of that: a tool_result
	// block, and the name of the tool that was called, which is not escaped; n is as in appendCall.
	writeResult func(w resultWriter, tool string, n int, result *messages.BlockParam)
}

// shaped returns f with what follows from its shape.
func shaped(f format) *format {
	if f.example == "" {
		f.example = f.shape.example(f.beforeCalls, f.afterCalls)
	}
	f.callPrefill = func(name string, n int) string { return f.shape.prefill(f.beforeCalls, name, n) }
	f.appendCall = f.appendShaped
	return &f
}

// documented reports whether the preamble of the format is a text of its makers, placeholders included
// (docs/reference/legacy-format.md §2, §14).
func (f *format) documented() bool { return f.name == FormatLegacy || f.name == FormatAttribute }

// spellings returns the spellings in which calls of the format are read.
func (f *format) spellings() []*markup.Spelling {
	if f.spelling == nil {
		return f.also
	}
	return append([]*markup.Spelling{f.spelling}, f.also...)
}

// The names of the formats: see [Target.Format].
const (
	FormatLegacy    = "legacy"    // <invoke> with child tags: docs/reference/legacy-format.md §5
	FormatAttribute = "attribute" // <invoke name="…">: docs/reference/legacy-format.md §14
	FormatJSON      = "json"      // <tool_call>{"name":…,"arguments":…}</tool_call>: docs/reference/formats.md §6

	FormatQwen3Coder = "qwen3-coder" // <tool_call><function=…><parameter=…>: docs/reference/formats.md §1
	FormatSeedOSS    = "seed-oss"    // <seed:tool_call><function=…>: §1b
	FormatGLM        = "glm"         // <tool_call>…<arg_key>…</arg_key><arg_value>: §2
	FormatDSML       = "dsml"        // <｜DSML｜invoke name="…">: §3
	FormatMiniMax    = "minimax"     // <minimax:tool_call><invoke name="…">: §5
	FormatKimi       = "kimi"        // <|tool_call_begin|>functions.…:0<|tool_call_argument_begin|>{…}: §4
	FormatDeepSeek   = "deepseek"    // <｜tool▁call▁begin｜>…<｜tool▁sep｜>{…}: §12
	FormatMistral    = "mistral"     // [TOOL_CALLS]…[ARGS]{…}: §8
	FormatLlama      = "llama"       // <|python_tag|>{"name":…,"parameters":…}: §10
	FormatPythonic   = "pythonic"    // [book(note="…"), ping()]: §11
	FormatGemma      = "gemma"       // <|tool_call>call:…{…}<tool_call|>: §9
	FormatHarmony    = "harmony"     // <|channel|>commentary to=functions.… json<|message|>{…}: §7
	FormatMiniCPM    = "minicpm"     // <function name="…"><param name="…">: §13
)
