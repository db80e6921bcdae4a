package translate

// legacy is the format with child tags (reference/legacy-format.md §2, §5, §7).
var legacy = format{
	name:   FormatLegacy,
	stop:   CallsEnd,
	ended:  CallsEnd,
	opener: "<invoke>",
	closer: CallsEnd,

	how: `<function_calls>
<invoke>
<tool_name>$TOOL_NAME</tool_name>
<parameters>
<$PARAMETER_NAME>$PARAMETER_VALUE</$PARAMETER_NAME>
...
</parameters>
</invoke>
</function_calls>
`,
	tools:    "<tools>\n",
	toolsEnd: "</tools>",
	describe: (*toolWriter).tool,

	begin: CallsStart + "\n",
	end:   CallsEnd,
	call:  appendCall,
	open: func(name string) string {
		const any = CallsStart + "\n<invoke>\n<tool_name>"
		if name == "" {
			return any
		}
		return any + name + "</tool_name>\n<parameters>"
	},

	results:    resultsStart,
	resultsEnd: resultsEnd,
	result:     (*turnWriter).result,
}

// The elements around calls and results (reference/legacy-format.md §5, §7).
const (
	CallsStart   = "<function_calls>"
	CallsEnd     = "</function_calls>" // our stop sequence
	resultsStart = "<function_results>\n"
	resultsEnd   = "</function_results>"
)
