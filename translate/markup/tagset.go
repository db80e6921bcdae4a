package markup

// TagSet is a set of names that a text must not spell as a tag.
type TagSet uint64

// The protected names. The order matters: [InTurns] and [InTools] are all names before some name.
const (
	TagFunctionCalls TagSet = 1 << iota
	TagFunctionResults
	TagInvoke
	TagToolName
	TagParameters
	TagParameter
	TagResult
	TagStdout
	TagError
	TagTools
	TagToolDescription
	TagSystem
	TagDocument
	TagSearchResult
	TagFunctionCall // wrappers of calls in other formats, ours and other vendors'
	TagToolCall     // the parser reads them in every format
	TagToolCalls
	TagUseTool
	TagDescription
	TagName
	TagType
	TagRequired
	TagEnum
	TagDefault
	TagSchema
	TagDefinitions
	TagExamples
	TagCDATA        // "![CDATA[", the start of a quoted value
	TagOwnParameter // the name of the parameter that has this value
	TagTurn         // a turn marker

	// Names that only some formats use: see Escaper.Tags.
	TagFunctions
	TagFunction
	TagTool
	TagToolResponse
	TagParam
	TagArgKey
	TagArgValue
	TagToolResult
	TagResponse
	TagImportant
	TagThinking // the tags around a model's thinking, which the parser reads in every format
	TagChannel  // the text that ends thinking in Gemma's format
	TagLongCat
	TagHy
	TagFunctionGemma
	TagMarker  // any tag that begins with a bar: <|tool_call_begin|>, <｜DSML｜invoke>
	TagBracket // the markers in brackets: [TOOL_CALLS]
	TagOpener  // the start of calls in the formats that the parser reads, and special tokens: see [Openers]
)

// bracketed are the names in brackets.
var bracketed = [...]string{"TOOL_CALLS", "ARGS", "CALL_ID", "TOOL_RESULTS", "TOOL_CONTENT", "AVAILABLE_TOOLS", "THINK"}

// bars are the texts that a marker begins with, after its `<`.
var bars = [...]string{"|", "｜", "‖"}

// The names that each kind of text must not spell.
const (
	InTurns  = TagDescription - 1                   // text of a turn: elements of turns
	InTools  = TagCDATA - 1                         // text of a tool description: also elements that describe tools
	InValues = InTurns | TagCDATA | TagOwnParameter // a parameter's value: also a CDATA section or the parameter's own tag
)

// InCalls are the names of tags that the parser may read as part of a call, in every format.
const InCalls = TagFunctionCalls | TagFunctionResults | TagInvoke | TagToolName | TagParameters | TagParameter |
	TagFunctionCall | TagToolCall | TagToolCalls | TagUseTool

// Names returns the names in the set.
func (s TagSet) Names() (list []string) {
	for i := range tagNames {
		if t := &tagNames[i]; s&t.tag != 0 {
			list = append(list, t.name)
		}
	}
	return list
}

// tagNames are the protected names, spelled as in the formats.
var tagNames = [...]struct {
	name string
	tag  TagSet
}{
	{"function_calls", TagFunctionCalls},
	{"function_results", TagFunctionResults},
	{"invoke", TagInvoke},
	{"tool_name", TagToolName},
	{"parameters", TagParameters},
	{"parameter", TagParameter},
	{"result", TagResult},
	{"stdout", TagStdout},
	{"error", TagError},
	{"tools", TagTools},
	{"tool_description", TagToolDescription},
	{"system", TagSystem},
	{"document", TagDocument},
	{"search_result", TagSearchResult},
	{"function_call", TagFunctionCall},
	{"tool_call", TagToolCall},
	{"tool_calls", TagToolCalls},
	{"use_tool", TagUseTool},
	{"toolcall", TagToolCall},
	{"description", TagDescription},
	{"name", TagName},
	{"type", TagType},
	{"required", TagRequired},
	{"enum", TagEnum},
	{"default", TagDefault},
	{"schema", TagSchema},
	{"definitions", TagDefinitions},
	{"examples", TagExamples},
	{"functions", TagFunctions},
	{"function", TagFunction},
	{"tool", TagTool},
	{"tool_response", TagToolResponse},
	{"param", TagParam},
	{"arg_key", TagArgKey},
	{"arg_value", TagArgValue},
	{"tool_result", TagToolResult},
	{"response", TagResponse},
	{"important", TagImportant},
	{"think", TagThinking},
	{"thinking", TagThinking},
	{"scratchpad", TagThinking},
	{"rationale", TagThinking},
	{"reasoning", TagThinking},
	{"reflection", TagThinking},
	{"search_quality_reflection", TagThinking},
	{"channel", TagChannel},
	{"longcat_tool_call", TagLongCat},
	{"longcat_arg_key", TagLongCat},
	{"longcat_arg_value", TagLongCat},
	{"longcat_tool_response", TagLongCat},
	{"tool_calls:opensource", TagHy},
	{"tool_call:opensource", TagHy},
	{"tool_sep:opensource", TagHy},
	{"arg_key:opensource", TagHy},
	{"arg_value:opensource", TagHy},
	{"tool_responses:opensource", TagHy},
	{"tool_response:opensource", TagHy},
	{"start_function_declaration", TagFunctionGemma},
	{"end_function_declaration", TagFunctionGemma},
	{"start_function_call", TagFunctionGemma},
	{"end_function_call", TagFunctionGemma},
	{"start_function_response", TagFunctionGemma},
	{"end_function_response", TagFunctionGemma},
	{"escape", TagFunctionGemma},
}

// namesFrom maps a letter to the names that begin with it.
var namesFrom = func() (from [256]TagSet) {
	for _, t := range tagNames {
		from[t.name[0]] |= t.tag
	}
	return from
}()
