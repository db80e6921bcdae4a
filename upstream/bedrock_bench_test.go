package upstream

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
)

// accepting is a transport that sends nothing and accepts everything.
type accepting struct{}

func (accepting) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// BenchmarkBedrockRequest is a request to Bedrock of 2 KB but the network: as it is made here, and as
// the SDK makes it.
func BenchmarkBedrockRequest(b *testing.B) {
	b.Setenv("AWS_REGION", "us-east-1")
	bedrock, err := NewBedrock(b.Context(), BedrockOptions{HTTPClient: &http.Client{Transport: accepting{}}})
	if err != nil {
		b.Fatal(err)
	}
	m, body := Model{ID: "anthropic.claude-v2"}, []byte(`{"a":"`+strings.Repeat("x", 2000)+`"}`)
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call, err := bedrock.open(b.Context(), m, converseWhole, body)
			if err != nil {
				b.Fatal(err)
			}
			call.answer.Close()
		}
	})
	b.Run("SDK", func(b *testing.B) {
		kept, err := bedrock.credentials.get(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := bedrock.client.Converse(b.Context(), &bedrockruntime.ConverseInput{ModelId: &m.ID}, leased(kept)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
