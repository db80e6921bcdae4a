// Package aimock runs dragoman in front of another project's emulator of its upstreams, @copilotkit/aimock,
// and asks it with a client library. The emulator implements the wires independently of Dragoman. This folder
// pins its release, and fixtures.json has its answers.
package aimock

import (
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"dragoman/conformance"
	"dragoman/upstream/upstreamtest"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// entry is a model under test, with its upstream (%s is the emulator) and the way to ask it.
type entry struct {
	name, upstream, model string
	native                bool // the model has a tool API of its own
}

// Each model has its own upstream, so that failures of one do not block another. The emulator recognizes
// Vertex AI's path of chat completions only behind a prefix.
var entries = []entry{
	{name: "messages", upstream: `kind: anthropic, base_url: "%s"`, model: `claude-3-7-sonnet-20250219`},
	{name: "native", upstream: `kind: anthropic, base_url: "%s"`, model: `claude-3-7-sonnet-20250219, tools: native`, native: true},
	{name: "auto", upstream: `kind: anthropic, base_url: "%s"`, model: `claude-3-7-sonnet-20250219, tools: auto`, native: true},
	{name: "chat", upstream: `kind: openai, base_url: "%s/v1"`, model: `llama3`},
	{name: "vertex", upstream: `kind: vertex, project: p, location: us-east5, endpoint: "%s/vertex"`, model: `meta/llama-3.3-70b-instruct-maas`},
	{name: "converse", upstream: bedrock, model: `"amazon.nova-lite-v1:0"`},
	{name: "converse, whole", upstream: bedrock, model: `"amazon.nova-lite-v1:0", streaming: false`},
}

// bare are models with streams that the emulator sends in another form than Bedrock.
var bare = []entry{
	{name: "bedrock", upstream: bedrock, model: `"anthropic.claude-3-haiku-20240307-v1:0"`},
	{name: "bedrock, native", upstream: bedrock, model: `"anthropic.claude-3-haiku-20240307-v1:0", tools: native`},
}

const bedrock = `kind: bedrock, region: us-east-1, endpoint: "%s"`

// serve starts dragoman in front of the emulator and returns its base URL.
func serve(t *testing.T, emulator string) string {
	t.Helper()
	upstreams, models := "upstreams:\n", "models:\n"
	for i, e := range slices.Concat(entries, bare) {
		upstreams += fmt.Sprintf("  u%d: {%s}\n", i, fmt.Sprintf(e.upstream, emulator))
		models += fmt.Sprintf("  - {name: %q, upstream: u%d, model: %s}\n", e.name, i, e.model)
	}
	config := conformance.WriteConfig(t, upstreams+models+"limits: {attempts: 1}\n")

	tokens := upstreamtest.NewTokens()
	server := httptest.NewServer(tokens)
	t.Cleanup(server.Close)
	credentials, err := tokens.User(t.TempDir(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return conformance.Serve(t, []string{
		"AWS_ACCESS_KEY_ID=" + upstreamtest.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + upstreamtest.SecretAccessKey,
		"GOOGLE_APPLICATION_CREDENTIALS=" + credentials,
	}, "--config", config)
}

// TestEmulator asks every model, streamed and not.
func TestEmulator(t *testing.T) {
	url := serve(t, emulate(t))
	for way, ask := range ways {
		for _, e := range entries {
			t.Run(e.name+"/"+way, func(t *testing.T) {
				testText(t, open(url, e.name), ask)
				if e.native {
					testCall(t, open(url, e.name), ask, "Voss")
				} else {
					testCall(t, open(url, e.name), ask, "Oslo")   // the model stops after the call
					testCall(t, open(url, e.name), ask, "Bergen") // the model writes on
				}
				testFailures(t, url, e.name, ask)
			})
		}
		for _, e := range bare {
			t.Run(e.name+"/"+way, func(t *testing.T) { testBareChunks(t, open(url, e.name), ask) })
		}
	}
}

func testText(t *testing.T, c *conversation, ask ask) {
	for _, test := range []struct{ say, want string }{
		{"Greet me.", `"Good morning! Is it not a fine day, wherever you are?" end_turn, 9 tokens`},
		{"Tell a story.", `"Once upon a time there" max_tokens, 5 tokens`},
		{"Think.", `thinking "A question of some depth." "Yes." end_turn, 8 tokens`},
	} {
		answer, err := ask(c, anthropic.NewTextBlock(test.say))
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(answer) + fmt.Sprintf(", %d tokens", answer.Usage.OutputTokens); got != test.want {
			t.Errorf("%s: %s, want %s", test.say, got, test.want)
		}
	}
}

// testCall asks a question that needs a call, and answers the call.
func testCall(t *testing.T, c *conversation, ask ask, city string) {
	answer, err := ask(c, anthropic.NewTextBlock("What is the weather in "+city+"?"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`"I will look." get_weather{"city":%q,"days":3} tool_use`, city)
	if got := brief(answer); got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	answer, err = ask(c, anthropic.NewToolResultBlock(answer.Content[1].ID, "3 degrees", false))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := brief(answer), `"It is cold." end_turn`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// testFailures makes the model fail before and in the middle of its answer. In the second case, a stream may
// have begun.
func testFailures(t *testing.T, url, model string, ask ask) {
	for _, test := range []struct {
		say      string
		statuses []int
		kind     string
		message  string // the emulator's message, which has another form on Bedrock
	}{
		{"Be wrong.", []int{400}, "invalid_request_error", "prompt is too long"},
		{"Be busy.", []int{429}, "rate_limit_error", "Slow down"},
		{"Be broken.", []int{500}, "api_error", "Oh"},
		{"Be away.", []int{503, 529}, "overloaded_error", "Closed"},
		{"Hang up.", []int{502}, "api_error", ""},
		{"Be malformed.", []int{502, 200}, "api_error", ""},
		{"Break off.", []int{502, 200}, "api_error", ""},
	} {
		if test.say == "Break off." && model == "converse, whole" {
			continue // the emulator breaks off only streams
		}
		e := failure(t, open(url, model), ask, test.say)
		if !slices.Contains(test.statuses, e.StatusCode) || string(e.Type()) != test.kind {
			t.Errorf("%s: %d %s", test.say, e.StatusCode, e.RawJSON())
		}
		if !strings.HasPrefix(model, "converse") && !strings.Contains(e.RawJSON(), test.message) {
			t.Errorf("%s: %s does not say %q", test.say, e.RawJSON(), test.message)
		}
		if after := e.Response.Header.Get("retry-after"); (after == "7") != (test.kind == "rate_limit_error") {
			t.Errorf("%s: retry after %q", test.say, after)
		}
	}
}

// testBareChunks asks for an answer of InvokeModelWithResponseStream. The emulator puts the model's JSON into
// the chunk directly. Bedrock sends it in base64, in the member bytes of another object. Dragoman must report
// an answer that it cannot read.
func testBareChunks(t *testing.T, c *conversation, ask ask) {
	if e := failure(t, c, ask, "Greet me."); e.StatusCode != 502 || !strings.Contains(e.RawJSON(), "a chunk that Dragoman cannot read") {
		t.Errorf("%d %s", e.StatusCode, e.RawJSON())
	}
}
