package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"dragoman/cmd/dragoman/internal/eval"
	"dragoman/cmd/dragoman/internal/logging"
	"dragoman/translate"
)

// TestPages checks the data on the README and the pages of docs: requests, prompts, completions, answers,
// configurations and manifests. conformance/readme runs the programs on them.
func TestPages(t *testing.T) {
	want := map[string][]struct {
		languages string // of the blocks, in order
		hold      func(t *testing.T, blocks []string)
	}{
		"README.md":                        {{"json text xml json", holdExample}, {"yaml", holdExcerpt("../../deploy/sidecar/deployment.yaml")}},
		"docs/explanation/how-it-works.md": {{"json text xml json", holdExample}},
		"docs/reference/call-formats.md":   {{"xml", holdExampleCalls}, {strings.TrimSuffix(strings.Repeat("text ", len(formatExamples())), " "), holdFormats}},
		"docs/reference/configuration.md":  {{"yaml", holdConfiguration}, {"yaml", holdKeys}},
		"docs/reference/glossary.md":       {{"text", holdPicture}},
		"docs/start/local-server.md":       {{"yaml", holdConfiguration}},
		"docs/how-to/small-models.md":      {{"yaml", holdConfiguration}},
		"docs/how-to/local-fallback.md":    {{"yaml", holdConfiguration}},
		"docs/how-to/text-models.md":       {{"yaml", holdConfiguration}},
		"docs/explanation/raw-prompts.md":  {{"text", holdRawPrompt}},
		"docs/how-to/deployment.md":        {{"json", holdPolicy}},
		"docs/how-to/evaluation.md":        {{"json", holdLoop}},
		"docs/how-to/sizing.md":            {{"yaml", holdResources}},
		"docs/reference/log.md":            {{"text", holdConsole}},
		"docs/start/bedrock.md":            {{"yaml text", holdStart}},
		"docs/start/vertex.md":             {{"yaml text", holdStart}},

		"docs/start/imported-model.md":        {{"yaml", holdConfiguration}},
		"docs/how-to/telemetry.md":            {{"yaml", func(*testing.T, []string) {}}}, // a collector's, which conformance/telemetry runs
		"docs/explanation/guided-decoding.md": {{"yaml", holdConfiguration}, {"yaml", holdConfiguration}, {"json", holdQuestions}},
	}
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("there are no pages: %v", err)
	}
	for _, path := range append(pages, "../../README.md") {
		name := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		t.Run(name, func(t *testing.T) {
			languages, blocks := dataBlocks(t, path)
			if want[name] == nil && isFacts(t, path) {
				return
			}
			for _, block := range want[name] {
				n := len(strings.Fields(block.languages))
				if got := strings.Join(languages[:min(n, len(languages))], " "); got != block.languages {
					t.Fatalf("the next blocks are of %q, and not of %q", got, block.languages)
				}
				block.hold(t, blocks[:n])
				languages, blocks = languages[n:], blocks[n:]
			}
			for _, block := range blocks {
				t.Errorf("nothing holds this block:\n%s", block)
			}
		})
	}
}

// dataBlocks returns the blocks of a page that are not programs.
func dataBlocks(t *testing.T, path string) (languages, blocks []string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if slices.Contains([]string{"json", "text", "xml", "yaml"}, match[1]) {
			languages, blocks = append(languages, match[1]), append(blocks, match[2])
		}
	}
	return languages, blocks
}

// isFacts reports whether a page holds facts about the APIs and formats of others: comments cite its sections by number.
// Its blocks are not of Dragoman.
func isFacts(t *testing.T, path string) bool {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^## (?:\d|Findings)`).Match(page)
}

// elided is a line that stands for omitted lines.
const elided = "…\n"

// holdPicture checks the family, the format and the variant of a model in a picture.
func holdPicture(t *testing.T, blocks []string) {
	word := func(name string) string {
		match := regexp.MustCompile(`\b` + name + `: (\S+)`).FindStringSubmatch(blocks[0])
		if match == nil {
			t.Fatalf("the picture has no %s", name)
		}
		return match[1]
	}
	config := file(t, "dragoman.yaml", "upstreams: {local: {kind: openai, base_url: \"http://127.0.0.1:1/v1\"}}\nmodels: [{name: a, upstream: local, model: "+word("model")+"}]\n")
	want := word("format") + " (" + word("variant") + ", auto: family " + word("family") + ","
	if got := succeed(t, "models", "--config", config); !strings.Contains(got, want) {
		t.Errorf("the model is not asked in %s\n%s", want, got)
	}
}

// holdExample checks a request, its prompt, a completion, and its blocks.
func holdExample(t *testing.T, blocks []string) {
	request := file(t, "request.json", blocks[0])
	rendered := succeed(t, "render", "--text", request)
	rest := strings.TrimSpace(rendered) + "\n"
	for i, part := range strings.Split(blocks[1], elided) {
		at := strings.Index("\n"+rest, "\n"+part)
		if at < 0 || i == 0 && at > 0 {
			t.Fatalf("the request is rendered as\n%s\nwhich does not go on with\n%s", rendered, part)
		}
		rest = rest[at+len(part):]
	}
	if rest != "" {
		t.Errorf("behind the end of the prompt that the page shows, there is\n%s", rest)
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
	parsed := succeed(t, "parse", "--request", request, "--stop", "stop_sequence", file(t, "completion.xml", blocks[2]))
	if err := json.Unmarshal([]byte(parsed), &answer); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(blocks[3]), &want.Content); err != nil {
		t.Fatal(err)
	}
	if want.StopReason = "tool_use"; !reflect.DeepEqual(answer, want) {
		t.Errorf("the completion is parsed as\n%+v\nthe page says\n%+v", answer, want)
	}
}

// holdExampleCalls checks the example call in the prompt for the page's request, for models other than Claude.
func holdExampleCalls(t *testing.T, blocks []string) {
	_, all := dataBlocks(t, "../../docs/explanation/how-it-works.md")
	request := file(t, "request.json", strings.Replace(all[0], "claude-2.1", "a-model", 1))
	if rendered := succeed(t, "render", "--text", request); !strings.Contains(rendered, blocks[0]) {
		t.Errorf("the page shows\n%s\nwhich is not in\n%s", blocks[0], rendered)
	}
}

// holdFormats checks a call in each format, as formats lists it.
func holdFormats(t *testing.T, blocks []string) {
	for i, example := range formatExamples() {
		if blocks[i] != example {
			t.Errorf("a call is\n%s\nthe page has\n%s", example, blocks[i])
		}
	}
}

// formatExamples returns a call in each format, and in each variant with a different call.
func formatExamples() (all []string) {
	for _, f := range translate.AboutFormats() {
		all = append(all, examplesOf(f)...)
	}
	return all
}

// examplesOf returns the example calls of a format and its variants, each once.
func examplesOf(f translate.About) []string {
	all := []string{f.Example}
	for _, v := range f.Variants {
		if !slices.Contains(all, v.Example) {
			all = append(all, v.Example)
		}
	}
	return all
}

func holdConfiguration(t *testing.T, blocks []string) {
	succeed(t, "check", "--config", file(t, "dragoman.yaml", blocks[0]))
}

// holdQuestions lets `dragoman eval` read questions.
func holdQuestions(t *testing.T, blocks []string) {
	if _, err := eval.Load(file(t, "questions.jsonl", blocks[0])); err != nil {
		t.Error(err)
	}
}

// holdLoop lets `dragoman eval` read a loop, which the page shows on several lines.
func holdLoop(t *testing.T, blocks []string) {
	holdQuestions(t, []string{strings.ReplaceAll(blocks[0], "\n", " ")})
}

// holdRawPrompt checks the prompt of a model without tools, in the template that the page names.
func holdRawPrompt(t *testing.T, blocks []string) {
	config := file(t, "dragoman.yaml", `
upstreams: {local: {kind: openai, base_url: "http://127.0.0.1:8000/v1"}}
models: [{name: tuned, upstream: local, wire: prompt, family: qwen2.5}]
`)
	request := file(t, "request.json", `{"model":"tuned","max_tokens":10,"system":"Be brief.","messages":[{"role":"user","content":"Weather in Oslo?"}]}`)
	if got := succeed(t, "render", "--text", "--config", config, request); strings.TrimSpace(got) != strings.TrimSpace(blocks[0]) {
		t.Errorf("the prompt is\n%s\nand the page has\n%s", got, blocks[0])
	}
}

// holdStart checks that check prints what the page shows about the configuration, except for the calls.
func holdStart(t *testing.T, blocks []string) {
	said := succeed(t, "check", "--config", file(t, "dragoman.yaml", blocks[0]))
	for line := range strings.Lines(blocks[1]) {
		if !strings.HasPrefix(line, "online ") && !strings.Contains(said, line) {
			t.Errorf("check does not say %q:\n%s", line, said)
		}
	}
}

func holdKeys(t *testing.T, blocks []string) {
	content := strings.Replace(blocks[0], "/run/secrets/laptop", file(t, "laptop", "a-key-from-a-file\n"), 1)
	said := succeed(t, "check", "--simulated", "--config", file(t, "dragoman.yaml", content))
	if !strings.Contains(said, "authentication with keys: 2") {
		t.Errorf("check says\n%s", said)
	}
}

// holdConsole checks log lines for people.
func holdConsole(t *testing.T, blocks []string) {
	var want strings.Builder
	for _, line := range []string{
		`{"level":"info","dialect":"messages","path":"/v1/messages","model":"claude-2.1","status":200,"input_tokens":312,"output_tokens":58,"tool_calls":1,"stop_reason":"tool_use","duration_ms":812,"msg":"exchange"}`,
		`{"level":"info","dialect":"messages","path":"/v1/messages","model":"gpt-9","status":404,"error_type":"not_found_error","error":"no model of this name is configured","duration_ms":0.3,"request_id":"req_018F2","msg":"exchange"}`,
	} {
		if _, err := logging.Console(&want, false).Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	times := regexp.MustCompile(`(?m)^\S+ `)
	if got, want := times.ReplaceAllString(blocks[0], ""), times.ReplaceAllString(want.String(), ""); got != want {
		t.Errorf("the log has\n%s\nand the page\n%s", want, got)
	}
}

// holdPolicy checks that an AWS identity policy is valid, and allows what a Bedrock upstream calls.
func holdPolicy(t *testing.T, blocks []string) {
	var policy struct {
		Version   string
		Statement []struct {
			Effect           string
			Action, Resource []string
		}
	}
	decoder := json.NewDecoder(strings.NewReader(blocks[0]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&policy); err != nil {
		t.Fatal(err)
	}
	allowed := policy.Statement[0]
	if want := []string{"bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"}; policy.Version != "2012-10-17" || allowed.Effect != "Allow" || !slices.Equal(allowed.Action, want) {
		t.Errorf("the policy is %+v", policy)
	}
	for _, resource := range allowed.Resource {
		if !regexp.MustCompile(`^arn:aws:bedrock:[a-z0-9*-]+:\d*:(foundation-model|inference-profile)/[a-z0-9.:-]+$`).MatchString(resource) {
			t.Errorf("%s is no model", resource)
		}
	}
}

// holdResources checks that a block has a container's requests and limits.
func holdResources(t *testing.T, blocks []string) {
	var values struct {
		Resources struct{ Requests, Limits struct{ CPU, Memory string } }
	}
	decoder := yaml.NewDecoder(strings.NewReader(blocks[0]))
	decoder.KnownFields(true)
	if err := decoder.Decode(&values); err != nil {
		t.Fatal(err)
	}
	if r := values.Resources; r.Requests.CPU == "" || r.Requests.Memory == "" || r.Limits.Memory == "" {
		t.Errorf("%+v", r)
	}
}

// holdExcerpt checks that each part of a block is in a file, perhaps with more indentation.
func holdExcerpt(path string) func(t *testing.T, blocks []string) {
	return func(t *testing.T, blocks []string) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(blocks[0], elided) {
			found := false
			for indent := 0; indent < 20 && !found; indent++ {
				moved := regexp.MustCompile("(?m)^").ReplaceAllString(strings.TrimSuffix(part, "\n"), strings.Repeat(" ", indent))
				found = strings.Contains("\n"+string(whole), "\n"+moved+"\n")
			}
			if !found {
				t.Errorf("%s does not have\n%s", path, part)
			}
		}
	}
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// examples is the environment that the pages' examples need.
func examples(name string) string {
	return map[string]string{"DRAGOMAN_KEY": "a-key-for-the-pages", "CI_KEY": "another-key-for-the-pages"}[name]
}

// succeed runs a command that must exit with 0 and returns its output.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, examples); code != 0 {
		t.Fatalf("dragoman %s: exit %d: %s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String()
}
