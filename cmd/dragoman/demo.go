package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// demoCommand is `dragoman demo`.
func demoCommand() command {
	return command{
		name:  "demo",
		brief: "show one streamed tool conversation, from request to answer",
		about: `
Starts the server on a free loopback port with the built-in simulated model, holds one streamed
conversation with a tool over HTTP, and prints each step: the request, the prompt it became, what the
model wrote, and the events the client got. It needs no account and no network, and reads no configuration.`,
		setup: func(*flagSet) action {
			return func(ctx context.Context, p process, _ []string) error { return demo(ctx, p.stdout) }
		},
	}
}

// demoQuestion is what the user of the demo asks.
const demoQuestion = "What is the weather in Lisbon?"

// demoTools is the tools member of the request: one tool, which fits the question.
var demoTools = jsontext.Value(`[{
	"name": "get_weather",
	"description": "Get the current weather in a given city.",
	"input_schema": {
		"type": "object",
		"properties": {
			"city": {"type": "string", "description": "The name of the city"},
			"unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}
		},
		"required": ["city"]
	}
}]`)

// demoResult is what the tool returns. The client of the demo runs nothing.
const demoResult = "21 degrees celsius, sunny"

// demo serves the simulated model on a free port and holds the conversation. It has no
// environment, so that no configuration of the user's changes it.
func demo(ctx context.Context, w io.Writer) error {
	model := &recorder{Upstream: simulated.New()}
	cfg, err := config.Load(config.Source{
		Listen:      config.Override{Value: "127.0.0.1:0"},
		AdminListen: config.Override{Value: "127.0.0.1:0"},
		Simulated:   true,
		Getenv:      func(string) string { return "" },
	})
	if err != nil {
		return err
	}
	server, err := newProxy(cfg, map[string]proxy.Upstream{config.Simulated: model}, metrics.New(build().Version), zerolog.Nop())
	if err != nil {
		return err
	}
	site, err := open(ctx, newLive(cfg, server, nil), zerolog.Nop())
	if err != nil {
		return err
	}
	site.serve()
	c := demoClient{url: site.url() + "/v1/messages", model: model, out: w}
	return errors.Join(c.run(ctx), site.close(context.Background(), farewell))
}

// demoClient is the client of the demo's server. It prints each step.
type demoClient struct {
	url    string
	model  *recorder
	out    io.Writer
	prompt string // of the last request; "" before the first
}

// run asks the question, runs the tool that the model calls, and sends its result.
func (c *demoClient) run(ctx context.Context) error {
	fmt.Fprintln(c.out, "Dragoman demo: a real server on a loopback port, and a simulated model: a built-in program that reads\nthe prompt and answers in the legacy XML, as a model without a tool API would.")
	fmt.Fprintln(c.out, "\n################ turn 1: the question ################")
	request := demoRequest{
		Model: "claude-2.1", MaxTokens: 1024, Stream: true, Tools: demoTools,
		Messages: []demoTurn{{"user", demoQuestion}},
	}
	answer, err := c.roundTrip(ctx, request)
	if err != nil {
		return err
	}
	call := answer.toolUse()
	if call == nil {
		return errors.New("demo: the simulated model called no tool")
	}
	fmt.Fprintln(c.out, "\n################ turn 2: the client has run the tool and sends the result ################")
	request.Messages = append(request.Messages,
		demoTurn{"assistant", answer.blocks},
		demoTurn{"user", []demoBlock{{Type: "tool_result", ToolUseID: call.ID, Content: demoResult}}})
	if answer, err = c.roundTrip(ctx, request); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, `
################ in short ################

asked     %s
called    %s(%s)
found     %s
answered  %s

Next: dragoman serve --simulated, and point a client of the Messages API at it.
`, demoQuestion, call.Name, call.Input, demoResult, answer.text())
	return err
}

// roundTrip sends one request, prints what becomes of it, and returns the answer.
func (c *demoClient) roundTrip(ctx context.Context, r demoRequest) (*demoMessage, error) {
	body, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	c.section("the client sends: POST "+c.url, string(body))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Anthropic-Version", messages.Version20230601)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	stream, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("demo: %s: %s", response.Status, stream)
	}
	prompt, completion := c.model.last()
	c.section("the model is asked", c.sincePrompt(prompt))
	c.section("the model writes (raw completion)", completion)
	c.section("the client receives (events)", string(stream))
	return readMessage(stream)
}

// section prints a text under a title.
func (c *demoClient) section(title, text string) {
	fmt.Fprintf(c.out, "\n======== %s ========\n\n%s\n", title, strings.Trim(text, "\n"))
}

// sincePrompt returns what a prompt has beyond that of the request before, so that the
// preamble is printed once. It returns all of a prompt that does not begin as that one.
func (c *demoClient) sincePrompt(prompt string) string {
	before := c.prompt
	c.prompt = prompt
	if rest, ok := strings.CutPrefix(prompt, strings.TrimSuffix(before, "\n\nAssistant:")); ok && before != "" {
		return "(as before, and then)\n" + rest
	}
	return prompt
}

// recorder is an upstream that remembers the last prompt and the last completion: what a
// client never sees, and the demo is about.
type recorder struct {
	proxy.Upstream

	mu         sync.Mutex
	prompt     string
	completion strings.Builder
}

// Invoke remembers the prompt at once, and the completion while it is written.
func (r *recorder) Invoke(ctx context.Context, model upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	r.mu.Lock()
	r.prompt = p.Text()
	r.completion.Reset()
	r.mu.Unlock()
	return func(yield func(translate.Chunk, error) bool) {
		for chunk, err := range r.Upstream.Invoke(ctx, model, p) {
			r.mu.Lock()
			r.completion.WriteString(chunk.Text)
			if chunk.StopSequence != "" {
				fmt.Fprintf(&r.completion, "\n[stopped at %s]", chunk.StopSequence)
			}
			r.mu.Unlock()
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// last returns the last prompt, and its completion so far.
func (r *recorder) last() (prompt, completion string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.prompt, r.completion.String()
}
