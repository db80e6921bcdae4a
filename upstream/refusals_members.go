package upstream

import "strings"

// Recognizing which member of a body of chat completions a server refuses (docs/reference/chat-servers.md §4). Servers
// name the member, each in a sentence of its own.

// memberWording is a sentence that refuses a member: the text before the path of the member and the text behind it,
// in lower case. %d matches a number. source says whose words they are.
type memberWording struct{ before, after, source string }

// memberRefusals are compared in this order, and the first match counts. Only the beginning of a message is compared:
// quotes of the request come later, so no client can make a server say these words.
var memberRefusals = []memberWording{
	{"unsupported parameter: '", "'", "OpenAI"},
	{"unsupported parameter: ", "", "OpenAI"},
	{"unknown parameter: '", "'", "Azure"},
	{"unrecognized request argument supplied: ", "", "Azure"},
	{"unrecognized request arguments supplied: ", "", "Azure"},
	{"validation error at #/", ": extra inputs are not permitted", "Azure"},
	{"'messages.%d' : for 'role:assistant' the following must be satisfied[('messages.%d' : property '", "' is unsupported", "Groq"},
	{"'messages.%d' : property '", "' is unsupported", "Groq"},
	{"property '", "' is unsupported", "Groq, Cerebras"},
	{"tools with mixed values for '", "' are not allowed", "Cerebras"},
	{"tools with ", "=true are not supported by this model", "Cerebras"},
	{"unknown field: parameter '", "' is not a valid field", "Cohere"},
	{"invalid json payload received. unknown name \"", "\"", "Google"},
	{"extra inputs are not permitted: ", "", "Mistral"},
	{"", ": extra inputs are not permitted", "Mistral, and others built with Pydantic"},
	{"", "=false is not supported", "Cerebras"},
	{"additional properties are not allowed ('", "' was unexpected", "gateways with JSON Schema"},
	{"json: unknown field \"", "\"", "gateways in Go"},
	{"%d validation error for chatcompletionrequest ", " extra inputs are not permitted", "vLLM and others"},
	{"[{'type': 'extra_forbidden', 'loc': ('body', '", "')", "vLLM and others"},
	{"the parameter '", "' is not supported", "gateways"},
	{"this model does not support ", "", "gateways"},
	{"'", "' is not supported", "gateways"},
	{"", " is not supported", "Databricks"},
}

// memberNamed is the feature of each member that a request can do without.
var memberNamed = map[string]Features{
	"max_tokens":            MaxTokensMember,
	"parallel_tool_calls":   ParallelMember,
	"stream_options":        UsageMember,
	"strict":                StrictMember,
	"reasoning_content":     ReasoningMember,
	"temperature":           Sampling,
	"top_p":                 Sampling,
	"top_k":                 TopK,
	"stop":                  StopSequences,
	"add_generation_prompt": Prefill,
}

// memberRefused returns the feature whose member an unwrapped message refuses, or 0 for any other message.
func memberRefused(message string) Features {
	message = plainWords(message)
	for _, wording := range memberRefusals {
		_, fits, ok := readNumbers(message, wording.before)
		if !ok {
			continue
		}
		path := message[len(fits):]
		rest := strings.TrimLeft(path, memberBytes)
		path = path[:len(path)-len(rest)]
		if strings.HasPrefix(rest, wording.after) {
			if refused := memberAt(path); refused != 0 {
				return refused
			}
		}
	}
	return 0
}

// memberBytes are the bytes of a path: body.messages.2.assistant.reasoning_content.
const memberBytes = "abcdefghijklmnopqrstuvwxyz0123456789_.[]/"

// memberAt returns the feature of the member at the end of a path. A client can choose names below parameters and
// arguments.
func memberAt(path string) Features {
	names := strings.FieldsFunc(strings.TrimRight(path, "."), func(c rune) bool { return strings.ContainsRune(".[]/", c) })
	for _, name := range names {
		if name == "parameters" || name == "arguments" {
			return 0
		}
	}
	if len(names) == 0 {
		return 0
	}
	return memberNamed[names[len(names)-1]]
}
