package main

import (
	"strconv"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Every format is listed with its name and a call, in the same order as elsewhere, and with the format that auto asks its
// models in.
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
		about, _, _ := strings.Cut(out[from:], "\n\n")
		for _, model := range f.Models {
			asked := translate.ChooseFormat(model).Format
			if _, said, found := strings.Cut(about, "auto asks in "); found != (asked != f.Name) || found && !strings.HasPrefix(said, asked+"\n") {
				t.Errorf("auto asks %s in %s, but the list says:\n%s", model, asked, about)
			}
		}
		for _, example := range examplesOf(f) {
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

// With --slips, every reason is listed with its sentence, and slips in tags with an example.
func TestListSlips(t *testing.T) {
	got := invocation{}.run(t, "formats", "--slips")
	for _, reason := range messages.Reasons()[1:] { // all but none
		if want := "\n" + reason.String() + "\n  " + reason.About() + "\n"; !strings.Contains("\n"+got.stdout, want) {
			t.Errorf("%q is missing:\n%s", want, got.stdout)
		}
	}
	if want := "    <parameter name=\"a\">1</a>\n"; !strings.Contains(got.stdout, want) {
		t.Errorf("the example of wrong_closer is missing:\n%s", got.stdout)
	}
	if want := "\n  kimi: the marker before the input is missing:\n    <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0{"; strings.Count(got.stdout, want) != 1 {
		t.Errorf("the example of missing_separator in kimi is missing:\n%s", got.stdout)
	}
}

// Every chat template is listed with the format in which it writes calls.
func TestListChatTemplates(t *testing.T) {
	_, out, ok := strings.Cut(invocation{}.run(t, "formats").stdout, "\nchat templates\n")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	about := translate.AboutChatTemplates()
	if !ok || len(lines) != len(about) {
		t.Fatalf("%d templates are listed, and there are %d:\n%s", len(lines), len(about), out)
	}
	for i, a := range about {
		if words := strings.Fields(lines[i]); words[0] != a.Name || a.Format != "" && !strings.Contains(lines[i], " in "+a.Format) {
			t.Errorf("%s is listed as %q", a.Name, lines[i])
		}
	}
}

// A completion can be parsed in every format by name, including formats that prompts do not use.
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

// If a server opens thinking in the template, a call before the closing tag of thinking is part of the thinking.
func TestParseThinking(t *testing.T) {
	const request = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}],` +
		`"tools":[{"name":"book","input_schema":{"type":"object","properties":{"note":{"type":"string"}}}}]}`
	const answer = `I could <tool_call>book<arg_key>note</arg_key><arg_value>x</arg_value></tool_call></think>`
	for _, tt := range []struct {
		thinking string
		call     bool
	}{{"", false}, {"maybe", false}, {"open", false}, {"marked", true}} {
		args := []string{"parse", "--request", write(t, "request.json", request), "--format", "glm"}
		line := `{"request":` + request + `,"completion":` + strconv.Quote(answer)
		if tt.thinking != "" {
			args, line = append(args, "--thinking", tt.thinking), line+`,"thinking":"`+tt.thinking+`"`
		}
		one := invocation{}.run(t, append(args, write(t, "completion.txt", answer))...)
		lines := invocation{stdin: line + "}\n"}.run(t, "parse", "--jsonl", "--format", "glm")
		if strings.Contains(one.stdout, `"tool_use"`) != tt.call || strings.Contains(lines.stdout, `"tool_use"`) != tt.call || one.code+lines.code != 0 {
			t.Errorf("%q:\n%s%s%s%s", tt.thinking, one.stdout, one.stderr, lines.stdout, lines.stderr)
		}
	}
}
