package agents

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"dragoman/conformance"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream/upstreamtest"
)

// The task: a file is read, mended, and looked at with a command, one call after another. Its text and
// the command have what markup gets wrong.
const (
	task   = "Mend the typo in greeting.txt, and copy the file to copy.txt."
	typo   = "Good mroning, <you> & \"you\"! ¿Qué tal? 早上好\n"
	mended = "Good morning, <you> & \"you\"! ¿Qué tal? 早上好\n"
	// prints is what the command prints, which stands nowhere in the command.
	shell  = `cat < greeting.txt > copy.txt && echo "copied $((6 * 7))" && wc -l < copy.txt`
	prints = "copied 42"
	done   = "The typo is mended, and copy.txt has <you> & 早上好."
)

// tools are the names that an agent has for a tool that reads a file, one that changes it and one that
// runs a command, each with the calls of the task.
type tools struct {
	read, edit, bash call
	mends            bool // the agent closes the JSON of a call that was cut, and runs the call
}

// call is a call as a model writes it. parameters are the elements within <parameters>, of which %s
// is the path of the file.
type call struct{ tool, parameters string }

// script is what the model writes.
type script struct {
	model   string   // its id on Bedrock
	mark    string   // what prompts of the task have, and no others
	answers []string // one after another
	added   []string // what the prompt for each of them has that those before had not
	cut     bool     // max_tokens cuts the first answer, which is a call
	mends   bool     // as in tools
}

// script has the file read, mended and copied by one call after another.
func (t tools) script(path string) script {
	return script{
		model:   claude,
		mark:    "<tool_name>" + t.edit.tool + "</tool_name>",
		answers: []string{"I look at it.\n\n" + t.read.write(path), t.edit.write(path), t.bash.write(path), done},
		// The task, the file as it was read, the edit, what the command printed.
		added: []string{task, strings.TrimSpace(typo), "morning", prints},
	}
}

// importedScript is script for the imported model, which writes calls as Qwen2.5 does.
func (t tools) importedScript(path string) script {
	s := t.script(path)
	s.model, s.mark = conformance.ImportedModel, `{"type": "function", "function": {"name": "`+t.edit.tool+`"`
	for i, c := range []call{t.read, t.edit, t.bash} {
		before, _, _ := strings.Cut(s.answers[i], "<function_calls>")
		s.answers[i] = before + "<tool_call>\n" + c.json(path) + "\n</tool_call>"
	}
	return s
}

// cutScript has the first part of the command written, which would copy the file.
func (t tools) cutScript(path string) script {
	half, _, _ := strings.Cut(t.bash.write(path), " && ")
	return script{model: claude, mark: "<tool_name>" + t.bash.tool + "</tool_name>", answers: []string{half, done}, cut: true, mends: t.mends}
}

// write is the call with the file's path.
func (c call) write(path string) string {
	parameters := strings.ReplaceAll(c.parameters, "%s", path)
	return "<function_calls>\n<invoke>\n<tool_name>" + c.tool + "</tool_name>\n<parameters>\n" + parameters + "\n</parameters>\n</invoke>\n</function_calls>"
}

// json is the call with the file's path as one JSON object. Each parameter is a string on a line of its own.
func (c call) json(path string) string {
	arguments := map[string]string{}
	for line := range strings.SplitSeq(c.parameters, "\n") {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "<"), ">")
		arguments[name] = strings.ReplaceAll(strings.TrimSuffix(value, "</"+name+">"), "%s", path)
	}
	data, _ := json.Marshal(map[string]any{"name": c.tool, "arguments": arguments}) // strings
	return string(data)
}

// claude is the model of the task.
const claude = "anthropic.claude-v2:1"

// site is where an agent does the task, and the model that tells it how.
type site struct {
	home, work, temporary string
	config                string // dragoman's, for whatever model an agent asks for
	script                script
	bedrock               *upstreamtest.Bedrock
	asked                 atomic.Int32 // for what is to be done next
}

var credentials = []string{"AWS_ACCESS_KEY_ID=" + upstreamtest.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + upstreamtest.SecretAccessKey}

// newSite makes the folders and starts the model, which does the task with the file at the path that does is given.
func newSite(t *testing.T, does func(path string) script) *site {
	t.Helper()
	s := &site{home: t.TempDir(), work: t.TempDir(), temporary: t.TempDir()}
	s.script = does(s.file("greeting.txt"))
	if err := os.WriteFile(s.file("greeting.txt"), []byte(typo), 0o600); err != nil {
		t.Fatal(err)
	}
	s.bedrock = upstreamtest.NewBedrock(s.complete)
	s.bedrock.Imports = conformance.Imports()
	server := httptest.NewServer(s.bedrock)
	t.Cleanup(server.Close)
	s.config = conformance.WriteConfig(t, fmt.Sprintf(`
upstreams:
  east: {kind: bedrock, region: us-east-1, endpoint: %q}
models:
  - {name: "*", upstream: east, model: %q}
`, server.URL, s.script.model))
	return s
}

// file is the path of a file in the folder of the task.
func (s *site) file(name string) string { return filepath.Join(s.work, name) }

// complete is the model. What agents ask for besides, such as a title, they ask without its mark.
func (s *site) complete(_ string, p *translate.Prompt) upstreamtest.Completion {
	completion := upstreamtest.Completion{Text: "A greeting", Fragment: 7}
	if s.isTask(p) {
		next := min(int(s.asked.Add(1)), len(s.script.answers))
		completion.Text = s.script.answers[next-1]
		if s.script.cut && next == 1 {
			completion.Stop = messages.StopMaxTokens
		}
	}
	return completion
}

// isTask reports whether a prompt is of the task.
func (s *site) isTask(p *translate.Prompt) bool { return strings.Contains(p.Text(), s.script.mark) }

// checkCut checks that the cut command was written, and run only by an agent that mends it.
func (s *site) checkCut(t *testing.T) {
	t.Helper()
	if s.asked.Load() == 0 {
		t.Error("the model was not asked")
	}
	if _, err := os.Stat(s.file("copy.txt")); (err == nil) != s.script.mends {
		t.Errorf("that the first part of the command was run is %v, want %v", err == nil, s.script.mends)
	}
}

// check checks that the task was done, that the answer tells so, and what the model was asked: once for
// each answer, each time with the results of the calls before.
func (s *site) check(t *testing.T, answer string) {
	t.Helper()
	for _, name := range []string{"greeting.txt", "copy.txt"} {
		if content, err := os.ReadFile(s.file(name)); err != nil || string(content) != mended {
			t.Errorf("%s has %q (%v), want %q", name, content, err, mended)
		}
	}
	if !strings.Contains(answer, done) {
		t.Errorf("the answer is %q, want %q in it", answer, done)
	}
	var prompts []string
	for _, request := range s.bedrock.Requests() {
		if s.isTask(request.Prompt) {
			prompts = append(prompts, strings.ReplaceAll(request.Prompt.Text(), `\"`, `"`)) // results may be JSON
		}
	}
	if len(prompts) != len(s.script.added) {
		t.Fatalf("the model was asked %d times, want %d", len(prompts), len(s.script.added))
	}
	for i, prompt := range prompts {
		for j, part := range s.script.added {
			if has := strings.Contains(prompt, part); has != (j <= i) {
				t.Errorf("that prompt %d has %q is %v:\n%s", i+1, part, has, prompt)
			}
		}
	}
}
