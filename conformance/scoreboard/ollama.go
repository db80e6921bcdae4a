package scoreboard

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/model/parsers"
)

// ollama reads with one of Ollama's own parsers, like its server: first the text, then its end.
func ollama(name string) reader {
	return func(t *testing.T, list []item) []answer {
		slog.SetLogLoggerLevel(slog.LevelError + 1)
		answers := make([]answer, len(list))
		for i := range list {
			answers[i] = list[i].ollama(t, name)
		}
		return answers
	}
}

func (c *item) ollama(t *testing.T, name string) (a answer) {
	t.Helper()
	var tools []api.Tool
	for _, described := range c.Tools {
		tool := api.Tool{Type: "function"}
		tool.Function.Name = described.Name
		if err := json.Unmarshal(described.InputSchema, &tool.Function.Parameters); err != nil {
			return answer{Error: err.Error()}
		}
		tools = append(tools, tool)
	}
	parser := parsers.ParserForName(name)
	parser.Init(tools, nil, &api.ThinkValue{Value: false})
	text := c.Completion
	if name == "harmony" {
		// The prompt already has the beginning, and the server stops at the end.
		text = strings.TrimSuffix(strings.TrimPrefix(text, "<|start|>assistant"), "<|call|>")
	}
	began := time.Now()
	for _, done := range []bool{false, true} {
		said, _, calls, err := parser.Add(text, done)
		if err != nil {
			a.Error = err.Error()
			break
		}
		text = ""
		a.Text += said
		for _, m := range calls {
			input, err := json.Marshal(m.Function.Arguments)
			if err != nil {
				t.Fatal(err)
			}
			a.Calls = append(a.Calls, call{Name: m.Function.Name, Input: input})
		}
	}
	a.MS = time.Since(began).Seconds() * 1000
	return a
}
