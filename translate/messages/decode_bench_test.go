package messages

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/testcost"
)

// longConversation returns the request that the decoding benchmarks use: 30 tools and 20 turns of 4
// KiB, about 115 KB in all.
func longConversation() []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":"claude-2.1","max_tokens":4096,"stream":true,"system":"You are careful.","tools":[`)
	for i := range 30 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":%q,"input_schema":{"type":"object","properties":{`, i, strings.Repeat("Reads things. ", 25))
		for p := range 8 {
			fmt.Fprintf(&b, `"p%d":{"type":"string","description":"The parameter of that number.","enum":["a","b"]},`, p)
		}
		b.WriteString(`"last":{"type":"array","items":{"type":"integer"}}},"required":["p0"]}}`)
	}
	b.WriteString(`],"messages":[`)
	prose := strings.Repeat("func main() {\n\tfmt.Println(\"hello\")\n}\n", 110)
	for i := range 10 {
		if i > 0 {
			b.WriteByte(',')
		}
		result := ""
		if i > 0 {
			result = fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_%d","content":"done"},`, i-1)
		}
		fmt.Fprintf(&b, `{"role":"user","content":[%s{"type":"text","text":%q}]},`, result, prose)
		fmt.Fprintf(&b, `{"role":"assistant","content":[{"type":"text","text":"Next."},{"type":"tool_use","id":"toolu_%d","name":"tool_%d","input":{"p0":%q}}]}`, i, i, prose)
	}
	b.WriteString(`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_9","content":"done"}]}]}`)
	return b.Bytes()
}

// agentRequest returns a request like an agent's: tools, and turns of a call and its result. A
// result has about size bytes, with JSON escapes and non-ASCII letters.
func agentRequest(tools, turns, size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"max_tokens":4096,"messages":[{"content":"Write the program that we spoke of to src/main.go.","role":"user"}`)
	const code = "func main() {\n\tfmt.Println(\"caf\u00e9 \u2713\", 'x', `C:\\tmp`, <-c)\n}\n// a comment of some length follows here\n"
	result, _ := jsontext.AppendQuote(nil, strings.Repeat(code, 1+size/len(code)))
	result = bytes.ReplaceAll(result, []byte("<"), []byte(`\u003c`)) // as Go's encoder writes it
	for i := range turns {
		fmt.Fprintf(&b, `,{"content":[{"text":"I will do that.","type":"text"},{"id":"toolu_%024d","input":{"content":"package main\n","path":"src/f%d.go"},"name":"write_file","type":"tool_use"}],"role":"assistant"}`, i, i)
		fmt.Fprintf(&b, `,{"content":[{"content":%s,"tool_use_id":"toolu_%024d","type":"tool_result"}],"role":"user"}`, result, i)
	}
	b.WriteString(`],"model":"claude-2.1","stream":true,"system":"You are a careful programmer.","tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"description":"Writes a text file. Use it whenever the user asks for a file to be made or changed; do not use it to read one.",`+
			`"input_schema":{"properties":{"content":{"description":"The text to write to the file, whole.","type":"string"},"lines":{"items":{"type":"integer"},"type":"array"},`+
			`"mode":{"enum":["create","replace","append"],"type":"string"},"opts":{"properties":{"depth":{"minimum":0,"type":"integer"},"dry_run":{"type":"boolean"}},"type":"object"},`+
			`"path":{"description":"The path of the file, relative to the root of the repository.","type":"string"}},"required":["path","content"],"type":"object"},"name":"write_file_%d"}`, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkDecode measures the whole decoding of a body, and its first step, CheckJSON, alone.
func BenchmarkDecode(b *testing.B) {
	for _, bm := range []struct {
		name string
		body []byte
	}{
		{"2KB", agentRequest(1, 1, 1000)},
		{"71KB", agentRequest(12, 12, 4700)},
		{"115KB", agentRequest(30, 20, 4096)},
		{"code", longConversation()},
		{"32MB", agentRequest(1000, 1000, 32_000)},
	} {
		step := func(name string, f func() error) {
			b.Run(bm.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(bm.body)))
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		step("check", func() error { return CheckJSON(b.Context(), bm.body) })
		step("decode", func() error { _, err := Decode(bm.body, DecodeOptions{}); return err })
	}
}

// BenchmarkDecodeHostile measures the cost per byte of bodies that are only lists of tiny elements.
func BenchmarkDecodeHostile(b *testing.B) {
	for name, element := range map[string]string{
		"numbers": `0,`, "objects": `{},`, "texts": `{"type":"text","text":"a"},`, "unknown": `{"type":"text","text":"a","b":0,"c":0,"d":0,"e":0},`,
	} {
		body := []byte(withBlock(strings.Repeat(element, 2<<20/len(element)) + `{"type":"text","text":"a"}`))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Decode(body, DecodeOptions{})
			}
		})
	}
}

// TestDecodeAllocations checks that the number of allocations grows with the blocks and tools of a
// request, not with its bytes. Longer texts may take only their own memory more.
func TestDecodeAllocations(t *testing.T) {
	if testcost.UnderRace {
		t.Skip("the race detector has pools forget at random")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would free the pooled readers
	decode := func(body []byte) (allocations float64, memory uint64) {
		allocations = testing.AllocsPerRun(10, func() {
			if _, err := Decode(body, DecodeOptions{}); err != nil {
				t.Fatal(err)
			}
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = Decode(body, DecodeOptions{})
		runtime.ReadMemStats(&after)
		return allocations, after.TotalAlloc - before.TotalAlloc
	}
	for _, tt := range []struct {
		name       string
		body, long []byte // long has the same blocks and tools, with longer texts
		most       float64
	}{
		{"small", agentRequest(1, 1, 1000), agentRequest(1, 1, 100_000), 100},
		{"agent", agentRequest(12, 12, 4700), agentRequest(12, 12, 47_000), 220}, // 25 messages with 37 blocks, and 12 tools
	} {
		n, memory := decode(tt.body)
		if n > tt.most {
			t.Errorf("%s: Decode makes %.0f allocations, want at most %.0f", tt.name, n, tt.most)
		}
		long, longMemory := decode(tt.long)
		const slack = 10 // memory for decoding texts
		if long > n+slack {
			t.Errorf("%s: Decode makes %.0f allocations for longer texts, and %.0f for short ones", tt.name, long, n)
		}
		if more := len(tt.long) - len(tt.body); longMemory-memory > uint64(more)+1<<20 {
			t.Errorf("%s: Decode takes %d bytes more for %d bytes of text", tt.name, longMemory-memory, more)
		}
	}
}
