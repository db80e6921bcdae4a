package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
	"dragoman/cmd/dragoman/internal/terminal"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// demoCommand returns `dragoman demo`.
func demoCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "show one streamed tool conversation, from request to answer",
		Long: `Starts the server on a free loopback port with the built-in simulated model, holds one streamed
conversation with a tool over HTTP, and shows on one screen what the model writes, and what the client
receives of it. It needs no account and no network, and reads no configuration. With --verbose it prints
all of each step: the request, the prompt it became, what the model wrote, and the events the client got.
The simulated model writes calls in any format, as the prompt shows them. With --wire prompt it is asked as
an imported Qwen2.5 is: the prompt is one string, in the model's own chat template.`,
		Example: `  dragoman demo
  dragoman demo --format glm
  dragoman demo --wire prompt --verbose
  dragoman demo --verbose | less`,
		Args: atMost(0),
	}
	var format, wire string
	oneOf(c, &format, "format", translate.Formats()[0], translate.Formats(), "ask the model for calls in the format `NAME`")
	oneOf(c, &wire, "wire", proxy.WireText, []string{proxy.WireText, proxy.WirePrompt}, "ask the model over the wire `WIRE`")
	verbose := c.Flags().Bool("verbose", false, "print requests, prompts and events in full")
	c.RunE = func(c *cobra.Command, _ []string) error {
		model := func(m *proxy.Route) { m.Format = format }
		if wire == proxy.WirePrompt {
			model = func(m *proxy.Route) {
				m.Wire, m.Family = wire, "qwen2.5"
				if c.Flags().Changed("format") {
					m.Format = format
				}
			}
		}
		return demo(c.Context(), p, model, *verbose)
	}
	return c
}

// The conversation of the demo: the user asks about the city, the model calls the tool, and the tool returns the
// result.
const (
	demoCity     = "Lisbon"
	demoQuestion = "What is the weather in " + demoCity + "?"
	demoTool     = "get_weather"
	demoResult   = "21 degrees celsius, sunny"
)

// demoRequest is the body of both requests. The second one has more messages.
const demoRequest = `{"model": "claude-2.1", "max_tokens": 1024, "stream": true, "tools": [{
	"name": "` + demoTool + `",
	"description": "Get the current weather in a given city.",
	"input_schema": {
		"type": "object",
		"properties": {
			"city": {"type": "string", "description": "The name of the city"},
			"unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}
		},
		"required": ["city"]
	}
}], "messages": [{"role": "user", "content": "` + demoQuestion + `"}%s]}`

// demoReturns are the messages that return the result: the model's text and call, and the tool's result.
const demoReturns = `, {"role": "assistant", "content": [
	{"type": "text", "text": %q}, {"type": "tool_use", "id": %q, "name": "` + demoTool + `", "input": %s}
]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": %[2]q, "content": %[4]q}]}`

// demo serves the simulated model on a free port, with the changes of model, holds the conversation and prints it. Its
// only environment is for colours, so that the user's configuration changes nothing.
func demo(ctx context.Context, p process, model func(*proxy.Route), verbose bool) error {
	none := func(string) string { return "" }
	load := func(running *config.Config) (*config.Config, error) {
		free := config.Override{Value: freePort}
		cfg, err := config.Load(config.Source{Listen: free, AdminListen: free, Simulated: true, Getenv: none, Running: running})
		if err == nil {
			model(&cfg.Models[0]) // the only entry is the simulated model
		}
		return cfg, err
	}
	c := conversation{ended: make(chan demoStep, 1)}
	server, err := serve.Start(ctx, serve.Options{
		Load: load, Log: func(*config.Config) zerolog.Logger { return zerolog.Nop() }, Getenv: none, Observe: []proxy.Observe{c.observe},
	})
	if err != nil {
		return err
	}
	c.url = server.LocalURL() + "/v1/messages"
	defer server.Close(ctx)
	if err := errors.Join(c.hold(), server.Drain(context.Background(), serve.Farewell)); err != nil {
		return err
	}
	text := c.screen(terminal.Painter(p.colours() && terminal.Is(p.stdout)))
	if verbose {
		text = c.transcript()
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

// conversation is what the demo shows: its client asks, and asks again with the tool's result.
type conversation struct {
	url         string
	asked, told demoStep
	ended       chan demoStep // receives each finished exchange
}

// demoStep is one request of the demo, and its answer.
type demoStep struct {
	format                              string   // of calls
	request, prompt, completion, stream string   // request and stream are bodies
	id                                  string   // of the call
	text, input                         []string // the pieces of the text, and of the call's input
	stop                                messages.Stop
}

// hold asks the question, and returns the result of the tool that the model calls. The demo's client runs no real tool.
func (c *conversation) hold() (err error) {
	if c.asked, err = c.ask(""); err == nil {
		c.told, err = c.ask(fmt.Sprintf(demoReturns, strings.Join(c.asked.text, ""), c.asked.id, strings.Join(c.asked.input, ""), demoResult))
	}
	return err
}

// ask sends the question followed by more messages, and returns the step.
func (c *conversation) ask(more string) (step demoStep, err error) {
	body := jsontext.Value(fmt.Sprintf(demoRequest, more))
	_ = body.Indent(jsontext.WithIndent("  "))                                  // the server reports what is wrong with it
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // never use a proxy
	response, err := client.Post(c.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return step, err
	}
	defer response.Body.Close()
	stream, err := io.ReadAll(response.Body)
	if response.StatusCode == http.StatusOK {
		step = <-c.ended
	}
	if step.stop == "" {
		return step, fmt.Errorf("demo: %s: %s", response.Status, stream)
	}
	step.request, step.stream = string(body), string(stream)
	return step, err
}

// observe records the prompt and the completion, which a client cannot see.
func (c *conversation) observe(*http.Request, *metrics.Exchange) *proxy.Observation {
	var s demoStep
	return &proxy.Observation{
		Rendered: func(_ proxy.UpstreamModel, _ *messages.Request, p *translate.Prompt) {
			s.format, s.prompt, s.completion = translate.Formats()[0], p.Text(), ""
			if p.Declared != nil {
				s.format = p.Declared.Name
			}
			if raw := p.Raw(); raw != nil {
				s.prompt = raw.BOS + raw.Text
			}
		},
		Chunk: func(c *translate.Chunk) {
			s.completion += c.Text
			if c.StopSequence != "" {
				s.completion += "\n[stopped at " + c.StopSequence + "]"
			} else if c.Stop != "" {
				s.completion += "\n[ended]"
			}
		},
		Event: func(e *messages.Event) {
			switch {
			case e.Type == messages.ContentBlockStart:
				s.id = e.Block.ID
			case e.Delta == messages.TextDelta:
				s.text = append(s.text, string(e.Text))
			case e.Delta == messages.InputJSONDelta:
				s.input = append(s.input, string(e.Text))
			case e.Type == messages.MessageDelta:
				s.stop = e.Message.StopReason
			}
		},
		Ended: func(*metrics.Exchange) { c.ended <- s },
	}
}
