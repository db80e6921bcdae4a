package agents

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"dragoman/conformance"
	"dragoman/translate"
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
type tools struct{ read, edit, bash call }

// call is a call as a model writes it. parameters are the elements within <parameters>, of which %s
// is the path of the file.
type call struct{ tool, parameters string }

// site is where an agent does the task, and the model that tells it how.
type site struct {
	home, work, temporary string
	config                string // dragoman's, for whatever model an agent asks for
	tools                 tools
	bedrock               *upstreamtest.Bedrock
	asked                 atomic.Int32 // for what is to be done next
}

var credentials = []string{"AWS_ACCESS_KEY_ID=" + upstreamtest.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + upstreamtest.SecretAccessKey}

// newSite makes the folders and starts the model.
func newSite(t *testing.T, a agent) *site {
	t.Helper()
	s := &site{home: t.TempDir(), work: t.TempDir(), temporary: t.TempDir(), tools: a.tools}
	if err := os.WriteFile(s.file("greeting.txt"), []byte(typo), 0o600); err != nil {
		t.Fatal(err)
	}
	s.bedrock = upstreamtest.NewBedrock(s.complete)
	server := httptest.NewServer(s.bedrock)
	t.Cleanup(server.Close)
	s.config = conformance.WriteConfig(t, fmt.Sprintf(`
upstreams:
  east: {kind: bedrock, region: us-east-1, endpoint: %q}
models:
  - {name: "*", upstream: east, model: "anthropic.claude-v2:1"}
`, server.URL))
	return s
}

// file is the path of a file in the folder of the task.
func (s *site) file(name string) string { return filepath.Join(s.work, name) }

// complete is the model. What agents ask for besides, such as a title, they ask without tools.
func (s *site) complete(_ string, p *translate.Prompt) upstreamtest.Completion {
	text := "A greeting"
	if s.isTask(p) {
		switch s.asked.Add(1) {
		case 1:
			text = "I look at it.\n\n" + s.write(s.tools.read)
		case 2:
			text = s.write(s.tools.edit)
		case 3:
			text = s.write(s.tools.bash)
		default:
			text = done
		}
	}
	return upstreamtest.Completion{Text: text, Fragment: 7}
}

// isTask reports whether a prompt shows the model the tools of the task.
func (s *site) isTask(p *translate.Prompt) bool {
	return strings.Contains(p.Text(), "<tool_name>"+s.tools.edit.tool+"</tool_name>")
}

// write is a call with the file's path.
func (s *site) write(c call) string {
	parameters := strings.ReplaceAll(c.parameters, "%s", s.file("greeting.txt"))
	return "<function_calls>\n<invoke>\n<tool_name>" + c.tool + "</tool_name>\n<parameters>\n" + parameters + "\n</parameters>\n</invoke>\n</function_calls>"
}

// check checks that the task was done, that the answer tells so, and what the model was asked: once for
// each call and once more, each time with the results of the calls before.
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
			prompts = append(prompts, request.Prompt.Text())
		}
	}
	// What each prompt adds: the task, the file as it was read, the edit, what the command printed.
	added := []string{task, strings.TrimSpace(typo), "morning", prints}
	if len(prompts) != len(added) {
		t.Fatalf("the model was asked %d times, want %d", len(prompts), len(added))
	}
	for i, prompt := range prompts {
		for j, part := range added {
			if has := strings.Contains(prompt, part); has != (j <= i) {
				t.Errorf("that prompt %d has %q is %v:\n%s", i+1, part, has, prompt)
			}
		}
	}
}
