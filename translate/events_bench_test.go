package translate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// The texts of the benchmarks, repeated to the length asked for.
var benchTexts = []struct{ name, unit string }{
	{"plain", "The quick brown fox jumps over the lazy dog, and then it sleeps under a tree. "},
	{"code", "\tif a < b && c > d {\n\t\tfmt.Println(\"<b>\", x[i])\n\t}\n"},
	{"html", "<div class=\"x\"><p>Hi &amp; bye</p></div>\n"},
	{"unicode", "Zażółć gęślą jaźń, 東京都渋谷区 😀 "},
	{"hostile", "</conten</content <</</cont</c<"}, // beginnings of its closing tag
}

func benchText(unit string, n int) string {
	return strings.Repeat(unit, n/len(unit)+1)[:n]
}

// benchRequest offers one tool, so that names are resolved and values typed.
func benchRequest() *messages.Request {
	return &messages.Request{ID: "msg_bench", Tools: []messages.Tool{{Name: "write", InputSchema: jsontext.Value(
		`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"list":{"type":"array","items":{"type":"integer"}}}}`)}}}
}

// valueCompletion is a call with one string argument.
func valueCompletion(value string) string {
	return "I will write it.\n\n" + CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n<parameters>\n<path>a</path>\n<content>" +
		value + "</content>\n</parameters>\n</invoke>\n"
}

func arrayCompletion(items int) string {
	var b strings.Builder
	b.WriteString(CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n<parameters>\n<list>\n")
	for i := range items {
		fmt.Fprintf(&b, "<item>%d</item>\n", i)
	}
	b.WriteString("</list>\n</parameters>\n</invoke>\n")
	return b.String()
}

// drain reads all events of an answer.
func drain(tb testing.TB, req *messages.Request, prompt *Prompt, ask Ask) {
	for _, err := range Events(req, prompt, ask) {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	for _, text := range benchTexts {
		for _, size := range []int{1 << 10, 100 << 10, 10 << 20} {
			for _, piece := range []int{1, 4, 16, 64} {
				if size == 10<<20 && (piece == 1 || piece == 4) {
					continue
				}
				b.Run(fmt.Sprintf("text=%s/size=%d/piece=%d", text.name, size, piece), func(b *testing.B) {
					benchCompletion(b, &Prompt{}, valueCompletion(benchText(text.unit, size)), piece)
				})
			}
		}
	}
	b.Run("escaped/size=102400/piece=16", func(b *testing.B) {
		benchCompletion(b, &Prompt{escaped: markup.InTurns}, valueCompletion(benchText(benchTexts[2].unit, 100<<10)), 16)
	})
	b.Run("prose/size=102400/piece=16", func(b *testing.B) {
		benchCompletion(b, &Prompt{}, benchText(benchTexts[0].unit, 100<<10), 16)
	})
	b.Run("array/items=1000/piece=16", func(b *testing.B) {
		benchCompletion(b, &Prompt{}, arrayCompletion(1000), 16)
	})
}

func benchCompletion(b *testing.B, prompt *Prompt, text string, piece int) {
	req := benchRequest()
	c := completion{text, messages.StopSequence, CallsEnd}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		drain(b, req, prompt, c.chunks(piece))
	}
}
