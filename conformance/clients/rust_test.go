package clients

import "dragoman/conformance"

// rust are clients in Rust, which only make conformance runs.
var rust = []client{
	{
		name: "AWS SDK for Rust", release: "1.153.0", api: "Converse", dialect: conformance.Converse,
		program: rustProgram("aws"), cannot: map[string]string{conformance.NoTool: notInConverse},
	},
}
