package convert

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// converseRequest returns an agent's request of Converse: its tools, and turns with a call and its result.
func converseRequest(tools, turns, size int) []byte {
	var b bytes.Buffer
	const code = "func main() {\n\tfmt.Println(\"caf\u00e9\", 'x', `C:\\tmp`)\n}\n// a comment of some length follows here\n"
	result := rawjson.AppendString(nil, strings.Repeat(code, 1+size/len(code)))
	b.WriteString(`{"inferenceConfig":{"maxTokens":4096},"system":[{"text":"You are a careful programmer."}],"messages":[{"role":"user","content":[{"text":"Write the program."}]}`)
	for i := range turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"text":"I will do that."},{"toolUse":{"toolUseId":"tooluse_%024d","name":"write_file_0","input":{"path":"src/f%d.go","content":"package main\n"}}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_%024d","content":[{"text":%s}]}}]}`, i, result)
	}
	b.WriteString(`],"toolConfig":{"tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"toolSpec":{"name":"write_file_%d","description":"Writes a text file. Use it whenever the user asks for a file to be made or changed; do not use it to read one.",`+
			`"inputSchema":{"json":{"type":"object","properties":{"path":{"type":"string","description":"The path of the file, relative to the root of the repository."},`+
			`"content":{"type":"string","description":"The text to write to the file, whole."},"mode":{"type":"string","enum":["create","replace","append"]},`+
			`"opts":{"type":"object","properties":{"dry_run":{"type":"boolean"},"depth":{"type":"integer","minimum":0}}}},"required":["path","content"]}}}}`, i)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// BenchmarkConverse measures the conversion of a Converse body to a body of the Messages API, and on to a Request.
func BenchmarkConverse(b *testing.B) {
	for _, bm := range []struct {
		name string
		body []byte
	}{{"2KB", converseRequest(1, 1, 1000)}, {"71KB", converseRequest(12, 12, 4700)}} {
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
		step("convert", func() error { _, err := FromConverse(b.Context(), bm.body); return err })
		step("decode", func() error {
			c, err := FromConverse(b.Context(), bm.body)
			if err != nil {
				return err
			}
			_, err = messages.Decode(c.Body, messages.DecodeOptions{Model: "m"})
			return err
		})
		step("guardrail", func() error { _, _, err := TakeGuardrail(b.Context(), http.Header{}, bm.body); return err })
	}
}
