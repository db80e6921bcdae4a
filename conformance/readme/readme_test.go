// Package readme runs the programs in the project's README and its other pages as a reader would: the fenced
// blocks, against the dragoman binary. This folder pins the libraries that the programs import.
package readme

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dragoman/conformance/install"
)

// root is the folder of the README.
const root = "../.."

// kind is a kind of blocks: their language, and how they begin.
type kind struct {
	name, language, prefix string
	run                    func(t *testing.T, code string)
}

// kinds are the blocks that the tests run. A block belongs to the first kind that matches.
var kinds = []kind{
	{"curl", "sh", "curl ", runCurl},
	{"a release", "sh", "tag=", func(*testing.T, string) {}}, // TestRelease runs these, one after the other
	{"commands", "sh", "", runCommands},
	{"Python", "python", "import anthropic\n", runPython("12 degrees in Oslo")},
	{"OpenAI", "python", "import openai\n", runPython("get_weather {\"city\":\"Oslo\"}")},
	{"boto3", "python", "import boto3\n", runPython("get_weather {'city': 'Oslo'}")},
	{"Vertex AI", "python", "from anthropic import AnthropicVertex\n", runPython("get_weather {'city': 'Oslo'}")},
	{"TypeScript", "ts", "", runTypeScript},
	{"Go", "go", "", runGo},
}

// TestPages runs every program of the pages, except the runbook: see TestRunbook. A block without a kind is
// an error, and so is a kind without a block.
func TestPages(t *testing.T) {
	unseen := map[string]bool{}
	for _, kind := range kinds {
		unseen[kind.name] = true
	}
	for _, page := range pages(t) {
		if page == runbook {
			continue
		}
		t.Run(page, func(t *testing.T) {
			for _, b := range blocks(t, page) {
				i := slices.IndexFunc(kinds, func(k kind) bool {
					return b.language == k.language && strings.HasPrefix(b.code, k.prefix)
				})
				switch {
				case slices.Contains(data, b.language):
				case i < 0:
					t.Errorf("nothing runs this %s block:\n%s", b.language, b.code)
				default:
					delete(unseen, kinds[i].name)
					t.Run(kinds[i].name, func(t *testing.T) { kinds[i].run(t, b.code) })
				}
			}
		})
	}
	for name := range unseen {
		t.Errorf("no page has a block of the kind %q", name)
	}
}

// facts recognizes a page of facts about other projects: its sections are cited by number.
var facts = regexp.MustCompile(`(?m)^## (?:\d|Findings)`)

// pages returns the paths, below root, of all pages that can have programs, except docs/start, which
// TestStart walks. Pages of facts about other projects have none.
func pages(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/how-to/*.md", "docs/explanation/*.md", "docs/reference/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no page is %s: %v", pattern, err)
		}
		for _, path := range found {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !facts.Match(content) {
				paths = append(paths, filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(root+"/"))))
			}
		}
	}
	return paths
}

type block struct{ language, code string }

var (
	fenced = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	fence  = regexp.MustCompile("(?m)^ *(?:```|~~~)")
	// data are the languages of blocks that are not programs. The tests of cmd/dragoman check those blocks.
	data = []string{"json", "promql", "text", "xml", "yaml"}
)

// blocks returns the fenced blocks of a page, in their order.
func blocks(t *testing.T, page string) (found []block) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range fenced.FindAllStringSubmatch(string(content), -1) {
		found = append(found, block{language: match[1], code: match[2]})
	}
	if n := len(fence.FindAll(content, -1)); n != 2*len(found) {
		t.Errorf("%d lines begin or end a block, and %d blocks can be read", n, len(found))
	}
	return found
}

// samples are the files that commands read. Their text is the first block of a language in a page.
var samples = []struct{ name, page, language string }{
	{"request.json", "docs/explanation/how-it-works.md", "json"},
	{"completion.xml", "docs/explanation/how-it-works.md", "xml"},
	{"dragoman.yaml", "docs/reference/configuration.md", "yaml"},
}

// runCommands runs a block of commands, one a line. It does not run commands that build images, change
// clusters or take long, but checks them.
func runCommands(t *testing.T, code string) {
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		switch program, rest, _ := strings.Cut(line, " "); {
		case program == "make":
			install.Need(t, "make")
			install.Run(t, root, "bash", "-c", "make --dry-run "+rest)
		case strings.Contains(line, "./dragoman serve"):
			serve(t, line)
		case strings.HasPrefix(line, "./dragoman eval --base-url "), strings.HasPrefix(line, "./dragoman run --base-url "): // need a real server
			runDragoman(t, "./dragoman "+strings.Fields(line)[1]+` -h | grep -F "  `+strings.TrimPrefix(line, "./")+`"`)
		case program == "./dragoman":
			runDragoman(t, line)
		case strings.HasPrefix(line, "go build ") || strings.HasPrefix(line, "go install "):
			install.Run(t, root, "go", "list", line[strings.LastIndex(line, " ")+1:])
		case program == "go" || program == "cd":
			listTests(t, line)
		case program == "docker" && strings.HasPrefix(rest, "compose "):
			quoted(t, line, "deploy/compose/compose.yaml")
		case program == "helm":
			quoted(t, line, "deploy/helm/dragoman/values.yaml")
		case program == "docker":
			quoted(t, line, "Dockerfile")
		case program == "kubectl":
			quoted(t, line, "deploy/kubernetes/deployment.yaml")
		default:
			t.Errorf("nothing runs %q", line)
		}
	}
}

// runDragoman runs a command that ends by itself, beside the files of the pages.
func runDragoman(t *testing.T, line string) {
	t.Setenv("DRAGOMAN_KEY", "a-key-for-the-pages")
	folder := t.TempDir()
	link(t, folder)
	for _, sample := range samples {
		all := blocks(t, sample.page)
		i := slices.IndexFunc(all, func(b block) bool { return b.language == sample.language })
		if i < 0 {
			t.Fatalf("%s has no %s block", sample.page, sample.language)
		}
		write(t, folder, sample.name, all[i].code)
	}
	install.Run(t, folder, "bash", "-c", line)
}

var goTest = regexp.MustCompile(`^(?:cd (\S+) && )?go test (\.\S*)(?: -run (\S+)| -bench (\S+) -benchtime \d+x -count \d -run '\^\$')?(?: -update)?$`)

// listTests checks that a line which runs tests names tests that exist. It does not run them: one of them may be this
// test. It reads their files, because `go test -list` would compile and link every package.
func listTests(t *testing.T, line string) {
	parts := goTest.FindStringSubmatch(line)
	if parts == nil {
		t.Errorf("nothing runs %q", line)
		return
	}
	files := install.Run(t, filepath.Join(root, parts[1]), "go", "list", "-f",
		`{{range .TestGoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, parts[2])
	kind, pattern := "Test", strings.Trim(parts[3], "'")
	if parts[4] != "" {
		kind, pattern = "Benchmark", strings.Trim(parts[4], "'")
	}
	asked, function := regexp.MustCompile(pattern), regexp.MustCompile(`(?m)^func (`+kind+`\w*)\(`)
	for path := range strings.FieldsSeq(files) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range function.FindAllStringSubmatch(string(content), -1) {
			if asked.MatchString(match[1]) {
				return
			}
		}
	}
	t.Errorf("%q runs no test", line)
}

// quoted checks that a command is quoted in a comment of a file, and that the paths it applies exist.
func quoted(t *testing.T, line, path string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), "\n#   "+line+"\n") {
		t.Errorf("no comment in %s says %q", path, line)
	}
	if _, applied, found := strings.Cut(line, "kubectl apply -f "); found {
		manifests, err := filepath.Glob(filepath.Join(root, applied, "*.yaml"))
		if err != nil || len(manifests) == 0 {
			t.Errorf("%q: no manifest is in %s (%v)", line, applied, err)
		}
	}
}
func runCurl(t *testing.T, code string) {
	install.Need(t, "curl")
	output := install.Run(t, t.TempDir(), "bash", "-c", simulated(t, code))
	contains(t, output, `"name":"get_weather"`, "event: message_stop")
	contains(t, input(t, output), "Oslo")
}

// input joins the pieces of a call's input in a stream of events, because any word may be split.
func input(t *testing.T, events string) string {
	t.Helper()
	var joined strings.Builder
	for line := range strings.Lines(events) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var event struct {
			Delta struct {
				PartialJSON string `json:"partial_json"`
			} `json:"delta"`
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		joined.WriteString(event.Delta.PartialJSON)
	}
	return joined.String()
}

// runPython runs a program and checks its output.
func runPython(want string) func(t *testing.T, code string) {
	return func(t *testing.T, code string) {
		python := install.Python(t, "requirements.txt")
		folder := t.TempDir()
		write(t, folder, "program.py", simulated(t, code))
		contains(t, install.Run(t, folder, python, "program.py"), want)
	}
}

func runTypeScript(t *testing.T, code string) {
	packages := install.Node(t, ".")
	folder := t.TempDir()
	install.Copy(t, folder, "package.json", "tsconfig.json")
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "program.ts", simulated(t, code))
	install.Run(t, folder, "node", filepath.Join("node_modules", "typescript", "bin", "tsc"))
	contains(t, install.Run(t, folder, "node", "program.js"), "get_weather", "Oslo")
}

func runGo(t *testing.T, code string) {
	folder := t.TempDir()
	write(t, folder, "main.go", simulated(t, code))
	contains(t, install.Run(t, ".", "go", "run", filepath.Join(folder, "main.go")), "tool_use get_weather", "Oslo")
}

// simulated is the code of a client with the address of a new server in place of the address that it shows.
func simulated(t *testing.T, code string) string {
	t.Helper()
	const address = "http://127.0.0.1:8484"
	if strings.Count(code, address) != 1 {
		t.Fatalf("the program does not name %s once:\n%s", address, code)
	}
	return strings.Replace(code, address, serve(t, "./dragoman serve --simulated"), 1)
}

func contains(t *testing.T, output string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(output, text) {
			t.Errorf("the output has no %q:\n%s", text, output)
		}
	}
}

func write(t *testing.T, folder, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
