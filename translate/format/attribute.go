package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
)

// AttributeCalls is the format that has names in attributes (docs/reference/legacy-format.md §5,
// §14). It shares the results, and the parser's states for calls, with the legacy format.
var AttributeCalls = shaped(Format{
	Name:         Attribute,
	StopSequence: CallsEnd,
	ImpliedEnd:   CallsEnd,
	CallOpener:   "<invoke name=",
	CallCloser:   CallsEnd,
	Protects:     markup.TagFunctions | markup.TagFunction,

	Shape:       attributeShape,
	ExampleNote: func(l *language.Language) string { return l.PlainValues },
	BeforeTools: "<functions>\n",
	AfterTools:  "</functions>",
	tool:        [2]string{"<function>", "</function>\n"},

	BeforeCalls:   CallsStart + "\n",
	AfterCalls:    CallsEnd,
	BeforeResults: resultsStart,
	AfterResults:  resultsEnd,
	writeResult:   writeLegacyResult,
})

// attributeShape is how the attribute format writes calls.
var attributeShape = shape{
	Call:  [3]string{`<invoke name="`, "\">\n", "</invoke>\n"},
	Param: [3]string{`<parameter name="`, `">`, "</parameter>\n"},
}
