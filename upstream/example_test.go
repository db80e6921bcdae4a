package upstream_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// This example asks a server with chat completions and prints the answer as it arrives.
func ExampleServer() {
	server := httptest.NewServer(upstreamtest.NewChat(nil)) // the simulated model behind chat completions
	defer server.Close()
	up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: server.URL + "/v1"})
	if err != nil {
		fmt.Println(err)
		return
	}

	model := upstream.Model{ID: "llama-3.3-70b", Can: upstream.ChatFeaturesOf("llama-3.3-70b")}
	prompt := &translate.Prompt{
		System:    []translate.Text{{Text: "Be brief."}},
		Turns:     []translate.Turn{{Role: messages.RoleUser, Parts: []translate.Part{{Type: translate.PartText, Text: "Good morning!"}}}},
		MaxTokens: 100,
	}
	for chunk, err := range invoke(up, context.Background(), model, prompt) {
		if err != nil {
			fmt.Println(err) // an *upstream.Error, with the status and type of the Messages API
			return
		}
		fmt.Print(chunk.Text)
		if chunk.Stop != "" { // the last chunk
			fmt.Printf("\n%s, %d tokens of output\n", chunk.Stop, chunk.Usage.OutputTokens)
		}
	}
	// Output:
	// [simulated] You said: Good morning!
	// end_turn, 9 tokens of output
}
