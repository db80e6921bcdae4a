package upstream

import (
	"context"
	"iter"
	"os"
	"testing"

	"go.uber.org/goleak"

	"dragoman/translate"
)

// TestMain hides this machine's own configuration from the AWS SDK.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID":           "AKIDEXAMPLE",
		"AWS_SECRET_ACCESS_KEY":       "secret",
		"AWS_CONFIG_FILE":             os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_EC2_METADATA_DISABLED":   "true",
	} {
		os.Setenv(name, value)
	}
	for _, name := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE"} {
		os.Unsetenv(name)
	}
	goleak.VerifyTestMain(m)
}

// chunksOf asks a model, and returns its answer.
func chunksOf(up *Server, ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	call, err := up.Prepare(m, p)
	if err != nil {
		panic(err)
	}
	return call.Chunks(ctx)
}
