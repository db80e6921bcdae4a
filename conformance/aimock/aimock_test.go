// Package aimock puts dragoman in front of a third party's emulator of its upstreams, @copilotkit/aimock,
// and asks it with a client library. What the emulator takes and sends is its own reading of the wires.
// Its release is pinned in this folder, and fixtures.json is what it answers.
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

// entry is a model under test: how it is reached, %s being the emulator, and how it is asked.
type entry struct {
	name, upstream, model string
	native                bool // the model calls tools in its own way
}

// Each model has an upstream of its own, so that the failures of one do not close another. The emulator
// takes Vertex AI's path of chat completions for one it knows only if something stands in front of it.
var entries = []entry{
	{name: "messages", upstream: `kind: anthropic, base_url: "%s"`, model: `claude-3-7-sonnet-20250219`},
	{name: "native", upstream: `kind: anthropic, base_url: "%s"`, model: `claude-3-7-sonnet-20250219, tools: native`, native: true},
	{name: "auto", upstream: `kind: anthropic, base_url: "%s"`, model: `claude-3-7-sonnet-20250219, tools: auto`, native: true},
	{name: "chat", upstream: `kind: openai, base_url: "%s/v1"`, model: `llama3`},
	{name: "vertex", upstream: `kind: vertex, project: p, location: us-east5, endpoint: "%s/vertex"`, model: `meta/llama-3.3-70b-instruct-maas`},
	{name: "converse", upstream: bedrock, model: `"amazon.nova-lite-v1:0"`},
	{name: "converse, whole", upstream: bedrock, model: `"amazon.nova-lite-v1:0", streaming: false`},
}

// bare are the models whose streams are not Bedrock's when the emulator sends them.
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
					testCall(t, open(url, e.name), ask, "Oslo")   // stopped behind the call
					testCall(t, open(url, e.name), ask, "Bergen") // writing on
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

// testCall asks what needs a call and answers the call.
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

// testFailures has the model fail before and within its answer. A stream may have begun by then.
func testFailures(t *testing.T, url, model string, ask ask) {
	for _, test := range []struct {
		say      string
		statuses []int
		kind     string
		message  string // that the emulator gave, in a form of its own on Bedrock
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
			continue // the emulator breaks off streams alone
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

// testBareChunks asks for an answer of InvokeModelWithResponseStream. The emulator puts the model's JSON
// into the chunk as it is; Bedrock's is in base64, the member bytes of another object. An answer that is
// not understood is a failure that says so.
func testBareChunks(t *testing.T, c *conversation, ask ask) {
	if e := failure(t, c, ask, "Greet me."); e.StatusCode != 502 || !strings.Contains(e.RawJSON(), "a chunk that Dragoman cannot read") {
		t.Errorf("%d %s", e.StatusCode, e.RawJSON())
	}
}
