package clients

import (
	"maps"
	"os/exec"
	"testing"

	"dragoman/conformance"
)

// retries is the argument by which a program leaves it to its library how often it asks.
const retries = "retries"

// attempts is a library whose requests are counted.
type attempts struct {
	program func(t *testing.T) *exec.Cmd
	dialect conformance.Dialect
}

// attempting are those libraries.
var attempting = map[string]attempts{
	"AWS SDK for Go InvokeModel":         {goProgram("aws-go", "invoke", retries), conformance.Invoke},
	"AWS SDK for Go Converse":            {goProgram("aws-go", "converse", retries), conformance.Converse},
	"boto3 InvokeModel":                  {pythonProgram("aws-python", "requirements.txt", "invoke", retries), conformance.Invoke},
	"boto3 Converse":                     {pythonProgram("aws-python", "requirements.txt", "converse", retries), conformance.Converse},
	"AWS SDK for JavaScript InvokeModel": {nodeProgram("aws-javascript", "aws-javascript", "invoke", retries), conformance.Invoke},
	"AWS SDK for JavaScript Converse":    {nodeProgram("aws-javascript", "aws-javascript", "converse", retries), conformance.Converse},
	"Anthropic Python Messages":          {pythonProgram("anthropic-python", "requirements-2.txt", "messages", retries), conformance.Messages},
	"Anthropic Python Bedrock":           {pythonProgram("anthropic-python", "requirements-2.txt", "bedrock", retries), conformance.Bedrock},
	"Anthropic Python Vertex":            {pythonProgram("anthropic-python", "requirements-2.txt", "vertex", retries), conformance.Vertex},
}

// attemptingMore are those of which only make conformance counts the requests.
var attemptingMore = map[string]attempts{
	"AWS SDK for Java InvokeModel": {javaProgram("aws-java", "invoke", retries), conformance.Invoke},
	"AWS SDK for Java Converse":    {javaProgram("aws-java", "converse", retries), conformance.Converse},
}

// TestAttempts counts what the libraries send by default when the server fails.
func TestAttempts(t *testing.T) {
	all := maps.Clone(attempting)
	if *runMore {
		maps.Copy(all, attemptingMore)
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conformance.Attempts(t, conformance.Client{Open: conformance.Program(t, c.program(t)), Dialect: c.dialect})
		})
	}
}
