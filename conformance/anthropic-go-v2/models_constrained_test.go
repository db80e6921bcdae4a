package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/conformance"
)

// constrainedQuestion is a question of BFCL in the form of the Messages API.
type constrainedQuestion struct {
	ID       string
	Messages json.RawMessage
	Tools    []constrainedTool
}

type constrainedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// fitsNone reports whether no tool fits the question.
func (q *constrainedQuestion) fitsNone() bool { return strings.Contains(q.ID, "irrelevance") }

// builtInQuestion is the question if the environment names no others.
var builtInQuestion = constrainedQuestion{"weather", json.RawMessage(`[{"role":"user","content":"What is the weather in Paris?"}]`), []constrainedTool{
	{"get_weather", "Returns the weather of a city as text.", json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)},
}}

// pythonTypes are the type names in the schemas of BFCL, and jsonTypes the same types in JSON Schema.
var (
	pythonTypes = regexp.MustCompile(`"type": *"(dict|float|tuple)"`)
	jsonTypes   = strings.NewReplacer("dict", "object", "float", "number", "tuple", "array")
)

// constrainedQuestions returns the questions of BFCL that the environment names, up to the limit in the
// environment.
func constrainedQuestions(t *testing.T) (list []constrainedQuestion) {
	t.Helper()
	for _, folder := range strings.Fields(os.Getenv("DRAGOMAN_MODELS_QUESTIONS")) {
		files, err := filepath.Glob(filepath.Join(folder, "BFCL_*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(pythonTypes.ReplaceAllStringFunc(string(data), jsonTypes.Replace)) {
				list = append(list, readConstrained(t, line))
			}
		}
	}
	if limit, _ := strconv.Atoi(os.Getenv("DRAGOMAN_MODELS_LIMIT")); limit > 0 {
		list = list[:min(limit, len(list))]
	}
	if list == nil {
		list = append(list, builtInQuestion)
	}
	return list
}

// readConstrained reads a line of BFCL.
func readConstrained(t *testing.T, line string) constrainedQuestion {
	t.Helper()
	var l struct {
		ID       string
		Question []json.RawMessage
		Function []struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(line), &l); err != nil || len(l.Question) != 1 {
		t.Fatalf("%s: %d turns, %v", l.ID, len(l.Question), err)
	}
	q := constrainedQuestion{ID: l.ID, Messages: l.Question[0]}
	for _, f := range l.Function {
		q.Tools = append(q.Tools, constrainedTool{strings.ReplaceAll(f.Name, ".", "_"), f.Description, f.Parameters})
	}
	return q
}

// testConstrained forces a call for each question with constrain: require, over chat and completions,
// streamed and not. Each answer must have a complete call of an offered tool with an input that fits the
// schema. With constrain_auto, it asks the questions that no tool fits, which the model may answer with text
// or with a call.
func (s *modelServer) testConstrained(t *testing.T) {
	client := newClient(t, conformance.Serve(t, nil, "--config", conformance.WriteConfig(t, fmt.Sprintf(`
upstreams:
  real: {kind: openai, base_url: %q}
models:
  - {name: chat, upstream: real, model: %q, constrain: require}
  - {name: completions, upstream: real, model: %[2]q, wire: prompt, constrain: require}
  - {name: free, upstream: real, model: %[2]q, wire: prompt, constrain: try, constrain_auto: true}
`, s.url, s.model))))
	questions := constrainedQuestions(t)
	for _, model := range []string{"chat", "completions"} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", model, stream), func(t *testing.T) {
				began, tokens := time.Now(), int64(0)
				for i := range questions {
					message, err := askConstrained(t, client, &questions[i], model, stream, `{"type":"any"}`)
					if err == nil {
						tokens += message.Usage.OutputTokens
						err = questions[i].holds(message)
					}
					if err != nil {
						t.Errorf("%s: %v: %s", questions[i].ID, err, content(message))
					}
				}
				t.Logf("%d questions in %.0f s, %d tokens", len(questions), time.Since(began).Seconds(), tokens)
			})
		}
	}
	t.Run("free", func(t *testing.T) {
		texts, all := 0, 0
		for i := range questions {
			if !questions[i].fitsNone() {
				continue
			}
			message, err := askConstrained(t, client, &questions[i], "free", false, `{"type":"auto"}`)
			if err != nil {
				t.Errorf("%s: %v", questions[i].ID, err)
			}
			if all++; !slices.ContainsFunc(message.Content, func(b anthropic.ContentBlockUnion) bool { return b.Type == "tool_use" }) {
				texts++
			}
		}
		t.Logf("of %d questions that no tool fits, %d were answered in text", all, texts)
	})
}

// askConstrained asks a question.
func askConstrained(t *testing.T, client anthropic.Client, q *constrainedQuestion, model string, stream bool, choice string) (message anthropic.Message, err error) {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"model": model, "max_tokens": 512, "temperature": 0, "messages": q.Messages, "tools": q.Tools, "tool_choice": json.RawMessage(choice), "stream": stream,
	})
	if err != nil {
		t.Fatal(err)
	}
	options := append(slices.Clone(greedy[:1]), option.WithRequestBody("application/json", body), option.WithRequestTimeout(patience))
	if !stream {
		answer, err := client.Messages.New(t.Context(), anthropic.MessageNewParams{}, options...)
		if err != nil {
			return message, err
		}
		return *answer, nil
	}
	events := client.Messages.NewStreaming(t.Context(), anthropic.MessageNewParams{}, options...)
	defer events.Close()
	for events.Next() {
		if err := message.Accumulate(events.Current()); err != nil {
			return message, err
		}
	}
	return message, events.Err()
}

// holds checks that the answer consists of calls of offered tools with inputs that fit. A call that
// max_tokens cut counts as an error.
func (q *constrainedQuestion) holds(message anthropic.Message) error {
	if len(message.Content) == 0 || message.StopReason != anthropic.StopReasonToolUse {
		return fmt.Errorf("stop_reason %q, %d blocks", message.StopReason, len(message.Content))
	}
	for _, b := range message.Content {
		i := slices.IndexFunc(q.Tools, func(tool constrainedTool) bool { return tool.Name == b.Name })
		if b.Type != "tool_use" || i < 0 {
			return fmt.Errorf("a block of type %s, of the tool %q", b.Type, b.Name)
		}
		if err := fitsSchema(q.Tools[i].InputSchema, b.Input); err != nil {
			return err
		}
	}
	return nil
}

// fitsSchema returns an error if a value is not valid under a schema.
func fitsSchema(schema, value json.RawMessage) error {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	input, failed := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err := cmp.Or(err, failed); err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tool.json", parsed); err != nil {
		return err
	}
	compiled, err := c.Compile("tool.json")
	if err != nil {
		return err
	}
	return compiled.Validate(input)
}
