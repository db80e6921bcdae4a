package translate

import (
	"strings"
	"testing"

	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// held returns how many bytes of an answer the reader keeps, or has room for.
func (r *reader) held() int {
	return cap(r.in.buf) + cap(r.in.partial) + cap(r.out.buf) + cap(r.text.blank) + cap(r.call.stray) + cap(r.call.prose) +
		cap(r.value.held) + cap(r.value.tail) + r.said.Cap()
}

// TestMemoryOfAnArgument holds how much of an argument is kept while it streams: of a string next to
// nothing, however long it is. What has to be whole before it is sent is kept, and so is an answer
// that the model may have to go on with.
func TestMemoryOfAnArgument(t *testing.T) {
	const (
		opened    = "So.\n\n" + CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n"
		attribute = CallsStart + "\n<invoke name=\"t\">\n<parameter name=\"s\">"
		piece     = 16
	)
	size := testcost.Cases(1<<20, 10<<20)
	for _, tt := range []struct {
		name, head, unit string
		prompt           Prompt
		kept             bool
	}{
		{"text", "", "so on and on ", Prompt{}, false},
		{"a string", opened + "<s>", "so on and on ", Prompt{asking: asking{flowsValues: true}}, false},
		{"a string that may be null", opened + "<o>", "so on and on ", Prompt{asking: asking{flowsValues: true}}, false},
		{"a string in an attribute", attribute, "\tif a < b {\n", Prompt{asking: asking{format: attributeCalls, flowsValues: true}}, false},
		{"a string of markup", opened + "<s>", "<p class=\"x\">a &amp; b</p>\n", Prompt{asking: asking{flowsValues: true}}, false},
		{"a string of beginnings of its end", opened + "<s>", "</s</ <s </parameters", Prompt{asking: asking{flowsValues: true}}, false},
		{"a string in CDATA", opened + "<s><![CDATA[", "]]> so <u>\n", Prompt{asking: asking{flowsValues: true}}, false},
		{"a string in a language", opened + "<s>", "Zażółć 東京都 😀 ", Prompt{asking: asking{flowsValues: true}}, false},

		{"a string that is sent when it is whole", opened + "<s>", "so on and on ", Prompt{}, true},
		{"a list", opened + "<a>[1", ", 1", Prompt{}, true}, // its schema types the whole text
		{"an object", opened + "<m>{\"k\":\"", "so on ", Prompt{}, true},
		{"a value of any type", opened + "<any>", "so on ", Prompt{}, true},
		{"the whole input as an object", opened + "{\"s\":\"", "so on ", Prompt{}, true},
		{"a call in JSON", "<tool_call>\n{\"name\": \"t\", \"arguments\": {\"s\": \"", "so on ", Prompt{asking: asking{format: &jsonCalls}}, true}, // as models write it, it may not be JSON
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReader(fuzzRequest(), &tt.prompt, new(budget), func(messages.Event, error) bool { return true })
			r.readChunk(&Chunk{Text: tt.head})
			text := strings.Repeat(tt.unit, 1+piece/len(tt.unit)*2+2)
			most := 0
			for n := 0; n < size; n += piece {
				at := n % len(tt.unit)
				r.readChunk(&Chunk{Text: text[at : at+piece]})
				most = max(most, r.held())
			}
			if kept := most >= size/2; kept != tt.kept || !kept && most > 64<<10 {
				t.Errorf("of %d KB in pieces of %d bytes, %d bytes were kept at most", size>>10, piece, most)
			}
		})
	}
}
