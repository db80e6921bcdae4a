package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"dragoman/conformance"
)

const (
	// patience limits one answer: a small machine writes a few tokens a second.
	patience = 10 * time.Minute
	// tries is how often a model is asked for a forced call, or for a text.
	tries = 5
)

// TestModels asks a real model on a running server with chat completions. `make models` sets the environment:
//
//	DRAGOMAN_MODELS_URL        the base URL of the server; without it, the test is skipped
//	DRAGOMAN_MODELS_MODEL      the model; empty if the server has only one
//	DRAGOMAN_MODELS_QUESTIONS  files or folders of questions; empty for the built-in questions
//	DRAGOMAN_MODELS_LIMIT      the number of questions to ask; empty for all
//	DRAGOMAN_MODELS_FORMATS    the formats of forced calls, with commas between; empty for the model's own
//	DRAGOMAN_MODELS_TASKS      a Python program that plays tasks with a client; empty for the built-in loops
//
// The test fails only for mistakes that no model can cause, however weak. The log tells what the model did.
func TestModels(t *testing.T) {
	url := os.Getenv("DRAGOMAN_MODELS_URL")
	if url == "" {
		t.Skip("DRAGOMAN_MODELS_URL is not set; run `make models BASE_URL=…` to ask a real model")
	}
	base, admin := conformance.ServeWithAdmin(t, nil, "--base-url", url)
	s := &modelServer{url: url, base: base, admin: admin, client: newClient(t, base)}
	s.model = s.chooseModel(t)
	t.Logf("asking %s at %s", s.model, url)
	t.Run("ToolLoop", s.testToolLoop)
	t.Run("Template", s.testTemplate)
	t.Run("CountTokens", s.testCountTokens)
	t.Run("CutCall", s.testCutCall)
	t.Run("ClientLeaves", s.testClientLeaves)
	t.Run("OverlongPrompt", s.testOverlongPrompt)
	t.Run("Constrained", s.testConstrained)
	t.Run("Questions", s.testQuestions)
	t.Run("Tasks", s.testTasks)
}

// testToolLoop makes the model call a tool, and then answer with text.
func (s *modelServer) testToolLoop(t *testing.T) {
	p := s.params("What is the weather in Paris?", 256, &weather)
	var call anthropic.ContentBlockUnion
	message := s.try(t, p, "a call", func(message anthropic.Message) bool {
		i := slices.IndexFunc(message.Content, func(b anthropic.ContentBlockUnion) bool { return b.Type == "tool_use" })
		if i < 0 || message.StopReason != "tool_use" {
			return false
		}
		call = message.Content[i]
		return true
	})
	var input map[string]any
	if err := json.Unmarshal(call.Input, &input); err != nil || call.Name != weather.Name || call.ID == "" {
		t.Fatalf("the call is %s %q of %s, %v", call.ID, call.Name, call.Input, err)
	}
	p.Messages = append(p.Messages, message.ToParam(), anthropic.NewUserMessage(
		anthropic.NewToolResultBlock(call.ID, "Sunny, 23 degrees", false), anthropic.NewTextBlock("Tell me in one sentence what the weather is.")))
	p.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &anthropic.ToolChoiceNoneParam{}}
	message = s.try(t, p, "a text", func(message anthropic.Message) bool { return strings.TrimSpace(text(message)) != "" })
	if message.StopReason != "end_turn" && message.StopReason != "max_tokens" {
		t.Errorf("stop_reason is %q behind text", message.StopReason)
	}
	t.Logf("the text has the result: %t", strings.Contains(text(message), "23") || strings.Contains(strings.ToLower(text(message)), "sunny"))
}

// testCountTokens compares count_tokens for a request with tools with the usage of its answer.
func (s *modelServer) testCountTokens(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p := s.params("What is the weather in Paris?", 1, &weather)
	p.ToolChoice = anthropic.ToolChoiceUnionParam{}
	count, err := s.client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{
		Model: p.Model, Messages: p.Messages, Tools: []anthropic.MessageCountTokensToolUnionParam{{OfTool: &weather}},
	})
	if err != nil {
		t.Fatal(err)
	}
	message, err := s.client.Messages.New(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	counted, used := count.InputTokens, inputTokens(message.Usage)
	t.Logf("count_tokens says %d, the usage %d", counted, used)
	if counted <= 0 || counted > 2*used || used > 2*counted {
		t.Errorf("count_tokens says %d, the usage %d: they differ by more than a factor of 2", counted, used)
	}
}

// greedy sets the temperature to 0. It also sets a version of the API with that parameter, because the
// library's own version has none.
var greedy = []option.RequestOption{option.WithHeader("anthropic-version", "2023-06-01"), option.WithJSONSet("temperature", 0)}

// testCutCall cuts a call with max_tokens at several places. If the value may continue, the JSON of the input
// must stay open. If it is complete, the same call with more tokens must have the same input.
func (s *modelServer) testCutCall(t *testing.T) {
	opened, whole := false, ""
	for i, maxTokens := range []int64{4, 16, 32, 64, 96} {
		p := s.params("Write a note of 500 words about the history of Paris.", maxTokens, &note)
		message, inputs, err := s.stream(t.Context(), p, greedy...)
		if err != nil {
			t.Fatalf("max_tokens %d: %v", maxTokens, err)
		}
		if i == 0 && message.StopReason != "max_tokens" {
			t.Errorf("max_tokens %d: stop_reason is %q", maxTokens, message.StopReason)
		}
		t.Logf("max_tokens %d: stop_reason %q, text %q, inputs %v", maxTokens, message.StopReason, text(message), inputs)
		for index, block := range message.Content {
			input := inputs[int64(index)]
			if block.Type != "tool_use" {
				continue
			}
			opened = true
			if whole != "" && input != whole {
				t.Errorf("with max_tokens %d the input is %s, which was %s before with fewer", maxTokens, input, whole)
			}
			if json.Valid([]byte(input)) {
				whole = input
			} else if message.StopReason != "max_tokens" {
				t.Errorf("max_tokens %d: stop_reason is %q, and the input %q is not whole", maxTokens, message.StopReason, input)
			}
		}
	}
	if !opened {
		t.Log("the model began no call, so that nothing was cut in one; ask a larger model")
	}
}

// testClientLeaves leaves a stream at its first text. Dragoman must close the stream, and continue to serve.
func (s *modelServer) testClientLeaves(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stream := s.client.Messages.NewStreaming(ctx, s.params("Count from 1 to 1000, one number a line.", 1024, nil))
	defer stream.Close()
	for stream.Next() && stream.Current().Delta.Text == "" {
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("streams open when the client leaves: %d", s.openStreams(t))
	cancel()

	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); s.openStreams(t) > 0; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%d streams are open a minute after the client left", s.openStreams(t))
		}
	}
	message, _, err := s.stream(t.Context(), s.params("Say hello.", 16, nil))
	if err != nil || message.StopReason == "" {
		t.Errorf("the answer to the next client is %q, stop_reason %q, %v", text(message), message.StopReason, err)
	}
}

// testOverlongPrompt sends a prompt that is longer than the server's context window. The server may reject
// it, or cut it and answer.
func (s *modelServer) testOverlongPrompt(t *testing.T) {
	const line = "All work and no play makes Jack a dull boy.\n"
	p := s.params(strings.Repeat(line, 200_000/len(line)), 16, nil)
	for name, ask := range map[string]func() (anthropic.Message, error){
		"whole": func() (anthropic.Message, error) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			message, err := s.client.Messages.New(ctx, p)
			if err != nil {
				return anthropic.Message{}, err
			}
			return *message, nil
		},
		"streamed": func() (anthropic.Message, error) {
			message, _, err := s.stream(t.Context(), p)
			return message, err
		},
	} {
		message, err := ask()
		if err == nil {
			t.Logf("%s: stop_reason %q, %d tokens in, %d out, %q", name, message.StopReason, inputTokens(message.Usage), message.Usage.OutputTokens, text(message))
			if message.StopReason == "" || inputTokens(message.Usage) == 0 || message.Usage.OutputTokens == 0 {
				t.Errorf("%s: the answer has no stop_reason or no usage", name)
			}
			continue
		}
		t.Logf("%s: %v", name, err)
		if e, ok := errors.AsType[*anthropic.Error](err); !ok || e.StatusCode/100 != 4 || e.Type() == "" || e.Message == "" {
			t.Errorf("%s: %v is not an error of the Messages API with a status of 4xx", name, err)
		}
	}
}

// testQuestions makes `dragoman eval` ask the questions and print its table. A question without an answer is
// an error.
func (s *modelServer) testQuestions(t *testing.T) {
	s.eval(t, append([]string{"--limit", cmp.Or(os.Getenv("DRAGOMAN_MODELS_LIMIT"), "0")}, strings.Fields(os.Getenv("DRAGOMAN_MODELS_QUESTIONS"))...)...)
}

// testTasks plays whole loops: the tasks of the program, or the loops of `dragoman eval`. The log tells which ones are
// right. The test fails only if a request fails.
func (s *modelServer) testTasks(t *testing.T) {
	program := os.Getenv("DRAGOMAN_MODELS_TASKS")
	if _, err := exec.LookPath("python3"); program == "" || err != nil {
		s.eval(t, "../../cmd/dragoman/internal/eval/loops.jsonl")
		return
	}
	var out strings.Builder
	run(t, io.MultiWriter(t.Output(), &out), "python3", program, "--base", s.base, "--model", s.model)
	if strings.Contains(out.String(), " error ") {
		t.Error("a request failed")
	}
}

// eval runs `dragoman eval` in the format of auto.
func (s *modelServer) eval(t *testing.T, args ...string) {
	t.Helper()
	run(t, t.Output(), conformance.Binary(), append([]string{"eval", "--base-url", s.url, "--model", s.model, "--formats", "auto", "--quick=false", "--out", t.ArtifactDir()}, args...)...)
}

// run runs a program, and writes what it prints.
func run(t *testing.T, w io.Writer, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = []string{} // nothing of the test's environment
	cmd.Stdout, cmd.Stderr = w, w
	t.Log(cmd)
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}
