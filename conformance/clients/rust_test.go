package clients

import "dragoman/conformance"

// rust are clients in Rust, which only make conformance runs.
var rust = []client{
	{name: "AWS SDK for Rust", release: "1.153.0", api: "InvokeModel", program: rustProgram("aws", "invoke"), dialect: conformance.Invoke},
	{
		name: "AWS SDK for Rust", release: "1.153.0", api: "Converse", dialect: conformance.Converse,
		program: rustProgram("aws", "converse"), cannot: map[string]string{conformance.NoTool: notInConverse},
	},
	{
		name: "genai", release: "0.7.2", api: "Messages", dialect: conformance.Messages,
		program: rustProgram("genai"),
		hides:   conformance.Hides{Events: true, StopSequence: true, Refusals: true},
		cannot: map[string]string{
			conformance.ToolError:   untoldError,
			conformance.ImageResult: "its tool message holds only text",
		},
	},
	{
		name: "rig", release: "0.44.0", api: "Messages", dialect: conformance.Messages,
		program: rustProgram("rig"),
		hides:   conformance.Hides{Events: true, StopSequence: true, StopReason: true, Refusals: true},
	},
}
