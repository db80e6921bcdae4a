package main

import (
	"strings"
	"testing"
)

// TestConstrain prints the constraints of requests, and what servers get.
func TestConstrain(t *testing.T) {
	forced := strings.Replace(weatherRequest, `"messages"`, `"tool_choice":{"type":"any"},"messages"`, 1)
	for _, tt := range []struct{ name, body, flags, want, stderr string }{
		{"a forced call", forced, "", `"grammar": "root ::= `, ""},
		{"a choice", weatherRequest, "", `"triggers": [`, ""},
		{"for llama.cpp", forced, "--server=llama.cpp", `"grammar": "root ::= `, ""},
		{"for vLLM", forced, "--server=vllm", `"structured_outputs": {`, ""},
		{"for Ollama", forced, "--server=json_schema", `"const": "get_weather"`, ""},
		{"a choice, for llama.cpp", weatherRequest, "--server=llama.cpp", "", "takes no triggers"},
		{"nothing", `{"model":"claude-2.1","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, "", "", "the model may answer in any way"},
		{"an unknown server", forced, "--server=cray", "", "--server is one of vllm"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"constrain"}
			if tt.flags != "" {
				args = append(args, tt.flags)
			}
			got := invocation{stdin: tt.body}.run(t, args...)
			if (got.code == 0) != (tt.want != "") || !strings.Contains(got.stdout, tt.want) || !strings.Contains(got.stderr, tt.stderr) {
				t.Errorf("%+v", got)
			}
		})
	}
}
