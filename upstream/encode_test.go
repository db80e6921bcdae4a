package upstream

import (
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// encoder is a wire with a body to measure.
type encoder struct {
	name   string
	target translate.Target
	encode func(p *translate.Prompt) ([]byte, error)
}

func encoders() []encoder {
	m := Model{ID: "anthropic.claude-v2", Can: Prefill | System | Streaming | StopSequences | Caching}
	return []encoder{
		{"messages", translate.Target{}, messagesBody{Model: m.ID, Stream: true, cache: true}.encode},
		{"converse", translate.Target{}, func(p *translate.Prompt) ([]byte, error) { return encodeConverse(m, p, p.StopSequences) }},
		{"chat", translate.Target{}, func(p *translate.Prompt) ([]byte, error) { return encodeChat(m, p, p.StopSequences, true) }},
		{"text", translate.Target{TextWire: true}, encodeText},
	}
}

// prompt returns the prompt of a request on the wire.
func (e encoder) prompt(t testing.TB, load testcost.Load) *translate.Prompt {
	req, err := messages.Decode([]byte(load.Body), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := translate.Render(req, e.target)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkEncode writes the body of a request on each wire.
func BenchmarkEncode(b *testing.B) {
	for _, wire := range encoders() {
		for _, load := range testcost.Loads() {
			b.Run(wire.name+"/"+load.Name, func(b *testing.B) {
				p := wire.prompt(b, load)
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

// BenchmarkRequest turns the body of a client into the body for an upstream. This is all the work on the
// texts of a request.
func BenchmarkRequest(b *testing.B) {
	for _, wire := range encoders() {
		target := wire.target
		target.Memo = translate.NewMemo()
		for _, load := range testcost.Loads() {
			b.Run(wire.name+"/"+load.Name, func(b *testing.B) {
				b.SetBytes(int64(len(load.Body)))
				b.ReportAllocs()
				for b.Loop() {
					req, err := messages.Decode([]byte(load.Body), messages.DecodeOptions{})
					if err != nil {
						b.Fatal(err)
					}
					p, err := translate.Render(req, target)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := wire.encode(p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
