package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/eval"
	"dragoman/translate"
)

// TestEval asks the simulated model twice: the second run already has all answers.
func TestEval(t *testing.T) {
	set := write(t, "set.jsonl", `{"id": "weather", "tools": [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}], "question": "What is the weather in Lisbon?", "expected": [{"name": "get_weather", "input": {"city": "Lisbon"}}]}
{"id": "greeting", "question": "Hello.", "expected": [{"name": "get_weather", "input": {}}]}
`)
	out := filepath.Join(t.TempDir(), "made", "here")
	args := []string{"eval", "--config", write(t, "dragoman.yaml", simulatedFile), "--model", "claude-3-x", "--out", out, set}
	first := invocation{}.run(t, args...)
	if first.code != 0 || strings.Count(first.stderr, "\n") != 6 || !strings.HasSuffix(first.stderr, "\n6/6, right of those asked now: 50.0 %\n") {
		t.Fatalf("got %+v", first)
	}
	for _, want := range []string{"Simulated: a built-in program answered", "\nlegacy     2          1      50.0 %    –      1      0.0 %", "\nattribute  2 ", "\njson       2 ", "report.md says what was wrong"} {
		if !strings.Contains(first.stdout, want) {
			t.Errorf("%q is not in\n%s", want, first.stdout)
		}
	}
	results, err := os.ReadFile(filepath.Join(out, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if second := (invocation{}).run(t, args...); second.stdout != first.stdout || second.stderr != "" {
		t.Errorf("got %+v\nthen %+v", first, second)
	}
	if again, err := os.ReadFile(filepath.Join(out, "results.jsonl")); err != nil || string(again) != string(results) {
		t.Errorf("the results have become\n%s", again)
	}

	// In every format the simulated model answers the same questions with the same calls.
	all := translate.Formats()
	every := invocation{}.run(t, "eval", "--simulated", "--formats", strings.Join(all, ","), "--out", t.TempDir(), set)
	for _, format := range all {
		if !regexp.MustCompile(`(?m)^` + format + ` +2 +1 +50\.0 % +– +1 +0\.0 % `).MatchString(every.stdout) {
			t.Errorf("%s is not in\n%s%s", format, every.stdout, every.stderr)
		}
	}

	if none := (invocation{}).run(t, "eval", "--simulated", "--formats", "legacy,legacy", "--limit", "3", "--out", t.TempDir()); none.code != 0 || !strings.Contains(none.stdout, "\nlegacy  3 ") {
		t.Errorf("got %+v", none)
	}
}

// The printed entry is a valid configuration, also if the server's own tools API has won.
func TestEvalEntryLoads(t *testing.T) {
	e := entry{name: "m", upstream: config.Upstream{BaseURL: "http://127.0.0.1:1/v1"}, settings: &settings{baseURL: "http://127.0.0.1:1/v1"}}
	for how, want := range map[string]string{"json": "    format: auto\n", "legacy": "    format: legacy\n", eval.Native: "    tools: native\n", eval.Server: "    tools: native\n    rescue: false\n"} {
		file := e.yaml(how, "json")
		if got := (invocation{}).run(t, "check", "--config", write(t, "dragoman.yaml", file)); got.code != 0 || !strings.HasSuffix(file, want) {
			t.Errorf("%s:\n%s%s", how, file, got.stderr)
		}
	}
}
