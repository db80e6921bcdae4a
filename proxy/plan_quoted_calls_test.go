package proxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
)

// A call in a code fence is text, unless the model's entry says quoted_calls: read. Text that is held back until this
// is decided never reaches the client.
func TestQuotedCalls(t *testing.T) {
	_, call, _ := strings.Cut(strings.Join(weather, ""), "<function")
	up := completing(endOfTurn, "I look:\n``", "`xml\n<function", call[:40], call[40:], "</function_calls>\n", "```\n")
	for quoted, want := range map[string][]string{
		"":                   {"text"},
		translate.QuotedText: {"text"},
		translate.QuotedRead: {"text", "tool_use"},
	} {
		s := newServer(t, up, func(o *Options) { o.Routes[0].QuotedCalls = quoted })
		m := accumulate(t, readFrames(t, post(s, streamed(question)).Body))
		var got []string
		for _, block := range m.Content {
			got = append(got, block.Type)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("quoted_calls %q: -want +got:\n%s", quoted, diff)
		}
		if quotes := strings.Contains(m.Content[0].Text, "`"); quotes != (quoted != translate.QuotedRead) {
			t.Errorf("quoted_calls %q: the text is %q", quoted, m.Content[0].Text)
		}
	}
}
