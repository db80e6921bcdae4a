package translate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/tagged"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/testcost"
)

// doubtRequest offers a tool with parameters of every type, and a tool that takes any parameter.
func doubtRequest() *messages.Request {
	return &messages.Request{ID: "msg_doubt", Tools: []messages.Tool{
		{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},
			"n":{"type":"integer"},"o":{"type":"object"},"l":{"type":"array","items":{"type":"string"}},"id":{"type":"string"}}}`)},
		{Name: "any", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{"type":"string"},
			"e":{"enum":["x","<invoke>","</b>"]}},"additionalProperties":{"type":"string"}}`)},
	}}
}

// doubtWords are pieces of values and calls, and mistakes in them.
var doubtWords = strings.Split(`<a>|</a>|<b>|</b>|<n>|</n>|<o>|</o>|<l>|</l>|<e>|</e>|<id>|</id>|<zz>|</zz>|<a/>|<b x="1">|x|1|{"k":"|"}|{}|[1]|"|`+
	" |\n|\n|\r\n|prose|\xff|&lt;invoke>|&amp;|<|</|<!-- | -->|<![CDATA[|]]>|```\n|<tool_name>f</tool_name>|<tool_name>|</tool_name>|"+
	`<parameters>|</parameters>|<invoke>|</invoke>|<invoke name="f">|<parameter name="a">|<parameter name="b">|</parameter>|<function_calls>|</function_calls>`, "|")

// TestDoubtInPieces reads calls of random words, at once and in pieces. The end of a value is
// mostly doubtful. The result must not depend on the pieces (G2), with or without escapes in the
// prompt. Only the reason why a call is incomplete may differ.
func TestDoubtInPieces(t *testing.T) {
	begins := []string{
		"<function_calls><invoke><tool_name>f</tool_name><parameters><a>1",
		"<function_calls><invoke><tool_name>any</tool_name><parameters><a>1",
		`<function_calls><invoke name="f"><parameter name="a">1`,
		"<invoke><tool_name>f</tool_name><parameters>",
	}
	req := doubtRequest()
	r := rand.New(rand.NewPCG(1, 2))
	for range testcost.Cases(3_000, 400_000) {
		var text strings.Builder
		text.WriteString(begins[r.IntN(len(begins))])
		for range 3 + r.IntN(16) {
			text.WriteString(doubtWords[r.IntN(len(doubtWords))])
		}
		if r.IntN(2) == 0 {
			text.WriteString("</parameters></invoke>")
		}
		prompt := &Prompt{}
		if r.IntN(2) == 0 {
			prompt.Escaped = markup.Escapes{Tags: markup.InValues | markup.TagTurn | markup.TagInvoke}
		}
		c := completion{text.String(), messages.StopSequence, CallsEnd}
		said := func(piece int) string {
			return show(parseIn(t, prompt, req, c, piece))
		}
		want := said(0)
		for _, n := range []int{1, 3, 7} {
			if got := said(n); got != want {
				t.Fatalf("%q in pieces of %d gives\n%sat once\n%s", c.text, n, got, want)
			}
		}
	}
}

// TestEscapesInDoubt reads doubtful values with escapes, which are longer in the text than in the
// value, and with bytes that are not UTF-8, which are shorter.
func TestEscapesInDoubt(t *testing.T) {
	const begin, end = "<function_calls><invoke><tool_name>f</tool_name><parameters>", "</parameters></invoke>"
	prompt := &Prompt{Asking: asking{Escaped: markup.Escapes{Tags: markup.InValues | markup.TagInvoke}}}
	for _, c := range []struct{ name, text, want string }{
		{"after a closing tag too few", "<a>&lt;invoke> \xff<b>&lt;invoke>&lt;/invoke></b>", `f {"a":"<invoke> �","b":"<invoke></invoke>"}`},
		{"swapped", "<a>&lt;invoke>\xff</b>\n<b>&amp;lt;invoke>\xff</a>", `f {"a":"<invoke>�","b":"&lt;invoke>�"}`},
		{"text of one value", "<a>&lt;invoke> <b>\xff&lt;/invoke></b> x</a>", `f {"a":"<invoke> <b>�</invoke></b> x"}`},
		{"prose", "<a>&lt;invoke></a> &lt;invoke>\xff\n<b>&lt;invoke>\xff</b>", `f {"a":"<invoke>","b":"<invoke>�"}`},
		{"a parameter that is empty", "<a>1</x> <b/> <n>2</n>", `f {"a":"1","b":"","n":2}`},
		{"a long run", "<a>&amp;amp;amp;lt;invoke> <b>\xff</b> x</a>", `f {"a":"&amp;amp;lt;invoke> <b>�</b> x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range len(c.text) {
				completion := completion{begin + c.text + end, messages.StopSequence, CallsEnd}
				got, _, _ := strings.Cut(show(parseIn(t, prompt, doubtRequest(), completion, n)), "\n")
				if got != c.want {
					t.Fatalf("pieces of %d give\n%s\nwant\n%s", n, got, c.want)
				}
			}
		})
	}
}

// TestTextAfterDoubt reads text after a doubt that ended because too much text was held. The text
// belongs to the value, whatever it begins with.
func TestTextAfterDoubt(t *testing.T) {
	for _, after := range []string{"]]><![CDATA[x", "]]>", "]", "&amp;"} {
		text := "x <a>" + strings.Repeat("y", tagged.MaxDoubt-len("<a>")) + after + "</a> z"
		c := completion{"<function_calls><invoke><tool_name>f</tool_name><parameters><a>" + text + "</a></parameters></invoke>", messages.StopSequence, CallsEnd}
		for _, n := range []int{0, 1000} {
			want := `f {"a":` + string(rawjson.AppendString(nil, text)) + "}"
			if got, _, _ := strings.Cut(show(parseIn(t, &Prompt{}, doubtRequest(), c, n)), "\n"); got != want {
				i := 0
				for i < min(len(got), len(want)) && got[i] == want[i] {
					i++
				}
				t.Errorf("%q: in pieces of %d it differs from byte %d: %q; want %q", after, n, i, got[i:min(len(got), i+60)], want[i:min(len(want), i+60)])
			}
		}
	}
}

// TestReadingOutOfStep reads a call with a reading that begins a value where the parser begins
// none: at the second <tool_name>, which is dropped. The call is broken off there, and the ends of
// one value do not cut another.
func TestReadingOutOfStep(t *testing.T) {
	const text = `<function_calls><invoke><tool_name>f</tool_name><parameters><a>1<a></parameters><tool_name>f</tool_name>` +
		`<parameter name="b">]]>x<id></b><parameters></tool_name>{}<parameter name="b"></parameters></invoke>`
	const want = "f {}\nmax_tokens\n# incomplete f cut_value"
	for n := range 16 {
		if got := show(parseIn(t, &Prompt{}, doubtRequest(), completion{text, messages.StopSequence, CallsEnd}, n)); got != want {
			t.Fatalf("pieces of %d give\n%s\nwant\n%s", n, got, want)
		}
	}
}
