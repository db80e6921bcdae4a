package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"

	"github.com/go-json-experiment/json/jsontext"
)

// format is a prompting convention: how a model without a tool API is shown tools,
// how it is to write a call, and how it is told a result. One file holds each, with
// the states of the parser that only its calls need.
type format struct {
	name string
	// stop is our stop sequence. An answer that it ended, within a call, is read as if
	// the model had then written ended.
	stop, ended string
	// opener and closer are the tags around a call that a prompt has to show.
	callOpener, callCloser string
	// tags are the names that it protects beyond those of all formats.
	protects markup.TagSet

	// how shows how to write a call, and rule says what it does not show; tools and
	// toolsEnd stand around the descriptions.
	example                 string
	exampleNote             func(*language) string
	beforeTools, afterTools string
	// describe writes one tool. The error says what is wrong with its schema.
	describeTool func(w *toolWriter, t *messages.Tool) error

	// begin and end stand around the calls of one turn.
	beforeCalls, afterCalls string
	// call appends a past call as the model would have written it, with a newline
	// after it: what the parser reads from it is the same call (G5).
	appendCall func(e *markup.Escaper, dst []byte, name string, input jsontext.Value, s *schema.Schema) []byte
	// open is the beginning of a call to the named tool, or to any if name is "". The
	// name is escaped.
	openCall func(name string) string

	// results and resultsEnd stand around the results of one turn, which result writes.
	beforeResults, afterResults string
	writeResult                 func(w *turnWriter, tool string, b *messages.BlockParam)
}

// The names of the formats.
const (
	FormatLegacy    = "legacy"    // <invoke> with child tags: reference/legacy-format.md §1
	FormatAttribute = "attribute" // <invoke name="…">: §5, §14
	FormatJSON      = "json"      // <tool_call>{"name":…,"arguments":…}</tool_call>, as open models write it
)
