package main

import (
	"strings"
	"testing"

	"dragoman/translate"
)

// Every format is listed with its name and a call, in the order in which others list them.
func TestListFormats(t *testing.T) {
	got := invocation{}.run(t, "formats")
	if got.code != 0 {
		t.Fatal(got.stderr)
	}
	out := got.stdout
	from := 0
	for _, f := range translate.AboutFormats() {
		at := strings.Index(out[from:], f.Name+" (")
		if at < 0 {
			t.Fatalf("%s is not listed behind those before it:\n%s", f.Name, out)
		}
		from += at
		for _, example := range f.Examples() {
			if first, _, _ := strings.Cut(example, "\n"); !strings.Contains(out[from:], "    "+first) {
				t.Errorf("%s is listed without a call:\n%s", f.Name, out[from:])
			}
		}
		for _, v := range f.Variants {
			if !strings.Contains(out[from:], "  variant "+v.Name+" for "+v.Models[0]) {
				t.Errorf("%s is listed without its variant %s:\n%s", f.Name, v.Name, out[from:])
			}
		}
	}
}

// A completion is parsed in every format by its name, also in those in which no model is asked.
func TestParseAccepted(t *testing.T) {
	request := write(t, "request.json", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}],
		"tools":[{"name":"book","input_schema":{"type":"object","properties":{"note":{"type":"string"}}}}]}`)
	text := write(t, "completion.txt", `<TOOLCALL>[{"name": "book", "arguments": {"note": "x"}}]</TOOLCALL>`)
	for format, call := range map[string]bool{"nemotron": true, "any": true, "legacy": false, "glm": false} {
		got := invocation{}.run(t, "parse", "--request", request, "--format", format, text)
		if got.code != 0 || strings.Contains(got.stdout, `"tool_use"`) != call {
			t.Errorf("%s:\n%s%s", format, got.stdout, got.stderr)
		}
	}
}
