package proxy

import (
	"iter"
	"net/http"
	"testing"

	"dragoman/proxy/convert"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// BenchmarkFrames measures one delta: parsing a chunk of 16 bytes and writing it as a frame of the client's wire.
func BenchmarkFrames(b *testing.B) {
	const deltas = 1000
	req := &messages.Request{ID: "msg_bench", Tools: []messages.Tool{{Name: "write", Streaming: messages.StreamEagerly, InputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`)}}}
	const opening = translate.CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n<parameters>\n<text>"
	for _, text := range []struct{ name, head, piece string }{
		{"text", "", "sixteen letters "},
		{"argument", opening, "sixteen letters "},
		{"escapes", opening, "a \"quoted\" word\n"},
	} {
		ask := func(*translate.Prompt) iter.Seq2[translate.Chunk, error] {
			return func(yield func(translate.Chunk, error) bool) {
				if text.head != "" && !yield(translate.Chunk{Text: text.head, More: true}, nil) {
					return
				}
				for range deltas {
					if !yield(translate.Chunk{Text: text.piece, More: true}, nil) {
						return
					}
				}
				yield(translate.Chunk{Stop: messages.StopMaxTokens}, nil)
			}
		}
		for _, d := range []*dialect{&messagesAPI, &bedrockInvoke, &bedrockConverse, &chatCompletions} {
			b.Run(d.name+"/"+text.name, func(b *testing.B) {
				frames := d.newFrames(http.Header{}, new(convert.Conversion))
				var dst []byte
				b.SetBytes(int64(deltas * len(text.piece)))
				b.ReportAllocs()
				for b.Loop() {
					for e, err := range translate.Events(req, &translate.Prompt{}, ask) {
						if err != nil {
							b.Fatal(err)
						}
						dst = frames.appendEvent(dst[:0], e, 0)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*deltas), "ns/delta")
			})
		}
	}
}
