package markup

// tagSet is a set of names that the policy protects.
type TagSet uint32

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
	TagFunctionCall // what stands around calls in other formats, ours and those of other makers:
	TagToolCall     // they are read whatever the model was asked in
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
	TagCDATA        // "![CDATA[", which begins a quoted value
	TagOwnParameter // the name of the parameter whose value the text is
	TagTurn         // a turn marker

	// Of some formats alone.
	TagFunctions
	TagFunction
	TagToolResponse
)

// Text of a turn may not spell the elements that stand in turns; text of a tool
// description may not spell those of a description either; a value may not quote itself.
const (
	InTurns  = TagDescription - 1
	InTools  = TagCDATA - 1
	InValues = InTurns | TagCDATA | TagOwnParameter
)

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
	{"description", TagDescription},
	{"name", TagName},
	{"type", TagType},
	{"required", TagRequired},
	{"enum", TagEnum},
	{"default", TagDefault},
	{"schema", TagSchema},
	{"definitions", TagDefinitions},
	{"functions", TagFunctions},
	{"function", TagFunction},
	{"tool_response", TagToolResponse},
}
