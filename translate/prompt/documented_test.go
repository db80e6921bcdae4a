package prompt

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// fenced returns the fenced block of the reference that contains a text.
func fenced(t *testing.T, holds string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/reference/legacy-format.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(page), "\n```\n") {
		if i%2 == 1 && strings.Contains(block, holds) {
			return block
		}
	}
	t.Fatalf("the reference has no block with %q", holds)
	return ""
}

// documentedTools are the tools in the documents' own examples, which have only required
// parameters, and the documents' text for them. The second is written as carelessly as the
// documents do.
var documentedTools = []struct {
	tool messages.Tool
	text string // "" means the block of the reference
}{
	{tool: messages.Tool{
		Name: "get_rate", Description: "Plain text. Says what it returns (type) and what it raises.",
		InputSchema: jsontext.Value(`{"type":"object","properties":{"currency":{"type":"string","description":"ISO code"}},"required":["currency"]}`),
	}},
	{
		tool: messages.Tool{
			Name: "get_current_stock_price", Description: "Gets the current stock price for a company. Returns float: the price.",
			InputSchema: jsontext.Value(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,
				"properties":{"symbol":{"type":"string","title":"Symbol","description":"The stock symbol."},"days":{"type":"integer","description":""}},"required":["days","symbol"]}`),
		},
		text: `<tool_description>
<tool_name>get_current_stock_price
</tool_name>
<description>Gets the current stock price for a company. Returns float: the price.</description>
<parameters>
<parameter>
<name>symbol</name>
<type>string</type>
<description>The stock symbol.</description>
</parameter>
<parameter>
<name>days</name>
<type>integer</type>
</parameter>
</parameters>
</tool_description>`,
	},
}

// TestDocumented renders the documents' own tools, and compares the prompt with the documents
// (docs/reference/legacy-format.md §2). The prompt must not have anything that the documents do not
// have.
func TestDocumented(t *testing.T) {
	req := &messages.Request{Messages: []messages.MessageParam{user("hi")}}
	var texts []string
	for _, d := range documentedTools {
		req.Tools = append(req.Tools, d.tool)
		if d.text == "" { // the documents use type names of JSON Schema or of Python
			d.text = strings.Replace(fenced(t, "<name>currency</name>"), "<type>str</type>", "<type>string</type>", 1)
		}
		texts = append(texts, d.text)
	}
	want := strings.Replace(fenced(t, "{tool descriptions"), "{tool descriptions, joined by one newline}", strings.Join(texts, "\n"), 1)
	got := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format.Legacy}}).System[0].Text
	if withoutLayout(got) != withoutLayout(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if _, tool, _ := strings.Cut(got, "<tools>\n"); !strings.HasPrefix(tool, texts[0]+"\n<tool_description>") {
		t.Errorf("the tool of the reference is written as\n%s", tool)
	}
}

// withoutLayout removes the white space around tags.
func withoutLayout(text string) string {
	return regexp.MustCompile(`\s*(<[^>]*>)\s*`).ReplaceAllString(text, "$1")
}
