package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs what the README shows of the commands: the worked example and
// the configuration. Its programs are run by conformance/readme.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string, n int) string {
		found := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(readme, -1)
		if n >= len(found) {
			t.Fatalf("the README has no %s block %d", language, n)
		}
		return string(found[n][1])
	}
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	request := file("request.json", block("json", 0))

	if got, want := succeed(t, "render", "--text", request), block("text", 0); strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("the request is rendered as\n%s\nthe README says\n%s", got, want)
	}

	var answer struct {
		Content []struct {
			Type  string         `json:"type"`
			Text  string         `json:"text,omitempty"`
			Name  string         `json:"name,omitempty"`
			Input map[string]any `json:"input,omitempty"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
	}
	want := answer
	parsed := succeed(t, "parse", "--request", request, "--stop", "stop_sequence", file("completion.xml", block("xml", 0)))
	if err := json.Unmarshal([]byte(parsed), &answer); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(block("json", 1)), &want.Content); err != nil {
		t.Fatal(err)
	}
	if want.StopReason = "tool_use"; !reflect.DeepEqual(answer, want) {
		t.Errorf("the completion is parsed as\n%+v\nthe README says\n%+v", answer, want)
	}

	succeed(t, "check", "--config", file("dragoman.yaml", block("yaml", 0)))
}

// succeed runs a command that has to exit with 0 and returns what it printed.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, func(string) string { return "" }); code != 0 {
		t.Fatalf("dragoman %s: exit %d: %s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String()
}
