package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// inTemplate is a prompt of one question in a chat template.
func inTemplate(t *testing.T, template, question string, stops ...string) *translate.Prompt {
	t.Helper()
	p, err := translate.Render(&messages.Request{
		MaxTokens: 1000, StopSequences: stops,
		Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: question}}}},
	}, translate.Target{ModelOptions: translate.ModelOptions{ChatTemplate: template}, Prefill: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const imported = "arn:aws:bedrock:us-east-1:111122223333:imported-model/abcdefghijkl"

// Imported models got formats between oldFormats and newFormats.
var newFormats, oldFormats = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)

// sentKeys returns the members of a request body.
func sentKeys(t *testing.T, r upstreamtest.Request) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// Models on Bedrock get the prompt in their own body, streamed and not. The fake rejects unknown members, and
// a prompt without exactly one BOS.
func TestBedrockRawBodies(t *testing.T) {
	for name, tt := range map[string]struct {
		model    upstream.Model
		template string
		imports  *upstreamtest.Import
		member   string // the body's name for max_tokens
		bos      string
	}{
		"Llama":       {upstream.Model{ID: "meta.llama3-1-8b-instruct-v1:0"}, "llama-3", nil, "max_gen_len", "<|begin_of_text|>"},
		"Mistral":     {upstream.Model{ID: "mistral.mistral-7b-instruct-v0:2"}, "mistral-v1", nil, "max_tokens", "<s>"},
		"DeepSeek-R1": {upstream.Model{ID: "us.deepseek.r1-v1:0"}, "deepseek-r1", nil, "max_tokens", "<｜begin▁of▁sentence｜>"},
		"an import":   {upstream.Model{ID: imported}, "qwen2.5", &upstreamtest.Import{Architecture: "qwen2", Created: newFormats, Formats: []string{upstreamtest.FormatChat, upstreamtest.FormatCompletion}}, "max_tokens", ""},
		"an import with one format": {upstream.Model{ID: imported}, "plain",
			&upstreamtest.Import{Architecture: "GPTBigCode", Created: newFormats, Formats: []string{upstreamtest.FormatBedrockMeta}}, "max_gen_len", ""},
		"an old import of Llama":   {upstream.Model{ID: imported}, "llama-3", &upstreamtest.Import{Architecture: "llama-3", Created: oldFormats}, "max_gen_len", "<|begin_of_text|>"},
		"an old import of Mistral": {upstream.Model{ID: imported}, "mistral-v1", &upstreamtest.Import{Architecture: "mistral", Created: oldFormats}, "max_tokens", "<s>"},
		"a body by hand": {upstream.Model{ID: imported, Body: upstream.BodyLlama}, "llama-3",
			&upstreamtest.Import{Architecture: "?", Created: newFormats, Formats: []string{upstreamtest.FormatBedrockMeta}}, "max_gen_len", "<|begin_of_text|>"},
		"chat, as nothing else is taken": {upstream.Model{ID: imported}, "qwen3", &upstreamtest.Import{Architecture: "qwen3", Created: newFormats, Formats: []string{upstreamtest.FormatChat}}, "max_tokens", ""},
	} {
		for _, can := range []upstream.Features{upstream.Streaming | upstream.System, upstream.System} {
			t.Run(name+" "+can.String(), func(t *testing.T) {
				fake := upstreamtest.NewBedrock(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello <b> there", Usage: messages.Usage{InputTokens: 7, OutputTokens: 3}}))
				if tt.imports != nil {
					fake.Imports = map[string]*upstreamtest.Import{imported: tt.imports}
				}
				server := httptest.NewServer(fake)
				t.Cleanup(server.Close)
				up := signedBedrock(t, server)
				m := tt.model
				m.Can, m.Wire = can, upstream.WirePrompt
				if m.Body == "" {
					r := up.Resolve(t.Context(), m)
					m.Body, m.Family = r.Body, r.Model
				}
				got, err := collect(t, invoke(up, t.Context(), m, inTemplate(t, tt.template, "Hi")))
				want := reply{Text: "Hello <b> there", Stop: messages.StopEndTurn, Usage: messages.Usage{InputTokens: 7, OutputTokens: 3}}
				if strings.Contains(tt.model.ID+tt.template, "mistral") && !can.Has(upstream.Streaming) || strings.Contains(m.ID, "deepseek") && !can.Has(upstream.Streaming) {
					want.Usage = messages.Usage{} // their bodies have no token counts
				}
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Error(err, diff)
				}
				requests := fake.Requests()
				if len(requests) != 1 {
					t.Fatalf("%d requests", len(requests))
				}
				body := sentKeys(t, requests[0])
				if body[tt.member] != 1000.0 {
					t.Errorf("%s", requests[0].Body)
				}
				if prompt, _ := body["prompt"].(string); !strings.HasPrefix(prompt, tt.bos) {
					t.Errorf("prompt %q", prompt)
				}
			})
		}
	}
}

// signedBedrock returns an upstream with credentials that the fake verifies.
func signedBedrock(t *testing.T, server *httptest.Server) *upstream.Bedrock {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	up := dialBedrock(t, server)
	t.Cleanup(up.Close)
	return up
}

// Bedrock tells which model an ARN hides. Dragoman asks once, even if the account may not ask. The model
// tells its bodies.
func TestBedrockResolve(t *testing.T) {
	arn := func(kind string) string { return "arn:aws:bedrock:us-east-1:111122223333:" + kind + "/a1b2c3d4e5f6" }
	chat, completion, meta := upstreamtest.FormatChat, upstreamtest.FormatCompletion, upstreamtest.FormatBedrockMeta
	imports := func(name, architecture string, created time.Time, formats ...string) *upstreamtest.Import {
		return &upstreamtest.Import{Name: name, Architecture: architecture, Created: created, Formats: formats}
	}
	for name, tt := range map[string]struct {
		id     string
		model  *upstreamtest.Import
		base   string
		denies bool
		want   upstream.Resolved
		asked  int32
	}{
		"an architecture":      {imported, imports("mine", "qwen2", newFormats, chat, completion), "", false, upstream.Resolved{Model: "qwen2", Body: "completions", Chat: true, Server: upstream.GuidedImport}, 2},
		"a name that says it":  {imported, imports("my-qwen2.5-coder", "qwen2", newFormats, chat, completion), "", false, upstream.Resolved{Model: "my-qwen2.5-coder", Body: "completions", Chat: true, Server: upstream.GuidedImport}, 2},
		"a name of another":    {imported, imports("better-than-llama3", "qwen2", newFormats, completion), "", false, upstream.Resolved{Model: "qwen2", Body: "completions", Server: upstream.GuidedImport}, 2},
		"one format":           {imported, imports("x", "GPTBigCode", newFormats, meta), "", false, upstream.Resolved{Model: "GPTBigCode", Body: "llama", Server: upstream.GuidedImport}, 2},
		"chat alone":           {imported, imports("x", "qwen3", newFormats, chat), "", false, upstream.Resolved{Model: "qwen3", Body: "chat", Chat: true, Server: upstream.GuidedImport}, 2},
		"gpt-oss":              {imported, imports("x", "GptOss", newFormats, chat, completion), "", false, upstream.Resolved{Model: "gpt-oss", Body: "chat", Chat: true, Server: upstream.GuidedImport}, 2},
		"an old import":        {imported, imports("x", "LLAMA3", oldFormats), "", false, upstream.Resolved{Model: "LLAMA3", Body: "llama"}, 1},
		"an old Mistral":       {imported, imports("x", "mistral", oldFormats), "", false, upstream.Resolved{Model: "mistral", Body: "completions"}, 1},
		"nobody may ask":       {imported, imports("x", "qwen2", newFormats, completion), "", true, upstream.Resolved{Body: "completions", Server: upstream.GuidedImport}, 2},
		"nobody may ask: chat": {imported, imports("x", "qwen2", newFormats, chat, completion), "", true, upstream.Resolved{Body: "completions", Chat: true, Server: upstream.GuidedImport}, 2},
		"a deployment":         {arn("custom-model-deployment"), nil, "meta.llama3-1-8b-instruct-v1:0", false, upstream.Resolved{Model: "meta.llama3-1-8b-instruct-v1:0"}, 2},
		"provisioned":          {arn("provisioned-model"), nil, "anthropic.claude-3-haiku-20240307-v1:0", false, upstream.Resolved{Model: "anthropic.claude-3-haiku-20240307-v1:0"}, 1},
		"a profile":            {arn("application-inference-profile"), nil, "mistral.mistral-7b-instruct-v0:2", false, upstream.Resolved{Model: "mistral.mistral-7b-instruct-v0:2"}, 1},
		"a profile, denied":    {arn("application-inference-profile"), nil, "mistral.mistral-7b-instruct-v0:2", true, upstream.Resolved{}, 1},
		"a router":             {arn("prompt-router"), nil, "x", false, upstream.Resolved{}, 0},
		"what hides nothing":   {"arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-v2:1", nil, "x", false, upstream.Resolved{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			fake := upstreamtest.NewBedrock(nil)
			fake.Bases, fake.Denies = map[string]string{tt.id: tt.base}, tt.denies
			if tt.model != nil {
				fake.Imports = map[string]*upstreamtest.Import{tt.id: tt.model}
			}
			server := httptest.NewServer(fake)
			t.Cleanup(server.Close)
			up := signedBedrock(t, server)
			for range 3 {
				if diff := cmp.Diff(tt.want, up.Resolve(t.Context(), upstream.Model{ID: tt.id})); diff != "" {
					t.Error(diff)
				}
			}
			if n := fake.Told.Load(); n != tt.asked {
				t.Errorf("Bedrock was asked %d times, want %d", n, tt.asked)
			}
		})
	}
}

// A model that is not ready tells no bodies. Dragoman then learns the body when the model rejects the likely
// one.
func TestBedrockRawOtherBody(t *testing.T) {
	for _, format := range []string{upstreamtest.FormatBedrockMeta, upstreamtest.FormatCompletion, upstreamtest.FormatChat} {
		for _, family := range []string{"qwen2.5", "gemma"} {
			fake := upstreamtest.NewBedrock(upstreamtest.Answer(upstreamtest.Completion{Text: "Yes."}))
			fake.Imports = map[string]*upstreamtest.Import{imported: {Architecture: "x", Created: newFormats, Formats: []string{format}}}
			fake.Cold.Store(1)
			server := httptest.NewServer(fake)
			up := signedBedrock(t, server)
			m := upstream.Model{ID: imported, Family: family, Can: upstream.Streaming}
			if r := up.Resolve(t.Context(), m); r.Body != "" {
				t.Errorf("%+v", r)
			}
			if got, err := collect(t, invoke(up, t.Context(), m, inTemplate(t, "qwen2.5", "Hi"))); err != nil || got.Text != "Yes." {
				t.Errorf("%s, %s: %+v, %v", format, family, got, err)
			}
			server.Close()
		}
	}
}

// Completions of servers: BOS only if vLLM is told to add none, no members of other servers, at most four
// stop sequences, and none of the client's.
func TestServerCompletions(t *testing.T) {
	for _, server := range []string{"", "vllm", "sglang", "llamacpp", "tgi", "ollama"} {
		for _, can := range []upstream.Features{upstream.Streaming, 0} {
			t.Run(server+" "+can.String(), func(t *testing.T) {
				fake := upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello END there", Usage: messages.Usage{InputTokens: 7, OutputTokens: 3}}))
				fake.Server, fake.Family, fake.Models, fake.Key = server, "Llama-3.1-8B-Instruct", upstreamtest.Listing{"m"}, "k"
				s := httptest.NewServer(fake)
				t.Cleanup(s.Close)
				up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: s.URL + "/v1", APIKey: "k"})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(up.Close)
				m := upstream.Model{ID: "m", Wire: upstream.WirePrompt, Can: can}
				if server == "tgi" {
					m.ID = server // it would take any other name for an adapter
				}
				r := up.Resolve(t.Context(), m)
				if want := (server == "vllm" || server == "sglang" || server == "ollama"); want != (r.Server == server && r.Model == fake.Family) {
					t.Errorf("%+v", r)
				}
				m.Server = r.Server
				got, err := collect(t, invoke(up, t.Context(), m, inTemplate(t, "llama-3", "Hi", "END", "1", "2", "3", "4", "5")))
				if err != nil || got.Text != "Hello " || got.Stop != messages.StopSequence || got.StopSequence != "END" {
					t.Errorf("%+v, %v", got, err)
				}
				got, err = collect(t, invoke(up, t.Context(), m, inTemplate(t, "llama-3", "Hi")))
				if diff := cmp.Diff(reply{Text: "Hello END there", Stop: messages.StopEndTurn, Usage: messages.Usage{InputTokens: 7, OutputTokens: 3}}, got); err != nil || diff != "" {
					t.Error(err, diff)
				}
			})
		}
	}
}

// A text that ends a turn in the template ends the answer, even if the server continues.
func TestRawStopsAtTurns(t *testing.T) {
	for _, text := range []string{"Yes.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnd?", "Yes.<|eot_id|>"} {
		for pieces := range 12 {
			fake := upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: text, Pieces: pieces}))
			fake.NoStops = true
			s := httptest.NewServer(fake)
			up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: s.URL + "/v1"})
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "m", Wire: upstream.WirePrompt, Can: upstream.Streaming}, inTemplate(t, "llama-3", "Hi")))
			if diff := cmp.Diff(reply{Text: "Yes.", Stop: messages.StopEndTurn}, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
			up.Close()
			s.Close()
		}
	}
}

// The client gets the server's errors about completions, before an answer and in its middle.
func TestRawErrors(t *testing.T) {
	for _, server := range []string{"vllm", "ollama"} {
		for _, fault := range []*upstreamtest.Fault{upstreamtest.Refuse(http.StatusServiceUnavailable, "overloaded_error", "busy", ""), upstreamtest.Fail(1, "overloaded_error", "busy"), upstreamtest.Cut(20), upstreamtest.Corrupt(1)} {
			fake := upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello there, all", Fault: fault}))
			fake.Server = server
			s := httptest.NewServer(fake)
			up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: s.URL + "/v1"})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "m", Wire: upstream.WirePrompt, Server: server, Can: upstream.Streaming}, inTemplate(t, "llama-3", "Hi"))); err == nil {
				t.Errorf("%s, %+v: %+v", server, fault, got)
			}
			up.Close()
			s.Close()
		}
	}
}

// There are two ways to say that a model is still loading.
func TestNotReady(t *testing.T) {
	fake := upstreamtest.NewBedrock(nil)
	fake.Imports = map[string]*upstreamtest.Import{imported: {Architecture: "qwen2", Created: newFormats, Formats: []string{upstreamtest.FormatCompletion}}}
	fake.Cold.Store(1)
	bedrock := httptest.NewServer(fake)
	t.Cleanup(bedrock.Close)
	llama := httptest.NewServer(upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{
		Fault: upstreamtest.Reply(http.StatusServiceUnavailable, "application/json", `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`),
	})))
	t.Cleanup(llama.Close)
	local, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: llama.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(local.Close)
	for name, tt := range map[string]struct {
		up    invoker
		model upstream.Model
	}{
		"Bedrock":   {signedBedrock(t, bedrock), upstream.Model{ID: imported, Body: upstream.BodyCompletions, Can: upstream.Streaming}},
		"llama.cpp": {local, upstream.Model{ID: "m", Wire: upstream.WirePrompt, Can: upstream.Streaming}},
	} {
		_, err := collect(t, invoke(tt.up, t.Context(), tt.model, inTemplate(t, "qwen2.5", "Hi")))
		var failed *upstream.Error
		if !errors.As(err, &failed) || !failed.NotReady || failed.Status != 529 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
