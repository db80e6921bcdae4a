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
	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// demoCommand is `dragoman demo`.
func demoCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "show one streamed tool conversation, from request to answer",
		Long: `Starts the server on a free loopback port with the built-in simulated model, holds one streamed
conversation with a tool over HTTP, and shows on one screen what the model writes, and what the client
receives of it. It needs no account and no network, and reads no configuration. With --verbose it prints
all of each step: the request, the prompt it became, what the model wrote, and the events the client got.
The simulated model writes calls in any format, as the prompt shows them.`,
		Example: `  dragoman demo
  dragoman demo --format glm
  dragoman demo --verbose | less`,
		Args: atMost(0),
	}
	var format string
	oneOf(c, &format, "format", translate.Formats()[0], translate.Formats(), "ask the model for calls in the format `NAME`")
	verbose := c.Flags().Bool("verbose", false, "print requests, prompts and events in full")
	c.RunE = func(c *cobra.Command, _ []string) error { return demo(c.Context(), p, format, *verbose) }
	return c
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

// demo serves the simulated model on a free port, holds the conversation in a format and prints it. It
// has no environment but for the colours, so that no configuration of the user's changes it.
func demo(ctx context.Context, p process, format string, verbose bool) error {
	model := &recorder{Upstream: simulated.New()}
	cfg, err := config.Load(config.Source{
		Listen:      config.Override{Value: freePort},
		AdminListen: config.Override{Value: freePort},
		Simulated:   true,
		Getenv:      func(string) string { return "" },
	})
	if err != nil {
		return err
	}
	for i := range cfg.Models {
		cfg.Models[i].Format = format
	}
	server, err := newProxy(cfg, map[string]proxy.Upstream{config.Simulated: model}, metrics.New(build().Version), nil, zerolog.Nop())
	if err != nil {
		return err
	}
	site, err := open(ctx, newLive(cfg, server, nil), zerolog.Nop())
	if err != nil {
		return err
	}
	site.serve()
	c := demoClient{url: site.url(loopback) + "/v1/messages", format: format, model: model}
	err = errors.Join(c.run(ctx), site.close(context.Background(), farewell))
	if err != nil {
		return err
	}
	text := c.screen(painter(p.colours() && isTerminal(p.stdout)))
	if verbose {
		text = c.transcript()
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

// demoClient is the client of the demo's server.
type demoClient struct {
	url, format string
	model       *recorder
	steps       []demoStep
}

// demoStep is one request of the demo, and what came of it.
type demoStep struct {
	request            string // the body
	prompt, completion string // what the model was asked, and what it wrote
	stream             string // the events that the client got
	answer             *demoMessage
}

// run asks the question, runs the tool that the model calls, and sends its result.
func (c *demoClient) run(ctx context.Context) error {
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
	request.Messages = append(request.Messages,
		demoTurn{"assistant", answer.blocks},
		demoTurn{"user", []demoBlock{{Type: "tool_result", ToolUseID: call.ID, Content: demoResult}}})
	_, err = c.roundTrip(ctx, request)
	return err
}

// roundTrip sends one request, keeps what becomes of it, and returns the answer.
func (c *demoClient) roundTrip(ctx context.Context, r demoRequest) (*demoMessage, error) {
	body, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
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
	answer, err := readMessage(stream)
	if err != nil {
		return nil, err
	}
	prompt, completion := c.model.last()
	c.steps = append(c.steps, demoStep{string(body), prompt, completion, string(stream), answer})
	return answer, nil
}

// recorder is an upstream that remembers the last prompt and the last completion: what a
// client never sees, and the demo is about.
type recorder struct {
	proxy.Upstream

	mu         sync.Mutex
	prompt     string
	completion strings.Builder
}

// Prepare remembers the prompt at once, and the completion while it is written.
func (r *recorder) Prepare(model upstream.Model, p *translate.Prompt) (*upstream.Call, error) {
	call, err := r.Upstream.Prepare(model, p)
	if err != nil {
		return nil, err
	}
	recorded := *call
	recorded.Chunks = func(ctx context.Context) iter.Seq2[translate.Chunk, error] { return r.record(p, call.Chunks(ctx)) }
	return &recorded, nil
}

func (r *recorder) record(p *translate.Prompt, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	r.mu.Lock()
	r.prompt = p.Text()
	r.completion.Reset()
	r.mu.Unlock()
	return func(yield func(translate.Chunk, error) bool) {
		for chunk, err := range chunks {
			r.mu.Lock()
			r.completion.WriteString(chunk.Text)
			switch {
			case chunk.StopSequence != "":
				fmt.Fprintf(&r.completion, "\n[stopped at %s]", chunk.StopSequence)
			case chunk.Stop != "":
				r.completion.WriteString("\n[ended]")
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
