package answer

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/testcost"
)

// held returns how many bytes of an answer the reader keeps or has allocated.
func (r *reader) held() int {
	return r.in.Size() + r.out.Size() + r.tags.Size() + cap(r.text.blank) + cap(r.call.prose) + cap(r.json.held) + r.said.Cap()
}

// TestMemoryOfAnArgument checks how much of an argument the reader keeps while it streams. For a string,
// that is almost nothing, however long the string is. The reader keeps arguments that it can only send
// whole, and answers that the model may have to continue.
func TestMemoryOfAnArgument(t *testing.T) {
	const (
		opened    = "So.\n\n" + format.CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n<parameters>\n"
		attribute = format.CallsStart + "\n<invoke name=\"t\">\n<parameter name=\"s\">"
		piece     = 16
	)
	size := testcost.Cases(1<<20, 10<<20)
	for _, tt := range []struct {
		name, head, unit string
		prompt           prompt.Prompt
		kept             bool
	}{
		{"text", "", "so on and on ", prompt.Prompt{}, false},
		{"a string", opened + "<s>", "so on and on ", prompt.Prompt{Asking: prompt.Asking{Target: prompt.Target{ModelOptions: prompt.ModelOptions{StreamValues: prompt.ValuesFlow}}}}, false},
		{"a string that may be null", opened + "<o>", "so on and on ", prompt.Prompt{Asking: prompt.Asking{Target: prompt.Target{ModelOptions: prompt.ModelOptions{StreamValues: prompt.ValuesFlow}}}}, false},
		{"a string in an attribute", attribute, "\tif a < b {\n", prompt.Prompt{Asking: prompt.Asking{Declared: format.AttributeCalls, Target: prompt.Target{ModelOptions: prompt.ModelOptions{StreamValues: prompt.ValuesFlow}}}}, false},
		{"a string of markup", opened + "<s>", "<p class=\"x\">a &amp; b</p>\n", prompt.Prompt{Asking: prompt.Asking{Target: prompt.Target{ModelOptions: prompt.ModelOptions{StreamValues: prompt.ValuesFlow}}}}, false},
		{"a string of beginnings of its end", opened + "<s>", "</s</ <s </parameters", prompt.Prompt{Asking: prompt.Asking{Target: prompt.Target{ModelOptions: prompt.ModelOptions{StreamValues: prompt.ValuesFlow}}}}, false},
		{"a string in CDATA", opened + "<s><![CDATA[", "]]> so <u>\n", prompt.Prompt{Asking: prompt.Asking{Target: prompt.Target{ModelOptions: prompt.ModelOptions{StreamValues: prompt.ValuesFlow}}}}, false},
		{"a string in a language", opened + "<s>", "Zażółć 東京都 😀 ", prompt.Prompt{Asking: prompt.Asking{Target: prompt.Target{ModelOptions: prompt.ModelOptions{StreamValues: prompt.ValuesFlow}}}}, false},

		{"a string that is sent when it is whole", opened + "<s>", "so on and on ", prompt.Prompt{}, true},
		{"a list", opened + "<a>[1", ", 1", prompt.Prompt{}, true}, // the schema types the whole list
		{"an object", opened + "<m>{\"k\":\"", "so on ", prompt.Prompt{}, true},
		{"a value of any type", opened + "<any>", "so on ", prompt.Prompt{}, true},
		{"the whole input as an object", opened + "{\"s\":\"", "so on ", prompt.Prompt{}, true},
		{"a call in JSON", "<tool_call>\n{\"name\": \"t\", \"arguments\": {\"s\": \"", "so on ", prompt.Prompt{Asking: prompt.Asking{Declared: &format.JSONCalls}}, true}, // a model's JSON may be invalid
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReader(memoryRequest(), &tt.prompt, new(budget), func(messages.Event, error) bool { return true })
			r.readChunk(&prompt.Chunk{Text: tt.head})
			text := strings.Repeat(tt.unit, 1+piece/len(tt.unit)*2+2)
			most := 0
			for n := 0; n < size; n += piece {
				at := n % len(tt.unit)
				r.readChunk(&prompt.Chunk{Text: text[at : at+piece]})
				most = max(most, r.held())
			}
			if kept := most >= size/2; kept != tt.kept || !kept && most > 64<<10 {
				t.Errorf("of %d KB in pieces of %d bytes, %d bytes were kept at most", size>>10, piece, most)
			}
		})
	}
}

// memoryRequest offers a tool with parameters of several types.
func memoryRequest() *messages.Request {
	return &messages.Request{
		ID:       "msg_1",
		Tools:    []messages.Tool{{Name: "t", InputSchema: jsontext.Value(`{"properties":{"s":{"type":"string"},"o":{"type":["string","null"]},"a":{"type":"array"},"m":{"type":"object"},"any":{}}}`)}},
		Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "hi"}}}},
	}
}
