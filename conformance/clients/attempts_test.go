package clients

import (
	"maps"
	"os/exec"
	"testing"

	"dragoman/conformance"
)

// retries is the argument that makes a program use its library's default retries.
const retries = "retries"

// attempt is a library with counted requests.
type attempt struct {
	program func(t *testing.T) *exec.Cmd
	dialect conformance.Dialect
}

// attempting are the libraries that always run.
var attempting = map[string]attempt{
	"AWS SDK for Go InvokeModel":         {goProgram("aws-go", "invoke", retries), conformance.Invoke},
	"AWS SDK for Go Converse":            {goProgram("aws-go", "converse", retries), conformance.Converse},
	"boto3 InvokeModel":                  {pythonProgram("aws-python", "requirements.txt", "invoke", retries), conformance.Invoke},
	"boto3 Converse":                     {pythonProgram("aws-python", "requirements.txt", "converse", retries), conformance.Converse},
	"AWS SDK for JavaScript InvokeModel": {nodeProgram("aws-javascript", "aws-javascript", "invoke", retries), conformance.Invoke},
	"AWS SDK for JavaScript Converse":    {nodeProgram("aws-javascript", "aws-javascript", "converse", retries), conformance.Converse},
	"Anthropic Python Messages":          {pythonProgram("anthropic-python", "requirements-2.txt", "messages", retries), conformance.Messages},
	"Anthropic Python Bedrock":           {pythonProgram("anthropic-python", "requirements-2.txt", "bedrock", retries), conformance.Bedrock},
	"OpenAI Python":                      {pythonProgram("openai-python", "requirements.txt", retries), conformance.Chat},
	"Anthropic Python Vertex":            {pythonProgram("anthropic-python", "requirements-2.txt", "vertex", retries), conformance.Vertex},
}

// attemptingMore are the libraries that only make conformance runs.
var attemptingMore = map[string]attempt{
	"AWS SDK for Rust InvokeModel": {rustProgram("aws", "invoke", retries), conformance.Invoke},
	"AWS SDK for Rust Converse":    {rustProgram("aws", "converse", retries), conformance.Converse},
	"AWS SDK for Java InvokeModel": {javaProgram("aws-java", "invoke", retries), conformance.Invoke},
	"AWS SDK for Java Converse":    {javaProgram("aws-java", "converse", retries), conformance.Converse},
}

// TestAttempts counts the default requests of the libraries when the server fails.
func TestAttempts(t *testing.T) {
	libraries := maps.Clone(attempting)
	if *runMore {
		maps.Copy(libraries, attemptingMore)
	}
	for name, c := range libraries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conformance.Attempts(t, conformance.Client{Open: conformance.Program(t, c.program(t)), Dialect: c.dialect})
		})
	}
}
