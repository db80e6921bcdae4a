package clients

import "dragoman/conformance"

// doubles are the cases that programs in JavaScript cannot pass.
var doubles = map[string]string{conformance.LongNumbers: "every number in JavaScript is a double"}

// unstoppable are the cases that programs in Java cannot pass.
var unstoppable = map[string]string{conformance.AbortWhole: "the blocking client can cancel only streams"}

// anthropic are the SDKs of Anthropic.
var anthropic = []client{
	{name: "Anthropic Go", release: "1.84.0", api: "Messages", program: anthropicGo1("messages"), dialect: conformance.Messages},
	{name: "Anthropic Go", release: "1.84.0", api: "Bedrock", program: anthropicGo1("bedrock"), dialect: conformance.Bedrock},
	{name: "Anthropic Go", release: "1.84.0", api: "Vertex", program: anthropicGo1("vertex"), dialect: conformance.Vertex},
	{name: "Anthropic Go", release: "2.12.0", api: "Messages", program: goProgram("anthropic-go", "messages"), dialect: conformance.Messages},
	{name: "Anthropic Go", release: "2.12.0", api: "Bedrock", program: goProgram("anthropic-go", "bedrock"), dialect: conformance.Bedrock},
	{name: "Anthropic Go", release: "2.12.0", api: "Vertex", program: goProgram("anthropic-go", "vertex"), dialect: conformance.Vertex},
	{
		name: "Anthropic Python", release: "0.125.0", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("anthropic-python", "requirements-0.txt", "messages"),
	},
	{
		name: "Anthropic Python", release: "0.125.0", api: "Bedrock", dialect: conformance.Bedrock,
		program: pythonProgram("anthropic-python", "requirements-0.txt", "bedrock"),
	},
	{
		name: "Anthropic Python", release: "0.125.0", api: "Vertex", dialect: conformance.Vertex,
		program: pythonProgram("anthropic-python", "requirements-0.txt", "vertex"),
	},
	{
		name: "Anthropic Python", release: "2.11.0", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("anthropic-python", "requirements-2.txt", "messages"),
	},
	{
		name: "Anthropic Python", release: "2.11.0", api: "Bedrock", dialect: conformance.Bedrock,
		program: pythonProgram("anthropic-python", "requirements-2.txt", "bedrock"),
	},
	{
		name: "Anthropic Python", release: "2.11.0", api: "Vertex", dialect: conformance.Vertex,
		program: pythonProgram("anthropic-python", "requirements-2.txt", "vertex"),
	},
	{
		name: "Anthropic TypeScript sdk", release: "0.137.0", api: "Messages", dialect: conformance.Messages, cannot: doubles,
		program: nodeProgram("anthropic-typescript", "anthropic-typescript/0", "messages"),
	},
	{
		name: "Anthropic TypeScript bedrock-sdk", release: "0.36.0", api: "Bedrock", dialect: conformance.Bedrock, cannot: doubles,
		program: nodeProgram("anthropic-typescript", "anthropic-typescript/0", "bedrock"),
	},
	{
		name: "Anthropic TypeScript vertex-sdk", release: "0.22.0", api: "Vertex", dialect: conformance.Vertex, cannot: doubles,
		program: nodeProgram("anthropic-typescript", "anthropic-typescript/0", "vertex"),
	},
	{
		name: "Anthropic TypeScript sdk", release: "1.11.0", api: "Messages", dialect: conformance.Messages, cannot: doubles,
		program: nodeProgram("anthropic-typescript", "anthropic-typescript/1", "messages"),
	},
	{
		name: "Anthropic TypeScript bedrock-sdk", release: "1.1.2", api: "Bedrock", dialect: conformance.Bedrock, cannot: doubles,
		program: nodeProgram("anthropic-typescript", "anthropic-typescript/1", "bedrock"),
	},
	{
		name: "Anthropic TypeScript vertex-sdk", release: "1.1.3", api: "Vertex", dialect: conformance.Vertex, cannot: doubles,
		program: nodeProgram("anthropic-typescript", "anthropic-typescript/1", "vertex"),
	},
	{
		name: "Anthropic Java", release: "2.57.0", api: "Messages", dialect: conformance.Messages,
		program: javaProgram("anthropic-java", "messages"), cannot: unstoppable,
	},
	{
		name: "Anthropic Java", release: "2.57.0", api: "Bedrock", dialect: conformance.Bedrock,
		program: javaProgram("anthropic-java", "bedrock"), cannot: unstoppable,
	},
	{
		name: "Anthropic Java", release: "2.57.0", api: "Vertex", dialect: conformance.Vertex,
		program: javaProgram("anthropic-java", "vertex"), cannot: unstoppable,
	},
}
