package upstream

import (
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// BenchmarkEncode writes the body of a request on each wire.
func BenchmarkEncode(b *testing.B) {
	m := Model{ID: "anthropic.claude-v2", Can: Prefill | System | Streaming | StopSequences | Caching}
	for _, wire := range []struct {
		name   string
		target translate.Target
		encode func(p *translate.Prompt) ([]byte, error)
	}{
		{"messages", translate.Target{}, func(p *translate.Prompt) ([]byte, error) {
			return messagesBody{Model: m.ID, Stream: true, cache: true}.encode(p)
		}},
		{"converse", translate.Target{}, func(p *translate.Prompt) ([]byte, error) { return encodeConverse(m, p, p.StopSequences) }},
		{"chat", translate.Target{}, func(p *translate.Prompt) ([]byte, error) { return encodeChat(m, p, p.StopSequences, true) }},
		{"text", translate.Target{TextWire: true}, encodeText},
	} {
		for _, load := range testcost.Loads() {
			b.Run(wire.name+"/"+load.Name, func(b *testing.B) {
				req, err := messages.Decode([]byte(load.Body), messages.DecodeOptions{})
				if err != nil {
					b.Fatal(err)
				}
				p, err := translate.Render(req, wire.target)
				if err != nil {
					b.Fatal(err)
				}
				body, err := wire.encode(p)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := wire.encode(p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
