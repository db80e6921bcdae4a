package clients

import "dragoman/conformance"

// python are clients in Python that only make conformance runs.
var python = []client{
	{
		name: "Strands", release: "1.62.0", api: "Messages", dialect: conformance.Messages, streams: true,
		program: pythonProgram("strands", "requirements.txt", "anthropic"),
		hides:   conformance.Hides{Events: true, StopSequence: true},
		cannot: map[string]string{
			conformance.NoTool:     strandsNoTool,
			conformance.AbortWhole: "it asks for a stream in any case",
		},
	},
	{
		name: "Strands", release: "1.62.0", api: "Converse", dialect: conformance.Converse,
		program: pythonProgram("strands", "requirements.txt", "converse"),
		hides:   conformance.Hides{Events: true, StopSequence: true, Refusals: true, RequestID: true},
		cannot: map[string]string{
			conformance.NoTool:     strandsNoTool,
			conformance.Abort:      "it closes a stream at the next event, and from a model that stalls none comes",
			conformance.AbortWhole: "it asks in a thread, which cannot be cancelled",
		},
	},
	{
		name: "LiteLLM", release: "1.106.2", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("litellm", "requirements.txt", "anthropic"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true},
		cannot: map[string]string{
			conformance.ToolError:     untoldError,
			conformance.FailureWithin: "what it makes of a failure within a stream is a message without a type",
		},
	},
	{
		name: "LiteLLM", release: "1.106.2", api: "Converse", dialect: conformance.Converse,
		program: pythonProgram("litellm", "requirements.txt", "converse"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, RequestID: true},
		cannot:  map[string]string{conformance.ToolError: untoldError, conformance.NoTool: notInConverse},
	},
	adk("Messages", "messages", conformance.Messages),
	adk("Vertex", "vertex", conformance.Vertex),
	{
		name: "Haystack", release: "8.0.1", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("haystack", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true},
		cannot:  map[string]string{conformance.CutShort: "it drops a call that was cut, also one of which values came whole"},
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
			conformance.NoTool:       "it refuses a tool_choice of none",
			conformance.ToolError:    untoldError,
			conformance.ImageResult:  resultText,
			conformance.StopSequence: "it has no word for it, and the answer is an error",
		},
	},
	{
		name: "Agno", release: "3.1.10", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("agno", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, TokenLimit: true},
		cannot: map[string]string{
			conformance.ToolError: unsentError,
			conformance.CutShort:  "it gives no stop reason, and drops a call that was cut",
		},
	},
	{
		name: "CrewAI", release: "1.15.30", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("crewai", "requirements.txt"),
		hides:   conformance.Hides{Events: true, StopSequence: true, NoSuchTool: true},
		cannot: map[string]string{
			conformance.ToolLoop:   "it drops the text beside a call",
			conformance.ForcedTool: noToolChoice, conformance.NoTool: noToolChoice,
			conformance.ToolError: untoldError,
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
			conformance.ForcedTool: noToolChoice, conformance.NoTool: noToolChoice,
			conformance.ToolError: untoldError,
		},
	}
}

const noToolChoice = "it has no tool_choice"

const untoldError = "its message of a tool does not tell that the result is an error"

const unsentError = "that a result is an error stands in its message, and is not sent"

const resultText = "a tool's result is text alone"

const strandsNoTool = "its tool_choice has no none"
