package clients

import "dragoman/conformance"

// hidden is what clients of Chat Completions hide: the API has one reason for the end of an answer and for a stop
// sequence, and chunks instead of events.
var hidden = conformance.Hides{Events: true, StopSequence: true, StopReason: true}

// openAI are the SDKs of OpenAI.
var openAI = []client{
	{
		name: "OpenAI Go", release: "3.99.0", api: "Chat", dialect: conformance.Chat, hides: hidden,
		program: goProgram("openai-go"),
		cannot:  map[string]string{conformance.ToolError: untoldError, conformance.ImageResult: resultText},
	},
	{
		name: "OpenAI Python", release: "3.57.0", api: "Chat", dialect: conformance.Chat, hides: hidden,
		program: pythonProgram("openai-python", "requirements.txt"),
		cannot:  map[string]string{conformance.ToolError: untoldError},
	},
	{
		name: "OpenAI TypeScript", release: "7.59.0", api: "Chat", dialect: conformance.Chat, hides: hidden,
		program: nodeProgram("openai-typescript", "openai-typescript"),
		cannot:  except(doubles, map[string]string{conformance.ToolError: untoldError}),
	},
	{
		name: "OpenAI Java", release: "4.101.0", api: "Chat", dialect: conformance.Chat, hides: hidden,
		program: javaProgram("openai-java"),
		cannot:  except(unstoppable, map[string]string{conformance.ToolError: untoldError, conformance.ImageResult: resultText}),
	},
}
