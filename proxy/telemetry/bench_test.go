package telemetry

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/proxy"
	"dragoman/translate"
)

// BenchmarkExchange measures an exchange of 200 pieces, with and without telemetry. It does not include the export.
func BenchmarkExchange(b *testing.B) {
	chunks := []translate.Chunk{whole.chunks[0]}
	for range 200 {
		chunks = append(chunks, translate.Chunk{Text: "some words "})
	}
	said := []answer{{chunks: append(chunks, translate.Chunk{Stop: "end_turn"})}}
	for _, test := range []struct {
		name      string
		change    func(*proxy.Options)
		variables []string
	}{
		{"off", func(o *proxy.Options) { o.Observe = nil }, nil},
		{"unsampled", nil, []string{"OTEL_TRACES_SAMPLER=always_off"}},
		{"on", nil, nil},
		{"contents", nil, []string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"}},
	} {
		b.Run(test.name, func(b *testing.B) {
			w := watch(b, said, test.change, test.variables...)
			h := w.Handler()
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(question)))
				w.spans.Reset()
			}
		})
	}
}
