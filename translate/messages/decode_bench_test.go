package messages

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// longConversation returns a request of the shape that the speed of decoding is
// measured on: 30 tools and 20 turns of 4 KiB, about 115 KB in all.
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

func BenchmarkDecode(b *testing.B) {
	body := longConversation()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(body, DecodeOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeHostile measures what bodies cost that hold nothing but elements, by
// the byte.
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

// TestDecodeAllocations holds the allocations to a number that grows with the
// blocks and tools of a request, not with its bytes.
func TestDecodeAllocations(t *testing.T) {
	body := longConversation()
	allocs := testing.AllocsPerRun(10, func() {
		if _, err := Decode(body, DecodeOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	const most = 350 // 31 messages with 60 blocks, and 30 tools
	if allocs > most {
		t.Errorf("Decode makes %.0f allocations, want at most %d", allocs, most)
	}
}
