package readme

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dragoman/conformance/install"
	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// walk follows a page for beginners, with a server that plays the program that the page installs.
type walk struct {
	t      *testing.T
	folder string
	env    []string // for the commands
	url    string   // of dragoman, after the page has started it
}

// TestStart follows each page of docs/start from its first command to its last. Then it runs the program of
// the README, which the page leads to.
func TestStart(t *testing.T) {
	chat, bedrock, vertex := upstreamtest.NewChat(qwen), upstreamtest.NewBedrock(qwen), upstreamtest.NewVertex(qwen)
	chat.Models = upstreamtest.Listing{"qwen2.5-coder:1.5b"}
	bedrock.Imports = map[string]*upstreamtest.Import{
		"arn:aws:bedrock:us-east-1:111122223333:imported-model/abcdefghijkl": {Architecture: "qwen2", Created: time.Now(), Formats: []string{upstreamtest.FormatCompletion}},
	}
	server, aws, google := httptest.NewServer(chat), httptest.NewServer(bedrock), httptest.NewServer(vertex)
	t.Cleanup(func() { server.Close(); aws.Close(); google.Close() })
	account := []string{"AWS_ENDPOINT_URL=" + aws.URL, "AWS_ACCESS_KEY_ID=" + upstreamtest.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + upstreamtest.SecretAccessKey}
	for name, env := range map[string][]string{
		"demo":           nil,
		"local-server":   {"SERVER=" + server.URL + "/v1"},
		"bedrock":        account,
		"imported-model": account,
		"vertex":         {"GCE_METADATA_HOST=" + strings.TrimPrefix(google.URL, "http://")},
	} {
		t.Run(name, func(t *testing.T) {
			w := &walk{t: t, folder: t.TempDir(), env: append(env, "HOME="+t.TempDir())}
			link(t, w.folder)
			for _, b := range blocks(t, "docs/start/"+name+".md") {
				switch {
				case b.language == "yaml":
					write(t, w.folder, "dragoman.yaml", strings.Replace(b.code, "location:", "endpoint: "+google.URL+", location:", 1))
				case b.language == "text":
				case strings.HasPrefix(b.code, "curl "):
					w.curl(b.code)
				default:
					for line := range strings.Lines(b.code) {
						w.command(strings.TrimSpace(line))
					}
				}
			}
			w.readme()
		})
	}
}

// qwen plays a model of Qwen, which the pages use.
func qwen(_ string, p *translate.Prompt) upstreamtest.Completion {
	said, _ := json.Marshal(p) // cannot fail for a prompt
	switch text := string(said); {
	case strings.Contains(text, "shelf 7C"):
		return upstreamtest.Completion{Text: "The book is on shelf 7C."}
	case strings.Contains(text, "find_book"): // of `dragoman check`
		return upstreamtest.Completion{Text: `<tool_call>{"name": "find_book", "arguments": {"title": "Moby Dick"}}</tool_call>`}
	case strings.Contains(text, "12 degrees"):
		return upstreamtest.Completion{Text: "It is 12 degrees in Oslo."}
	case strings.Contains(text, "get_weather"):
		return upstreamtest.Completion{Text: `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`}
	}
	return upstreamtest.Completion{Text: "Hello."}
}

// others are programs that the pages install. The test does not run them.
var others = []string{"llama-server ", "OLLAMA_CONTEXT_LENGTH=16384 ollama ", "ollama ", "pip ", "vllm ", "lms ", "aws ", "gcloud ", "export SERVER="}

// command runs a line of the page.
func (w *walk) command(line string) {
	w.t.Helper()
	for _, other := range others {
		if strings.HasPrefix(line, other) {
			return
		}
	}
	switch {
	case strings.HasPrefix(line, "export "):
		w.env = append(w.env, strings.TrimPrefix(line, "export "))
	case strings.HasPrefix(line, "./dragoman serve "):
		line = strings.Replace(line, "--config dragoman.yaml", "--config "+w.folder+"/dragoman.yaml", 1)
		w.url = serveWith(w.t, line, w.env...).URL
	case line == "./dragoman demo":
		contains(w.t, w.run(line), "get_weather", "tool_use")
	case strings.HasPrefix(line, "./dragoman eval "):
		contains(w.t, w.run(line), "models:\n  - name: \"qwen2.5-coder:1.5b\"")
	case strings.HasPrefix(line, "./dragoman check "):
		if said := w.run(line); !strings.HasSuffix(said, "\nok\n") {
			w.t.Errorf("%s\n%s", line, said)
		}
	default:
		w.t.Errorf("nothing runs %q", line)
	}
}

// curl runs a block that asks dragoman. If the request offers a tool, the answer must be a call.
func (w *walk) curl(code string) {
	w.t.Helper()
	install.Need(w.t, "curl")
	said := w.run(strings.Replace(code, "http://127.0.0.1:8484", w.url, 1))
	switch {
	case strings.Contains(code, `"tools"`):
		contains(w.t, said, `"stop_reason":"tool_use"`, "Oslo")
	case strings.Contains(code, `"messages"`):
		contains(w.t, said, `"type":"message"`, `"type":"text"`)
	default:
		contains(w.t, said, "qwen2.5-coder:1.5b")
	}
}

// readme runs the program of the README.
func (w *walk) readme() {
	w.t.Helper()
	for _, b := range blocks(w.t, "README.md") {
		if b.language == "python" {
			python := install.Python(w.t, "requirements.txt")
			write(w.t, w.folder, "program.py", strings.Replace(b.code, "http://127.0.0.1:8484", w.url, 1))
			contains(w.t, w.run(python+" program.py"), "12 degrees in Oslo")
		}
	}
}

// run runs a command in the folder of the walk, and returns its output.
func (w *walk) run(line string) string {
	w.t.Helper()
	var exports strings.Builder
	for _, variable := range w.env {
		name, value, _ := strings.Cut(variable, "=")
		exports.WriteString("export " + name + "='" + value + "'\n")
	}
	return install.Run(w.t, w.folder, "bash", "-c", exports.String()+line)
}
