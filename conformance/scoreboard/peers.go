package scoreboard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"dragoman/conformance/install"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// peer is a parser.
type peer struct {
	name, release, from string
	parse               reader
}

// reader reads completions, and returns an answer for each.
type reader = func(t *testing.T, list []item) []answer

const (
	ours = "Dragoman"
	here = "this repository"
)

// peers are all parsers, in the order of the table. The release is empty for an unreleased parser.
var peers = []peer{
	{ours, "", here, dragoman},
	{"langchain-anthropic, ChatAnthropicTools", "0.1.4", "PyPI", python("langchain", "requirements-langchain.txt")},
	{"litellm, Bedrock", "1.53.1", "PyPI", python("litellm", "requirements-litellm.txt")},
	{"@langchain/anthropic, ChatAnthropicTools", "0.1.21", "npm", node("langchain")},
	{"@ai-sdk-tool/parser, qwen3Coder", "4.1.26", "npm", node("qwen3coder")},
	{"@ai-sdk-tool/parser, morphXml", "4.1.26", "npm", node("morphxml")},
	{"@ai-sdk-tool/parser, hermes", "4.1.26", "npm", node("hermes")},
	{"by hand: fast-xml-parser", "5.12.1", "npm", node("fast-xml-parser")},
	{"by hand: xml.etree", "", "Python", python("etree", "")},
	{"by hand: the cookbook's regular expressions", "", "Python", python("regexps", "")},
}

// writers are the parsers with a form of their own, in which they also write calls.
var writers = []peer{
	{ours + ", legacy", "", here, rewritten(translate.FormatLegacy)},
	{ours + ", attribute", "", here, rewritten(translate.FormatAttribute)},
	{ours + ", json", "", here, rewritten(translate.FormatJSON)},
	{"@ai-sdk-tool/parser, morphXml", "4.1.26", "npm", node("morphxml-own")},
	{"@ai-sdk-tool/parser, qwen3Coder", "4.1.26", "npm", node("qwen3coder-own")},
	{"@ai-sdk-tool/parser, hermes", "4.1.26", "npm", node("hermes-own")},
}

// python reads with a parser of peers.py, with the requirements of a file.
func python(name, requirements string) reader {
	return func(t *testing.T, list []item) []answer {
		interpreter := "python3"
		if requirements != "" {
			interpreter = install.Python(t, requirements)
		}
		install.Need(t, interpreter)
		return program(t, list, ".", interpreter, "peers.py", name)
	}
}

// node reads with a parser of peers.mjs.
func node(name string) reader {
	return func(t *testing.T, list []item) []answer {
		packages := install.Node(t, ".")
		beside := t.TempDir()
		install.Copy(t, beside, "peers.mjs", "package.json")
		if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(beside, "node_modules")); err != nil {
			t.Fatal(err)
		}
		return program(t, list, beside, "node", "peers.mjs", name)
	}
}

// crate reads with a parser of a crate, through the program in crates.
func crate(name string) func(parser string) reader {
	return func(parser string) reader {
		return func(t *testing.T, list []item) []answer {
			return program(t, list, ".", cratesProgram, name, parser)
		}
	}
}

// cratesProgram is the path of the program in crates, after a test has built it.
var cratesProgram string

// patience limits a parser's time for all completions of a corpus. Missing answers count as silent.
const patience = 2 * time.Minute

// program runs a parser on all completions and reads its output.
func program(t *testing.T, list []item, folder, name string, args ...string) []answer {
	t.Helper()
	var input bytes.Buffer
	for _, c := range list {
		line, err := json.Marshal(map[string]any{"completion": c.Completion, "closed": c.closed(), "tools": c.described(), "calls": c.meant()})
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = folder, install.Environment(), &input
	var errors bytes.Buffer
	cmd.Stderr = &errors
	output, err := cmd.Output()
	if err != nil && ctx.Err() == nil {
		t.Fatalf("%s: %v\n%s", cmd, err, errors.Bytes())
	}
	var answers []answer
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("%s printed %.200s", cmd, lines.Bytes())
		}
		for i, c := range a.Calls {
			switch {
			case c.JSON != "":
				a.Calls[i].Input = json.RawMessage(c.JSON)
			case c.Input == nil:
				a.Calls[i].Input = json.RawMessage("{}") // an empty text means no arguments
			}
		}
		answers = append(answers, a)
	}
	if len(answers) < len(list) && ctx.Err() == nil {
		t.Fatalf("%s answered %d of %d", cmd, len(answers), len(list))
	}
	return answers
}

// closed is the completion with its last tag, where the upstream stopped, for parsers that need it.
func (c *item) closed() string {
	if c.Stop == string(messages.StopSequence) && (c.StopSequence == "" || c.StopSequence == translate.CallsEnd) {
		return c.Completion + translate.CallsEnd
	}
	return c.Completion
}

// meant returns the expected calls, with their inputs as texts.
func (c *item) meant() []call {
	calls := []call{}
	for _, m := range c.Accepted[0] {
		calls = append(calls, call{Name: m.Name, JSON: string(m.Input)})
	}
	return calls
}

// described returns the tools with schemas that have properties, because some parsers fail without them.
func (c *item) described() []map[string]any {
	tools := []map[string]any{}
	for _, tool := range c.Tools {
		var schema map[string]any
		if json.Unmarshal(tool.InputSchema, &schema) == nil && schema["properties"] == nil {
			schema["properties"] = map[string]any{}
		}
		tools = append(tools, map[string]any{"name": tool.Name, "input_schema": schema})
	}
	return tools
}
