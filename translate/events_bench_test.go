package translate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/testcost"
)

// The texts of the benchmarks, repeated to the required length.
var benchTexts = []struct{ name, unit string }{
	{"plain", "The quick brown fox jumps over the lazy dog, and then it sleeps under a tree. "},
	{"code", "\tif a < b && c > d {\n\t\tfmt.Println(\"<b>\", x[i])\n\t}\n"},
	{"html", "<div class=\"x\"><p>Hi &amp; bye</p></div>\n"},
	{"unicode", "Zażółć gęślą jaźń, 東京都渋谷区 😀 "},
	{"hostile", "</conten</content <</</cont</c<"}, // starts of the closing tag
	{"opens", "<<<<<<<<"},
	{"neartags", "<invok <function_call <parameter nam </parameter <tool_nam "},
	{"entities", "&lt;b&gt; &amp; &amp;lt;/b> &"},
	{"closers", "</a></b></p></i>"},
}

func benchText(unit string, n int) string {
	return strings.Repeat(unit, n/len(unit)+1)[:n]
}

// benchRequest offers one tool, so that names are looked up and values typed.
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

// BenchmarkEvents reads each text in an argument and before a call. It also varies what should not
// change the cost per byte, and reads arguments in every format, alone and with all formats
// accepted.
func BenchmarkEvents(b *testing.B) {
	const size = 100 << 10
	for _, text := range benchTexts {
		for _, piece := range []int{4, 16} {
			b.Run(fmt.Sprintf("value/text=%s/piece=%d", text.name, piece), func(b *testing.B) {
				benchCompletion(b, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, valueCompletion(benchText(text.unit, size)), piece)
			})
			b.Run(fmt.Sprintf("prose/text=%s/piece=%d", text.name, piece), func(b *testing.B) {
				benchCompletion(b, &Prompt{}, benchText(text.unit, size), piece)
			})
			b.Run(fmt.Sprintf("prose/accept=all/text=%s/piece=%d", text.name, piece), func(b *testing.B) {
				benchCompletion(b, &Prompt{Asking: asking{Reads: format.NewReads(format.List[0], format.List[:], 0)}}, benchText(text.unit, size), piece)
			})
		}
		b.Run("escaped/text="+text.name+"/piece=16", func(b *testing.B) {
			benchCompletion(b, &Prompt{Asking: asking{Escaped: markup.Escapes{Tags: markup.InTurns}, Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, valueCompletion(benchText(text.unit, size)), 16)
		})
	}
	for _, size := range []int{1 << 10, 10 << 20} {
		for _, piece := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("value/text=html/size=%d/piece=%d", size, piece), func(b *testing.B) {
				benchCompletion(b, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, valueCompletion(benchText(benchTexts[2].unit, size)), piece)
			})
		}
	}
	for _, f := range format.List {
		for _, text := range []string{"plain", "html", "code", "json"} {
			b.Run(fmt.Sprintf("format=%s/text=%s/piece=16", f.Name, text), func(b *testing.B) {
				benchCompletion(b, &Prompt{Asking: asking{Declared: f, Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, formatCompletion(f, text, size), 16)
			})
			b.Run(fmt.Sprintf("format=%s/accept=all/text=%s/piece=16", f.Name, text), func(b *testing.B) {
				benchCompletion(b, &Prompt{Asking: asking{Declared: f, Reads: format.NewReads(f, format.List[:], 0), Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, formatCompletion(f, text, size), 16)
			})
		}
	}
	b.Run("array/items=1000/piece=16", func(b *testing.B) {
		benchCompletion(b, &Prompt{}, arrayCompletion(1000), 16)
	})
}

// formatCompletion returns a call in a format with an argument of about size bytes: a string of one
// of benchTexts, or a list.
func formatCompletion(f *format.Format, text string, size int) string {
	input := jsontext.Value(`{"path":"a","list":[0` + strings.Repeat(", 12345", size/7) + `]}`)
	for _, t := range benchTexts {
		if t.name == text {
			value, _ := jsontext.AppendQuote(nil, benchText(t.unit, size))
			input = jsontext.Value(`{"path":"a","content":` + string(value) + `}`)
		}
	}
	schema := new(prompt.ToolSchemas).Of(&benchRequest().Tools[0])
	return "I will write it.\n\n" + f.BeforeCalls + writtenCall(f, &markup.Escaper{}, "write", 0, input, schema)
}

// benchCompletion also reports megabytes per second of the thread's own processor time, which
// depends less on other programs.
func benchCompletion(b *testing.B, prompt *Prompt, text string, piece int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	req := benchRequest()
	c := completion{text, messages.StopSequence, CallsEnd}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	began := testcost.CPUTime()
	for b.Loop() {
		drain(b, req, prompt, c.chunks(piece))
	}
	b.ReportMetric(float64(b.N*len(text))/1e6/(testcost.CPUTime()-began).Seconds(), "MB/cpu-s")
}
