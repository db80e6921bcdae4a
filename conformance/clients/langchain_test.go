package clients

import "dragoman/conformance"

// langchain are the chat models of LangChain. They return pieces of a message, and no events.
var langchain = []client{
	{
		name: "LangChain Anthropic", release: "1.7.7", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("langchain", "requirements.txt", "anthropic"),
		hides:   conformance.Hides{Events: true},
	},
	{
		name: "LangChain AWS", release: "1.9.1", api: "Converse", dialect: conformance.Converse,
		program: pythonProgram("langchain", "requirements.txt", "bedrock"),
		// boto3 rejects requests that its model of the API does not allow, and gives no id to a failure in a
		// stream.
		hides: conformance.Hides{Events: true, RequestID: true, Refusals: true},
		cannot: map[string]string{
			conformance.NoTool:     "Converse has no such tool_choice",
			conformance.AbortWhole: "it sends the request in a thread, which cannot be cancelled",
		},
	},
}
