package upstream_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"dragoman/upstream"
)

// The AWS SDK's environment variables work: the endpoints for models and for lists of models, and the
// credentials.
func TestBedrockEnvironment(t *testing.T) {
	const signed = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"
	for name, tt := range map[string]struct {
		env                   map[string]string
		model, list, presents string
	}{
		"nothing": {nil, "https://bedrock-runtime.us-east-1.amazonaws.com/", "https://bedrock.us-east-1.amazonaws.com/", signed},
		"endpoints": {map[string]string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "https://vpce.test/p", "AWS_ENDPOINT_URL_BEDROCK": "https://lists.test"},
			"https://vpce.test/p/", "https://lists.test/", signed},
		"one for all":    {map[string]string{"AWS_ENDPOINT_URL": "https://all.test"}, "https://all.test/", "https://all.test/", signed},
		"FIPS":           {map[string]string{"AWS_USE_FIPS_ENDPOINT": "true"}, "https://bedrock-runtime-fips.us-east-1.amazonaws.com/", "https://bedrock-fips.us-east-1.amazonaws.com/", signed},
		"a bearer token": {map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "token"}, "https://bedrock-runtime.us-east-1.amazonaws.com/", "https://bedrock.us-east-1.amazonaws.com/", "Bearer token"},
	} {
		t.Run(name, func(t *testing.T) {
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			presented := map[string]string{}
			up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				before, _, _ := strings.Cut(r.URL.String(), "/model/")
				before, _, _ = strings.Cut(before, "/foundation-models")
				before, _, _ = strings.Cut(before, "/inference-profiles")
				presented[before+"/"] = r.Header.Get("Authorization")
				return nil, context.Canceled
			})}})
			if err != nil {
				t.Fatal(err)
			}
			for range invoke(up, t.Context(), upstream.Model{ID: "anthropic.claude-v2"}, ask("Hi")) { // always fails
			}
			_, _ = up.ListModels(t.Context())
			for _, at := range []string{tt.model, tt.list} {
				if !strings.HasPrefix(presented[at], tt.presents) {
					t.Errorf("%s: presented %q; asked %q", at, presented[at], presented)
				}
			}
		})
	}
}
