package clients

import "dragoman/conformance"

// frameworks are libraries for building agents. They have their own names for the events of a stream.
var frameworks = []client{
	vercel("6.0.322", "6", "Messages", "anthropic", conformance.Messages, nil),
	vercel("6.0.322", "6", "Bedrock", "invoke", conformance.Bedrock, nil),
	vercel("6.0.322", "6", "Converse", "converse", conformance.Converse, map[string]string{
		conformance.ToolError:     vercelToolError,
		conformance.FailureWithin: "it reports an exception in a stream as a message without the exception's name",
	}),
	vercel("7.0.173", "7", "Messages", "anthropic", conformance.Messages, nil),
	vercel("7.0.173", "7", "Bedrock", "invoke", conformance.Bedrock, nil),
	vercel("7.0.173", "7", "Converse", "converse", conformance.Converse, map[string]string{conformance.ToolError: vercelToolError}),
	vercelChat("6.0.322", "6"),
	vercelChat("7.0.173", "7"),
	pydantic("Messages", "anthropic", conformance.Messages),
	pydantic("Bedrock", "invoke", conformance.Bedrock),
	pydanticConverse(),
	pydanticChat(),
	{
		name: "LlamaIndex", release: "0.12.3", api: "Messages", dialect: conformance.Messages,
		program: pythonProgram("llamaindex", "requirements.txt", "anthropic"),
		hides:   conformance.Hides{Events: true, StopSequence: true, Refusals: true},
		cannot:  map[string]string{conformance.ToolError: untoldError},
	},
}

const vercelToolError = "it sends error results to Bedrock without their status"

// vercel is the Vercel AI SDK with a provider.
func vercel(release, pins, api, provider string, dialect conformance.Dialect, cannot map[string]string) client {
	return client{
		name: "Vercel AI SDK", release: release, api: api, dialect: dialect,
		program: nodeProgram("vercel-ai", "vercel-ai/"+pins, provider),
		// A failure in a stream has no request id.
		hides:  conformance.Hides{Events: true, RequestID: true, Refusals: true, NoSuchTool: provider == "converse"},
		cannot: except(doubles, cannot),
	}
}

// vercelChat is the Vercel AI SDK with its provider for servers of OpenAI's API.
func vercelChat(release, pins string) client {
	c := vercel(release, pins, "Chat", "compatible", conformance.Chat, map[string]string{
		conformance.ToolError:   "its provider for OpenAI's API does not mark error results",
		conformance.ImageResult: "it sends an image in a tool result as JSON text",
	})
	c.hides.StopSequence, c.hides.StopReason = true, true
	return c
}

// pydantic is Pydantic AI with a provider.
func pydantic(api, provider string, dialect conformance.Dialect) client {
	return client{
		name: "Pydantic AI", release: "2.68.0", api: api, dialect: dialect,
		program: pythonProgram("pydantic-ai", "requirements.txt", provider),
		hides:   conformance.Hides{Events: true, StopSequence: true, NoSuchTool: true},
	}
}

// pydanticConverse is Pydantic AI over boto3. boto3 rejects requests that its model of the API does not
// allow, and gives no id to a failure in a stream.
func pydanticConverse() client {
	c := pydantic("Converse", "converse", conformance.Converse)
	c.hides.Refusals, c.hides.RequestID = true, true
	c.cannot = map[string]string{conformance.AbortWhole: "boto3 sends the request in a thread, which cannot be cancelled"}
	return c
}

// pydanticChat is Pydantic AI over the openai package, which gives no id to a failure in a stream.
func pydanticChat() client {
	c := pydantic("Chat", "openai", conformance.Chat)
	c.hides.StopReason, c.hides.RequestID = true, true
	c.cannot = map[string]string{conformance.ToolError: untoldError}
	return c
}
