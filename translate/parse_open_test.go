package translate

import (
	"strings"
	"testing"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// maxOpen is the most text that may be held because a tag, a name or an attribute is open.
const maxOpen = 64 << 10

// openMarkup are starts of answers with an open tag, name or attribute.
var openMarkup = func() (heads []string) {
	const (
		legacy    = CallsStart + "\n<invoke>\n<tool_name>t</tool_name>\n"
		values    = legacy + "<parameters>\n"
		attribute = CallsStart + "\n<invoke name=\"t\">\n"
	)
	tags := []string{"<", "</", "<a ", "<a b=", "<a b=\"", "<a b='", "<parameter name=\"", "<parameter name=", "<parameter ", "<!--", "<invoke name=\"", "<invoke "}
	for _, within := range []string{
		"", "Text. ", "<thinking>\n", "`", "```\n", CallsStart, CallsStart + "\nSo: ", CallsStart + "\n<invoke>\n", legacy, values, attribute, "<invoke name=\"t\">", "<invoke name=\"other\">",
		values + "<s>", values + "<s>x", values + "<s>x</s>", values + "<s></s>", values + "<s><s>x", values + "<s>x</s></parameters>", values + "<s>x</s></parameters></invoke>",
		attribute + "<parameter name=\"s\">", attribute + "<parameter name=\"s\">x</parameter>", attribute + "<parameter name=\"s\">x</parameter></invoke>",
		values + "<s>x</s></parameters></invoke>" + CallsEnd, "<tool_call>", "<tool_call>\n{\"name\":\"t\",\"arguments\":{}}\n", "<function_results>",
	} {
		for _, tag := range tags {
			heads = append(heads, within+tag)
		}
	}
	return append(heads, "<invoke>\n<tool_name>", CallsStart+"<invoke><tool_name>", CallsStart+"<tool_name>",
		"<tool_call>{\"", "<tool_call>\n{\"name\": \"", CallsStart+"{\"name\":\"", values+"<s>&", values+"<s><![CDATA[", "&", "&lt")
}()

// TestOpenMarkup has answers of 10 MB with something open that is never closed. Dragoman holds
// little of it back (R42), and sends everything before it, unless the answer has ended.
func TestOpenMarkup(t *testing.T) {
	size := testcost.Cases(100<<10, 10<<20)
	for _, unit := range []string{"a", "ä b", "a=\"b\" "} {
		piece := strings.Repeat(unit, 1+1<<10/len(unit))
		for _, head := range openMarkup {
			if strings.Contains(unit, `"`) && strings.Contains(head, `{"`) {
				continue // it would close the string
			}
			fed, sent, most := 0, 0, 0
			ask := whatever(func(yield func(Chunk, error) bool) {
				for text := head; fed < size; text = piece {
					fed += len(text)
					if !yield(Chunk{Text: text}, nil) {
						return
					}
					most = max(most, fed-sent)
				}
				yield(Chunk{Stop: messages.StopMaxTokens}, nil)
			})
			for e, err := range Events(fuzzRequest(), &Prompt{Asking: asking{Escaped: markup.Escapes{Tags: markup.TagInvoke}, Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, ask) {
				if err != nil {
					t.Fatal(err)
				}
				sent += len(e.Text)
			}
			if most > maxOpen || sent < fed-maxOpen && fed >= size {
				t.Errorf("%q and then %q: %d bytes of %d were held, %d were sent", head, unit, most, fed, sent)
			}
		}
	}
}
