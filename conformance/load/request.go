package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// shape says what a request looks like.
type shape struct {
	API    string // of the client: messagesAPI, invokeAPI or chatAPI
	Stream bool
	Tools  int // that are offered
	Turns  int // before this one, each a call and its result
	TurnKB int // of each result
	System int // bytes of system prompt
	Stops  bool
}

// The client APIs.
const (
	messagesAPI = "messages"
	invokeAPI   = "invoke" // InvokeModel of Bedrock, streamed or not
	chatAPI     = "chat"
)

type object = map[string]any

var inputSchema = object{
	"type": "object",
	"properties": object{
		"path":  object{"type": "string", "description": "The path of the file, relative to the root of the repository."},
		argName: object{"type": "string", "description": "The text to write to the file, whole."},
		"mode":  object{"type": "string", "enum": []string{"create", "replace", "append"}},
		"lines": object{"type": "array", "items": object{"type": "integer"}},
		"opts":  object{"type": "object", "properties": object{"dry_run": object{"type": "boolean"}, "depth": object{"type": "integer", "minimum": 0}}},
	},
	"required": []string{"path", argName},
}

// body returns the body of a request.
func (s shape) body() []byte {
	system := "You are a careful programmer. " + string(filler("plain", s.System))
	m := object{"max_tokens": 4096, "model": "bench", "stream": s.Stream}
	stops := "stop_sequences"
	if s.API == chatAPI {
		stops = "stop"
		m["messages"] = append([]any{object{"role": "system", "content": system}}, s.messages()...)
	} else {
		m["system"], m["messages"] = system, s.messages()
	}
	if s.API == invokeAPI { // the path says which model, and whether to stream
		delete(m, "model")
		delete(m, "stream")
		m["anthropic_version"] = "bedrock-2023-05-31"
	}
	if tools := s.tools(); len(tools) > 0 {
		m["tools"] = tools
	}
	if s.Stops {
		m[stops] = []string{callsStop}
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // of strings and numbers
	}
	return b
}

func (s shape) tools() (list []any) {
	const about = "Writes a text file. Use it whenever the user asks for a file to be made or changed; do not use it to read one."
	for i := range s.Tools {
		name := toolName
		if i > 0 {
			name = fmt.Sprintf("%s_%d", toolName, i)
		}
		if s.API == chatAPI {
			list = append(list, object{"type": "function", "function": object{"name": name, "description": about, "parameters": inputSchema}})
		} else {
			list = append(list, object{"name": name, "description": about, "input_schema": inputSchema})
		}
	}
	return list
}

func (s shape) messages() []any {
	list := []any{object{"role": "user", "content": "Write the program that we spoke of to src/main.go."}}
	result := string(filler("mixed", s.TurnKB<<10))
	for i := range s.Turns {
		id := fmt.Sprintf("toolu_%024d", i)
		input := object{"path": fmt.Sprintf("src/f%d.go", i), argName: "package main\n"}
		if s.API == chatAPI {
			arguments, _ := json.Marshal(input) // of strings
			call := object{"id": id, "type": "function", "function": object{"name": toolName, "arguments": string(arguments)}}
			list = append(list, object{"role": "assistant", "content": "I will do that.", "tool_calls": []any{call}},
				object{"role": "tool", "tool_call_id": id, "content": result})
			continue
		}
		list = append(list,
			object{"role": "assistant", "content": []any{object{"type": "text", "text": "I will do that."},
				object{"type": "tool_use", "id": id, "name": toolName, "input": input}}},
			object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": id, "content": result}}})
	}
	return list
}

// message returns a request as it goes over the connection.
func (s shape) message(host, path string, headers []string) []byte {
	body := s.body()
	var w strings.Builder
	fmt.Fprintf(&w, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", path, host, len(body))
	for _, h := range headers {
		w.WriteString(h + "\r\n")
	}
	w.WriteString("\r\n")
	w.Write(body)
	return []byte(w.String())
}
