package translate

import "dragoman/translate/markup"

// attributeCalls is the format whose names stand in attributes
// (docs/reference/legacy-format.md §5, §14). Results are those of the legacy format, and
// the states that read legacy calls read its calls, too.
var attributeCalls = shaped(format{
	name:           FormatAttribute,
	stopSequence:   CallsEnd,
	impliedEnd:     CallsEnd,
	inventsResults: true,
	callOpener:     "<invoke name=",
	callCloser:     CallsEnd,
	protects:       markup.TagFunctions | markup.TagFunction,

	shape:       attributeShape,
	exampleNote: func(l *language) string { return l.plainValues },
	beforeTools: "<functions>\n",
	afterTools:  "</functions>",
	tool:        [2]string{"<function>", "</function>\n"},

	beforeCalls:   CallsStart + "\n",
	afterCalls:    CallsEnd,
	beforeResults: resultsStart,
	afterResults:  resultsEnd,
	writeResult:   writeLegacyResult,
})

// attributeShape is how calls are written there.
var attributeShape = shape{
	call:  [3]string{`<invoke name="`, "\">\n", "</invoke>\n"},
	param: [3]string{`<parameter name="`, `">`, "</parameter>\n"},
}
