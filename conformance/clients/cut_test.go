package clients

import (
	"testing"

	"dragoman/conformance"
)

// cut is what a library does with a call that was cut in a stream.
type cut struct {
	open        conformance.OpenInput
	how         string
	runs, eager bool // see conformance.Client
}

// cuts are the libraries' results, by name.
var cuts = map[string]cut{
	"Anthropic Go": {open: conformance.Drops, runs: true, how: "the call has no input, and the tool runner does not run it"},
	"Anthropic Python": {open: conformance.Drops, runs: true,
		how: "the call has the complete values; the tool runner of release 0 runs the call, the one of release 2 does not. " +
			"With the beta `fine-grained-tool-streaming`, release 0 closes the JSON, unless the tool has `eager_input_streaming: false`"},
	"Anthropic TypeScript sdk":         typeScript,
	"Anthropic TypeScript bedrock-sdk": typeScript,
	"Anthropic TypeScript vertex-sdk":  typeScript,
	"Anthropic Java":                   {open: conformance.Drops, runs: true, how: "the call has no input, and the tool runner runs it"},
	"OpenAI Go":                        unread,
	"OpenAI Python":                    unread,
	"OpenAI TypeScript":                {open: conformance.Refuses, runs: true, how: "it passes the open JSON to its users, and the tool runner does not run the call"},
	"OpenAI Java":                      unread,
	"AWS SDK for Go":                   unread,
	"boto3":                            unread,
	"AWS SDK for JavaScript":           unread,
	"AWS SDK for Java":                 unread,
	"LangChain4j":                      {open: conformance.Refuses, runs: true, how: "it cannot read the arguments, and the AI service ends with an error before it runs the tool"},
	"Spring AI":                        {open: conformance.Refuses, runs: true, how: "it cannot read the arguments, and the chat ends with an error before it runs the tool"},
	"LangChain Anthropic": {open: conformance.Mends, runs: true, eager: true,
		how: mended + ", unless the tool has `eager_input_streaming: false`"},
	"LangChain Vertex": {open: conformance.Mends, runs: true, how: mended},
	"deepagents": {open: conformance.Mends, runs: true, eager: true,
		how: mended + ", unless the tool has `eager_input_streaming: false`"},
	"LangChain OpenAI":       {open: conformance.Mends, runs: true, how: mended},
	"LlamaIndex OpenAI":      llamaIndex,
	"CAMEL":                  {open: conformance.Refuses, runs: true, how: "it passes the open JSON to its agents, which do not run the call"},
	"LangChain AWS":          {open: conformance.Mends, runs: true, how: mended},
	"LangChain.js Anthropic": {open: conformance.Mends, runs: true, how: mended},
	"LangChain.js AWS":       {open: conformance.Mends, runs: true, how: mended},
	"Vercel AI SDK":          {open: conformance.Refuses, runs: true, how: "the call is invalid, and no tool runs"},
	"Pydantic AI":            {open: conformance.Refuses, runs: true, how: "it cannot read the call, and the agent asks the model again"},
	"LlamaIndex":             llamaIndex,
	"Strands TypeScript":     {open: conformance.Refuses, runs: true, how: "the message lacks the call, and the agent ends with an error"},
	"Mastra":                 {open: conformance.Drops, runs: true, how: "the call has no input, and the agent runs it only if none is required"},
	"Genkit Anthropic": {open: conformance.Drops, runs: true,
		how: "the call has the complete values, and the tool runs if its schema requires no others"},
	"Strands":                     {open: conformance.Drops, runs: true, how: "the call has no input, and the agent ends without running it"},
	"LiteLLM":                     unread,
	"Haystack":                    {open: conformance.Refuses, runs: true, how: "it drops the call, and no tool runs"},
	"Google ADK":                  {open: conformance.Refuses, runs: true, how: "the answer is an error, and no tool runs"},
	"AWS SDK for Rust":            unread,
	"genai":                       {open: conformance.Refuses, how: "the input of the call is the open JSON as a string"},
	"rig":                         {open: conformance.Refuses, runs: true, how: "the call is marked as invalid, with half a value in its arguments; the agent does not run it, and tells the model"},
	"LiteLLM proxy for Anthropic": {open: conformance.Drops, how: "the call has the complete values"},
	"LiteLLM proxy for OpenAI":    unread,
	"llm":                         {open: conformance.Drops, runs: true, how: "the call has the complete values, and the chain runs the tool with them"},
	"OpenAI Agents":               {open: conformance.Refuses, runs: true, how: "it passes the open JSON to the tool, and a parser rejects it"},
	"AutoGen":                     {open: conformance.Refuses, runs: true, how: "the agent cannot read the arguments, and runs no tool"},
	"Semantic Kernel": {open: conformance.Drops, runs: true,
		how: "the call has the complete values, and the kernel runs it if no required parameter is missing"},
	"CrewAI": {open: conformance.Drops, how: "the call has the complete values, and a tool refuses to run without a required value"},
	"Agno":   {open: conformance.Drops, runs: true, how: "the call has the complete values, and the agent runs it"},
}

var (
	typeScript = cut{open: conformance.Drops, runs: true, how: "the call has the complete values, and the tool runner does not run it"}
	llamaIndex = cut{open: conformance.Mends, runs: true, how: "with `stream_values: flow`, the agent runs the tool with null for the value"}
	unread     = cut{open: conformance.Refuses, how: "it passes the open JSON to its users, and a parser rejects it"}
)

const mended = "with `stream_values: flow`, the agent runs the tool with half a value"

// TestFineGrained cuts a call for a library that closes open JSON if its user turns on a beta.
func TestFineGrained(t *testing.T) {
	program := pythonProgram("anthropic-python", "requirements-0.txt", "fine-grained")
	library := conformance.Client{
		Open: conformance.Program(t, program(t)), Dialect: conformance.Messages,
		OpenInput: conformance.Mends, FineGrained: true, Runs: true, Eager: true,
	}
	for _, test := range conformance.Cases {
		if test.Name == conformance.CutCall {
			test.Run(t, library)
		}
	}
}
