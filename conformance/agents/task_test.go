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

// The task: read a file, fix it, and look at it with a command, one call after another. Its text and the
// command contain characters that markup often breaks.
const (
	task   = "Mend the typo in greeting.txt, and copy the file to copy.txt."
	typo   = "Good mroning, <you> & \"you\"! ¿Qué tal? 早上好\n"
	mended = "Good morning, <you> & \"you\"! ¿Qué tal? 早上好\n"
	// prints is the output of the command. The command does not contain it.
	shell  = `cat < greeting.txt > copy.txt && echo "copied $((6 * 7))" && wc -l < copy.txt`
	prints = "copied 42"
	done   = "The typo is mended, and copy.txt has <you> & 早上好."
)

// tools are an agent's names for the tools that read a file, change a file and run a command, each with the
// calls of the task.
type tools struct {
	read, edit, bash call
	mends            bool // the agent closes the JSON of a cut call, and runs the call
}

// call is a call as a model writes it. parameters are the elements inside <parameters>; %s in them is the
// path of the file.
type call struct{ tool, parameters string }

// script says what the model writes.
type script struct {
	model   string   // the model's id on Bedrock
	mark    string   // a text that only prompts of the task contain
	answers []string // one for each request
	added   []string // texts that are new in the prompt for each answer
	cut     bool     // max_tokens cuts the first answer, which is a call
	mends   bool     // see tools
}

// script reads, fixes and copies the file, one call after another.
func (t tools) script(path string) script {
	return script{
		model:   claude,
		mark:    "<tool_name>" + t.edit.tool + "</tool_name>",
		answers: []string{"I look at it.\n\n" + t.read.write(path), t.edit.write(path), t.bash.write(path), done},
		// The task, the text of the file, the edit, the output of the command.
		added: []string{task, strings.TrimSpace(typo), "morning", prints},
	}
}

// importedScript is script for the imported model, which writes calls like Qwen2.5.
func (t tools) importedScript(path string) script {
	s := t.script(path)
	s.model, s.mark = conformance.ImportedModel, `{"type": "function", "function": {"name": "`+t.edit.tool+`"`
	for i, c := range []call{t.read, t.edit, t.bash} {
		before, _, _ := strings.Cut(s.answers[i], "<function_calls>")
		s.answers[i] = before + "<tool_call>\n" + c.json(path) + "\n</tool_call>"
	}
	return s
}

// cutScript writes only the first part of the command, which would copy the file.
func (t tools) cutScript(path string) script {
	half, _, _ := strings.Cut(t.bash.write(path), " && ")
	return script{model: claude, mark: "<tool_name>" + t.bash.tool + "</tool_name>", answers: []string{half, done}, cut: true, mends: t.mends}
}

// write returns the call with the path of the file.
func (c call) write(path string) string {
	parameters := strings.ReplaceAll(c.parameters, "%s", path)
	return "<function_calls>\n<invoke>\n<tool_name>" + c.tool + "</tool_name>\n<parameters>\n" + parameters + "\n</parameters>\n</invoke>\n</function_calls>"
}

// json returns the call with the path of the file as one JSON object. Each parameter is a string on its own
// line.
func (c call) json(path string) string {
	arguments := map[string]string{}
	for line := range strings.SplitSeq(c.parameters, "\n") {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "<"), ">")
		arguments[name] = strings.ReplaceAll(strings.TrimSuffix(value, "</"+name+">"), "%s", path)
	}
	data, _ := json.Marshal(map[string]any{"name": c.tool, "arguments": arguments}) // cannot fail: strings
	return string(data)
}

// claude is the model of the task.
const claude = "anthropic.claude-v2:1"

// site is the place where an agent does the task, and the model that tells it how.
type site struct {
	home, work, temporary string
	config                string // dragoman's configuration, for any model
	script                script
	bedrock               *upstreamtest.Bedrock
	asked                 atomic.Int32 // requests that belong to the task
}

var credentials = []string{"AWS_ACCESS_KEY_ID=" + upstreamtest.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + upstreamtest.SecretAccessKey}

// newSite creates the folders and starts the model. does gets the path of the file, and returns the model's
// script.
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

// complete is the model. Agents also ask for other texts, such as a title; those prompts lack the task's
// mark.
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

// isTask reports whether a prompt belongs to the task.
func (s *site) isTask(p *translate.Prompt) bool { return strings.Contains(p.Text(), s.script.mark) }

// checkCut checks that the model wrote the cut command, and that only an agent that closes cut calls ran it.
func (s *site) checkCut(t *testing.T) {
	t.Helper()
	if s.asked.Load() == 0 {
		t.Error("the model was not asked")
	}
	if _, err := os.Stat(s.file("copy.txt")); (err == nil) != s.script.mends {
		t.Errorf("first part of the command was run: %v, want %v", err == nil, s.script.mends)
	}
}

// check checks that the task was done, that the answer says so, and that the model was asked once for each
// answer, each time with the results of the calls before.
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
				t.Errorf("prompt %d contains %q: %v:\n%s", i+1, part, has, prompt)
			}
		}
	}
}
