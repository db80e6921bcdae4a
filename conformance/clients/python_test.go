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
}

const strandsNoTool = "its tool_choice has no none"
