package proxy

import (
	"context"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

// hinting is an upstream whose server reports its model.
type hinting struct {
	Upstream
	says string
}

func (h hinting) Resolve(context.Context, upstream.Model) upstream.Resolved {
	return upstream.Resolved{Model: h.says}
}

// TestFamily has the sources that tell a model's family and so its format. The first that knows wins: the key family,
// the id, the server, the name that clients ask for, the upstream, the wire.
func TestFamily(t *testing.T) {
	for _, tt := range []struct {
		model                   UpstreamModel
		asked, told             string
		format, variant, reason string
		example                 string
	}{
		{UpstreamModel{Model: "qwen2.5-coder:7b"}, "claude-3", "glm-4.6", "json", "qwen2.5", "family qwen, by its id", translate.ExampleAuto},
		{UpstreamModel{Model: "m", ModelOptions: translate.ModelOptions{Family: "qwen3"}}, "claude-3", "glm-4.6", "json", "qwen", "family qwen, by the key family", translate.ExampleAuto},
		{UpstreamModel{Model: "my-tune"}, "claude-3", "GLM-4.6-Q4.gguf", "glm", "", "family glm-4, by its server", translate.ExampleAuto},
		{UpstreamModel{Model: "my-tune"}, "claude-3", "", "legacy", "", "family claude, by the name that clients ask for", translate.ExampleOff},
		{UpstreamModel{Model: "my-tune", Kind: upstream.KindAnthropic}, "fast", "", "legacy", "", "family claude, by its upstream", translate.ExampleOff},
		{UpstreamModel{Model: "my-tune", Wire: WireText}, "fast", "", "legacy", "", "family claude, by its wire", translate.ExampleOff},
		{UpstreamModel{Model: "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"}, "fast", "", "legacy", "", "family claude, by its ARN, which names no other", translate.ExampleOff},
		{UpstreamModel{Model: "mistral-large"}, "fast", "", "legacy", "", "family mistral, by its id; servers do not pass on its own format", translate.ExampleAuto},
		{UpstreamModel{Model: "my-tune"}, "fast", "", "legacy", "", "no family is known; measured best for others", translate.ExampleAuto},
		{UpstreamModel{Model: "my-tune", ModelOptions: translate.ModelOptions{Template: "t"}}, "fast", "", "legacy", "", "no family is known; measured best for others", translate.ExampleOff},
		{UpstreamModel{Model: "claude-2.1", ModelOptions: translate.ModelOptions{ExampleCall: translate.ExampleOn}}, "fast", "", "legacy", "", "family claude, by its id", translate.ExampleOn},
	} {
		tt.model.Upstream, tt.model.Format = "u", translate.FormatAuto
		s := &Server{upstreams: map[string]Upstream{"u": hinting{says: tt.told}}}
		m := s.told(t.Context(), Route{Name: "*", UpstreamModel: tt.model}.For(tt.asked)).UpstreamModel
		if m.FormatName() != tt.format || m.Variant() != tt.variant || m.FormatReason() != tt.reason {
			t.Errorf("%+v is asked in %s (%s): %s", m, m.FormatName(), m.Variant(), m.FormatReason())
		}
		if got := m.Target(upstream.Model{}).ExampleCall; got != tt.example {
			t.Errorf("%+v: the example is %s, want %s", m, got, tt.example)
		}
	}
}
