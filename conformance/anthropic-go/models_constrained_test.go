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

// choice returns the tool_choice that forces a call. It allows several calls only if the question expects several: a
// small model that may go on calling does so until max_tokens.
func (q *constrainedQuestion) choice() map[string]any {
	return map[string]any{"type": "any", "disable_parallel_tool_use": !strings.Contains(q.ID, "parallel")}
}

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

// ways are the ways to force a call: the name of a model entry, and whether the answer streams. The last one sends no
// constraint, for comparison.
var ways = []struct {
	model  string
	stream bool
}{{"completions", false}, {"completions", true}, {"chat", false}, {"chat", true}, {"off", true}}

// testConstrained forces a call for each question with constrain: require, in each format, over chat and completions,
// streamed and not. If max_tokens does not cut the answer, it must have complete calls of offered tools, with inputs that
// fit the schemas. With constrain_auto, it asks the questions that no tool fits, which the model may answer with text or
// with a call.
func (s *modelServer) testConstrained(t *testing.T) {
	questions := constrainedQuestions(t)
	for _, format := range strings.FieldsFunc(cmp.Or(os.Getenv("DRAGOMAN_MODELS_FORMATS"), "auto"), func(r rune) bool { return r == ',' }) {
		t.Run(format, func(t *testing.T) {
			r := constrainedRun{client: newClient(t, conformance.Serve(t, nil, "--config", conformance.WriteConfig(t, fmt.Sprintf(`
upstreams:
  real: {kind: openai, base_url: %q}
models:
  - {name: chat, upstream: real, model: %q, format: %q, constrain: require}
  - {name: completions, upstream: real, model: %[2]q, format: %[3]q, wire: prompt, constrain: require}
  - {name: free, upstream: real, model: %[2]q, format: %[3]q, wire: prompt, constrain: try, constrain_auto: true}
  - {name: off, upstream: real, model: %[2]q, format: %[3]q, wire: prompt}
`, s.url, s.model, format)))), taken: make([]pace, len(ways))}
			for i := range questions {
				r.force(t, &questions[i])
				if questions[i].fitsNone() {
					r.ask(t, &questions[i])
				}
			}
			for j, way := range ways {
				t.Logf("%s, stream %t: of %d answers %s", way.model, way.stream, len(questions), &r.taken[j])
			}
			t.Logf("free: of %d questions that no tool fits, %d were answered in text", r.free, r.texts)
		})
	}
}

// constrainedRun counts the answers in one format: by the ways of forced calls, and those of free choice.
type constrainedRun struct {
	client      anthropic.Client
	taken       []pace
	free, texts int
}

// force forces a call in each way. It asks again for one token, which the prompt does not delay: the server has it by then.
func (r *constrainedRun) force(t *testing.T, q *constrainedQuestion) {
	t.Helper()
	for j, way := range ways {
		taken := &r.taken[j]
		message, took, err := askConstrained(t, r.client, q, way.model, way.stream, q.choice(), constrainedTokens)
		if err == nil {
			taken.tokens += message.Usage.OutputTokens
			taken.all += took
			err = q.holds(message)
		}
		switch {
		case err == nil:
			taken.whole++
		case message.StopReason == anthropic.StopReasonMaxTokens:
			taken.cut++
		case way.model != "off":
			t.Errorf("%s, %s, stream %t: %v: %s", q.ID, way.model, way.stream, err, content(message))
		}
	}
	for j, way := range ways {
		if way.model == "chat" || !way.stream {
			continue
		}
		if _, took, err := askConstrained(t, r.client, q, way.model, way.stream, q.choice(), 1); err == nil {
			r.taken[j].first = append(r.taken[j].first, took)
		}
	}
}

// ask lets the model choose.
func (r *constrainedRun) ask(t *testing.T, q *constrainedQuestion) {
	t.Helper()
	message, _, err := askConstrained(t, r.client, q, "free", false, map[string]any{"type": "auto"}, constrainedTokens)
	if err != nil {
		t.Errorf("%s: %v", q.ID, err)
	}
	if r.free++; !slices.ContainsFunc(message.Content, func(b anthropic.ContentBlockUnion) bool { return b.Type == "tool_use" }) {
		r.texts++
	}
}

// constrainedTokens is the max_tokens of a question.
const constrainedTokens = 256

// pace counts the answers of one way that are complete and that max_tokens cut, their tokens and time, and has the times
// of answers of one token.
type pace struct {
	whole, cut int
	tokens     int64
	all        time.Duration
	first      []time.Duration
}

func (p *pace) String() string {
	text := fmt.Sprintf("%d are whole calls that fit, %d were cut; %d tokens in %.1f s", p.whole, p.cut, p.tokens, p.all.Seconds())
	if n := len(p.first); n > 0 {
		slices.Sort(p.first)
		text += fmt.Sprintf("; the first after %v (median, with the prompt in the server's cache)", p.first[n/2].Round(time.Millisecond))
	}
	return text
}

// askConstrained asks a question, and returns how long the answer took.
func askConstrained(t *testing.T, client anthropic.Client, q *constrainedQuestion, model string, stream bool, choice map[string]any, maxTokens int) (message anthropic.Message, took time.Duration, err error) {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"model": model, "max_tokens": maxTokens, "temperature": 0, "messages": q.Messages, "tools": q.Tools, "tool_choice": choice, "stream": stream,
	})
	if err != nil {
		t.Fatal(err)
	}
	options := append(slices.Clone(greedy[:1]), option.WithRequestBody("application/json", body), option.WithRequestTimeout(patience))
	began := time.Now()
	if !stream {
		answer, err := client.Messages.New(t.Context(), anthropic.MessageNewParams{}, options...)
		if err != nil {
			return message, 0, err
		}
		return *answer, time.Since(began), nil
	}
	events := client.Messages.NewStreaming(t.Context(), anthropic.MessageNewParams{}, options...)
	defer events.Close()
	for events.Next() {
		if err := message.Accumulate(events.Current()); err != nil {
			return message, 0, err
		}
	}
	return message, time.Since(began), events.Err()
}

// holds checks that the answer consists of complete calls of offered tools with inputs that fit.
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
