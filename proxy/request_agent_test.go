package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// agentRequest returns a request like Claude Code's: large, with many tools, system blocks with cache marks, a system
// message within the conversation, thinking, and fields that depend on its betas.
func agentRequest(maxTokens int) string {
	mark := map[string]any{"type": "ephemeral", "ttl": "1h"}
	var tools []any
	for i := range 25 {
		tools = append(tools, map[string]any{
			"name":        fmt.Sprintf("Tool%d", i),
			"description": strings.Repeat(fmt.Sprintf("What tool %d does, & when <not> to use it.\n", i), 60),
			"input_schema": map[string]any{
				"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
				"properties": map[string]any{"path": map[string]any{"type": "string", "description": "a path"}, "edits": map[string]any{
					"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{"old": map[string]any{"type": "string"}}},
				}},
				"required": []string{"path"},
			},
			"strict": true, "eager_input_streaming": true,
		})
	}
	text := func(s string, marked bool) map[string]any {
		block := map[string]any{"type": "text", "text": s}
		if marked {
			block["cache_control"] = mark
		}
		return block
	}
	body, err := json.Marshal(map[string]any{
		"model": "claude-2.1", "max_tokens": maxTokens, "stream": true, "tools": tools,
		"system":             []any{text("x-billing-header: cc_version=2", false), text("You are an agent.", true), text(strings.Repeat("Rules. ", 2000), true)},
		"thinking":           map[string]any{"type": "adaptive", "display": "omitted"},
		"metadata":           map[string]any{"user_id": `{"device_id":"d","session_id":"s"}`},
		"context_management": map[string]any{"edits": []any{map[string]any{"type": "clear_thinking_20251015", "keep": "all"}}},
		"output_config":      map[string]any{"effort": "high"},
		"diagnostics":        map[string]any{"previous_message_id": nil},
		"messages": []any{
			map[string]any{"role": "user", "content": []any{text("<system-reminder>Today is Saturday.</system-reminder>", false), text("Fix it", true)}},
			map[string]any{"role": "assistant", "content": []any{
				map[string]any{"type": "thinking", "thinking": "", "signature": ""}, text("Let me look.", false),
				map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Tool1", "input": map[string]any{"path": "a.go"}, "caller": map[string]any{"type": "direct"}},
			}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_1", "content": "func main() { if a < b && c { } }\n", "cache_control": mark}}},
			map[string]any{"role": "system", "content": "The file was changed."},
			map[string]any{"role": "user", "content": "Go on"},
		},
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// Agents' requests work unchanged, whatever betas they name.
func TestAgentRequests(t *testing.T) {
	for name, maxTokens := range map[string]int{"a question": 32000, "a side request": 1} {
		t.Run(name, func(t *testing.T) {
			asked := &asked{Upstream: play(completing(endOfCall, "<function_calls>\n<invoke>\n<tool_name>Tool2</tool_name>\n<parameters>\n<path>b.go</path>\n</parameters>\n</invoke>\n"))}
			body := agentRequest(maxTokens)
			if len(body) < 80<<10 {
				t.Fatalf("%d bytes are no such request", len(body))
			}
			w := post(newServer(t, asked), body, "Anthropic-Version", "2023-06-01",
				"Anthropic-Beta", "claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,context-management-2025-06-27,made-up-2027-01-01")
			if w.Code != 200 || !strings.Contains(w.Body.String(), `{\"path\":\"b.go\"}`) || !strings.Contains(w.Body.String(), `"stop_reason":"tool_use"`) {
				t.Fatalf("status %d: %.2000s", w.Code, w.Body)
			}
			if n := len(asked.prompt.Turns); n != 3 || asked.prompt.MaxTokens != min(maxTokens, 4096) { // the model's limit
				t.Errorf("asked %d turns, for %d tokens", n, asked.prompt.MaxTokens)
			}
		})
	}
}
