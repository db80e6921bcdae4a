package clients

import "dragoman/conformance"

// python are clients in Python, which only make conformance runs.
var python = []client{
	{
		name: "Strands", release: "1.62.0", api: "Messages", dialect: conformance.Messages, streams: true,
		program: pythonProgram("strands", "requirements.txt", "anthropic"),
		hides:   conformance.Hides{Events: true, StopSequence: true},
		cannot: map[string]string{
			conformance.NoTool:     strandsNoTool,
			conformance.AbortWhole: "it always streams",
		},
	},
	{
		name: "Strands", release: "1.62.0", api: "Converse", dialect: conformance.Converse,
		program: pythonProgram("strands", "requirements.txt", "converse"),
		hides:   conformance.Hides{Events: true, StopSequence: true, Refusals: true, RequestID: true},
		cannot: map[string]string{
			conformance.NoTool:     strandsNoTool,
			conformance.Abort:      "it closes a stream only at the next event, which never comes if the model stalls",
			conformance.AbortWhole: "it sends the request in a thread, which cannot be cancelled",
		},
	},
	{
		name: "LiteLLM", release: "1.106.2", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("litellm", "requirements.txt", "anthropic"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true},
		cannot: map[string]string{
			conformance.ToolError:     untoldError,
			conformance.FailureWithin: untypedFailure,
		},
	},
	{
		name: "LiteLLM", release: "1.106.2", api: "Converse", dialect: conformance.Converse,
		program: pythonProgram("litellm", "requirements.txt", "converse"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, RequestID: true},
		cannot:  map[string]string{conformance.ToolError: untoldError, conformance.NoTool: notInConverse},
	},
	litellmProxy("Anthropic", "Messages", "messages", conformance.Messages),
	litellmProxy("OpenAI", "Messages", "messages", conformance.Messages),
	litellmProxy("OpenAI", "Converse", "converse", conformance.Converse),
	adk("Messages", "messages", conformance.Messages),
	adk("Vertex", "vertex", conformance.Vertex),
	{
		name: "Haystack", release: "8.0.1", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("haystack", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true},
		cannot:  map[string]string{conformance.CutShort: "it drops a cut call, even if some values are complete"},
	},
	openAIAgents("Messages", "anthropic", conformance.Messages),
	openAIAgents("Converse", "converse", conformance.Converse),
	openAIAgents("Chat", "chat", conformance.Chat),
	{
		name: "llm", release: "0.36", api: "Messages", dialect: conformance.Messages, streams: true,
		program: pythonProgram("llm", "requirements.txt"),
		hides:   conformance.Hides{Events: true, NoSuchTool: true},
		cannot: map[string]string{
			conformance.ForcedTool: noChoice, conformance.NoTool: noChoice, conformance.ToolError: untoldError,
			conformance.AbortWhole: "it always streams",
		},
	},
	{
		name: "AutoGen", release: "0.7.5", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("autogen", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, NoSuchTool: true},
		cannot: map[string]string{
			conformance.ToolError:   unsentError,
			conformance.ImageResult: resultText,
		},
	},
	{
		name: "Semantic Kernel", release: "1.45.0", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("semantic-kernel", "requirements.txt"),
		hides:   conformance.Hides{Events: true, Refusals: true},
		cannot: map[string]string{
			conformance.NoTool:       "it rejects the tool_choice `none`",
			conformance.ToolError:    untoldError,
			conformance.ImageResult:  resultText,
			conformance.StopSequence: "it does not know this stop reason, and the answer is an error",
		},
	},
	{
		name: "Agno", release: "3.1.10", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("agno", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, TokenLimit: true},
		cannot: map[string]string{
			conformance.ToolError: unsentError,
			conformance.CutShort:  "it reports no stop reason, and drops a cut call",
		},
	},
	{
		name: "CrewAI", release: "1.15.30", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("crewai", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, NoSuchTool: true},
		cannot: map[string]string{
			conformance.ToolLoop:   "it drops the text beside a call",
			conformance.ForcedTool: noChoice, conformance.NoTool: noChoice,
			conformance.ToolError: untoldError,
		},
	},
	{
		name: "LangChain Vertex", release: "3.2.5", api: "Vertex", dialect: conformance.Vertex,
		program: pythonProgram("langchain", "requirements-more.txt", "vertex"),
		hides:   conformance.Hides{Events: true},
	},
	{
		name: "deepagents", release: "0.7.32", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("langchain", "requirements-more.txt", "deepagents"),
		hides:   conformance.Hides{Events: true},
	},
	{
		name: "LangChain OpenAI", release: "1.7.4", api: "Chat", dialect: conformance.Chat,
		program: pythonProgram("langchain", "requirements-more.txt", "openai"),
		// The openai package gives no id to a failure in a stream.
		hides:  conformance.Hides{Events: true, StopSequence: true, StopReason: true, RequestID: true},
		cannot: map[string]string{conformance.ToolError: langchainToolError},
	},
	{
		name: "LlamaIndex OpenAI", release: "0.8.3", api: "Chat", dialect: conformance.Chat,
		program: pythonProgram("llamaindex", "requirements-openai.txt", "openai"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, RequestID: true, Refusals: true},
		cannot:  map[string]string{conformance.ToolError: untoldError, conformance.ImageResult: resultText},
	},
	{
		name: "CAMEL", release: "0.2.90", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("camel", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, NoSuchTool: true},
		cannot: map[string]string{
			conformance.ForcedTool: noChoice, conformance.NoTool: noChoice,
			conformance.ToolError:   untoldError,
			conformance.ImageResult: resultText,
			conformance.Abort:       "the stream of its model has no method to close it",
		},
	},
}

// adk are the models of Google ADK for Claude.
func adk(api, argument string, dialect conformance.Dialect) client {
	return client{
		name: "Google ADK", release: "2.13.0", api: api, dialect: dialect,
		program: pythonProgram("google-adk", "requirements.txt", argument),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, NoSuchTool: true},
		cannot: map[string]string{
			conformance.ForcedTool: noChoice, conformance.NoTool: noChoice,
			conformance.ToolError: untoldError,
		},
	}
}

// litellmProxy is LiteLLM's proxy between a package and the server.
func litellmProxy(of, api, provider string, dialect conformance.Dialect) client {
	c := client{
		name: "LiteLLM proxy for " + of, release: "1.106.2", api: api, dialect: dialect,
		program: pythonProgram("litellm-proxy", "requirements.txt", of, provider),
		hides:   conformance.Hides{Events: true, RequestID: true},
		cannot: map[string]string{
			conformance.AbortWhole: "without streaming, the proxy waits for the answer even after its client has left",
			conformance.Statuses:   "the proxy changes some statuses and types, such as 413 to 400 and 529 to 500",
		},
	}
	if of == "OpenAI" {
		c.hides.StopSequence, c.hides.StopReason = true, true
		c.cannot[conformance.ToolError] = untoldError
		c.cannot[conformance.FailureWithin] = "the proxy reports it in its own words"
	}
	if provider == "converse" {
		c.cannot[conformance.NoTool] = notInConverse
	}
	return c
}

// openAIAgents are the models of the OpenAI Agents SDK: of its own, and of LiteLLM for other APIs than OpenAI's. LiteLLM is older than the one
// in the other rows, because newer ones cannot be installed together with the SDK.
func openAIAgents(api, provider string, dialect conformance.Dialect) client {
	c := client{
		name: "OpenAI Agents", release: "0.24.0", api: api, dialect: dialect,
		program: pythonProgram("openai-agents", "requirements.txt", provider),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true},
		cannot: map[string]string{
			conformance.ToolError: untoldError,
			conformance.CutShort:  "it does not report that the token limit ended an answer",
			conformance.Abort:     "it needs LiteLLM 1.83.0 or older, which does not close the connection when the stream is closed or the run is cancelled",
		},
	}
	switch provider {
	case "converse":
		c.hides.RequestID = true
		c.cannot[conformance.NoTool] = notInConverse
	case "chat":
		c.hides.RequestID = true // of a failure in a stream
		delete(c.cannot, conformance.Abort)
		c.cannot[conformance.ImageResult] = resultText
	default:
		c.cannot[conformance.FailureWithin] = untypedFailure
	}
	return c
}

const untypedFailure = "it reports a failure in a stream as a message without the error type"

const noChoice = "it has no tool_choice"

const untoldError = "its tool message cannot say that the result is an error"

const unsentError = "its tool message says that the result is an error, but it does not send this"

const resultText = "a tool result can only be text"

const strandsNoTool = "its tool_choice has no `none`"
