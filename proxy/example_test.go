package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"dragoman/proxy"
	"dragoman/upstream/simulated"
)

// A client of the Messages API offers a tool and gets a call to it from a model that only completes text. Here the
// model is the simulated one: a program that reads the prompt and answers in the legacy XML.
func Example() {
	server, err := proxy.New(proxy.Options{
		Routes: []proxy.Route{
			{Name: "claude-*", UpstreamModel: proxy.UpstreamModel{Upstream: "sim"}},
		},
		Upstreams: map[string]proxy.Upstream{"sim": simulated.New()},
	})
	if err != nil {
		panic(err)
	}
	listener := httptest.NewServer(server.Handler())
	defer listener.Close()

	response, err := http.Post(listener.URL+"/v1/messages", "application/json", strings.NewReader(`{
		"model": "claude-2.1",
		"max_tokens": 1024,
		"messages": [{"role": "user", "content": "What is the weather in Lisbon?"}],
		"tools": [{
			"name": "get_weather",
			"description": "Get the current weather in a given city.",
			"input_schema": {
				"type": "object",
				"properties": {"city": {"type": "string", "description": "The name of the city"}},
				"required": ["city"]
			}
		}]
	}`))
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	var message struct {
		StopReason string `json:"stop_reason"`
		Content    []struct {
			Type  string          `json:"type"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
	}
	if err := json.NewDecoder(response.Body).Decode(&message); err != nil {
		panic(err)
	}

	fmt.Println(response.Status, message.StopReason)
	for _, block := range message.Content {
		if block.Type == "tool_use" {
			fmt.Printf("%s(%s)\n", block.Name, block.Input)
		}
	}
	// Output:
	// 200 OK tool_use
	// get_weather({"city":"Lisbon"})
}
