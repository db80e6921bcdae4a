package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
)

func TestDemoVerbose(t *testing.T) {
	got := invocation{}.run(t, "demo", "--verbose")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	for _, want := range []string{
		`"stream": true`,
		"<tool_description>\n<tool_name>get_weather</tool_name>",
		"<invoke>\n<tool_name>get_weather</tool_name>",
		"event: content_block_start",
		`"partial_json":`,
		"<function_results>",
		"event: message_stop",
		`called    get_weather({"city":"Lisbon"})`,
		"simulated",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in:\n%s", want, got.stdout)
		}
	}
}

// Over the wire of raw prompts, the demo shows the prompt as the model's string. Everything else is the same.
func TestDemoRawPrompt(t *testing.T) {
	got := invocation{}.run(t, "demo", "--wire", "prompt", "--verbose")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	for _, want := range []string{
		"in the format json,",
		"<|im_start|>user\nWhat is the weather in Lisbon?\nIf this needs several calls, write all of them, one after another.<|im_end|>\n<|im_start|>assistant\n\n========",
		"<tool_response>\n21 degrees celsius, sunny\n</tool_response><|im_end|>\n<|im_start|>assistant\n\n========",
		`called    get_weather({"city":"Lisbon"})`,
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in:\n%s", want, got.stdout)
		}
	}
	if got := (invocation{}).run(t, "demo", "--wire", "prompt", "--format", "glm"); !strings.Contains(got.stdout, "<arg_key>city</arg_key>") {
		t.Errorf("got %s%s", got.stderr, got.stdout)
	}
}

// The demo and its prompt fit on one screen of the smallest terminal.
func TestDemo(t *testing.T) {
	pieces := regexp.MustCompile(`(?m)^(.*(text|input) +)\S.*$`) // the network decides where they are cut
	want := `Dragoman demo: a real server, and a simulated model. It only completes text.
The client asks, with a tool that it has: get_weather
  What is the weather in Lisbon?

The model is asked in text, of 39 lines, where there is
  <tool_name>get_weather</tool_name>
  Human: What is the weather in Lisbon?

It writes                                 The client receives, meanwhile
  [simulated] I will call get_weather.    text      …
  <function_calls>
  <invoke>
  <tool_name>get_weather</tool_name>      tool_use  get_weather
  <parameters>
  <city>Lisbon</city>                     input     …
  </parameters>
  </invoke>
  [stopped at </function_calls>]          stop      tool_use

The client runs the tool, and sends its result. The model is asked again
  [simulated] The tool get_weather returned: 21 degrees celsius, sunny

Next: dragoman serve --simulated    All of this: dragoman demo --verbose
`
	got := invocation{}.run(t, "demo")
	if diff := cmp.Diff(want, pieces.ReplaceAllString(got.stdout, "$1…")); diff != "" || got.code != 0 || got.stderr != "" {
		t.Errorf("exit code %d, %s(-want +got):\n%s", got.code, got.stderr, diff)
	}
	if input := regexp.MustCompile(`input +(\S+)\n`).FindStringSubmatch(got.stdout); input == nil || strings.ReplaceAll(input[1], "·", "") != `{"city":"Lisbon"}` {
		t.Errorf("the input is %q", input)
	}
}

// In each format the client gets the same blocks, and everything fits on one screen.
func TestDemoFormats(t *testing.T) {
	for _, format := range translate.Formats() {
		t.Run(format, func(t *testing.T) {
			got := invocation{}.run(t, "demo", "--format", format)
			_, beside, _ := strings.Cut(got.stdout, "meanwhile\n")
			var blocks []string
			for line := range strings.Lines(beside) {
				if fields := strings.Fields(strings.TrimPrefix(line, "  [simulated] I will call get_weather.")); len(fields) > 1 {
					blocks = append(blocks, strings.ReplaceAll(strings.Join(fields[len(fields)-2:], " "), "·", ""))
				}
				if line == "\n" {
					break
				}
			}
			for _, want := range []string{"tool_use get_weather", `input {"city":"Lisbon"}`, "stop tool_use"} {
				if !slices.Contains(blocks, want) {
					t.Errorf("%q is not in %q", want, blocks)
				}
			}
			if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, " returned: "+demoResult+"\n") {
				t.Errorf("exit code %d, %s:\n%s", got.code, got.stderr, got.stdout)
			}
			if n := strings.Count(got.stdout, "\n"); n > 23 {
				t.Errorf("%d lines", n)
			}
			for line := range strings.Lines(got.stdout) {
				if utf8.RuneCountInString(line) > screenWidth+1 {
					t.Errorf("longer than a line of a terminal: %s", line)
				}
			}
		})
	}
}

// Only terminals with colours get colours, and colours take no room.
func TestDemoColours(t *testing.T) {
	for _, env := range []string{"TERM=xterm", "TERM=dumb", "NO_COLOR=1"} {
		command := onTerminal(t, os.Args[0], "TEST_DRAGOMAN_ARGS=demo", env)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := strings.Contains(string(out), "\x1b[33m<city>\x1b[0m\x1b[32mLisbon\x1b[0m"); got != (env == "TERM=xterm") || !strings.Contains(plain(string(out)), "<city>Lisbon</city>                     input") {
			t.Errorf("%s: colours %v:\n%s", env, got, out)
		}
	}
}
