package clients

import "dragoman/conformance"

// java are clients in Java, which only make conformance runs.
var java = []client{
	{
		name: "AWS SDK for Java", release: "2.54.14", api: "InvokeModel", dialect: conformance.Invoke,
		program: javaProgram("aws-java", "invoke"),
	},
	{
		name: "AWS SDK for Java", release: "2.54.14", api: "Converse", dialect: conformance.Converse,
		program: javaProgram("aws-java", "converse"), cannot: map[string]string{conformance.NoTool: notInConverse},
	},
	{
		name: "LangChain4j", release: "1.19.0", api: "Messages", dialect: conformance.Messages,
		program: javaProgram("langchain4j", "anthropic"),
		// Its error has only the status and the body.
		hides: conformance.Hides{Events: true, StopSequence: true, StopReason: true, RequestID: true},
	},
	{
		name: "LangChain4j", release: "1.16.3", api: "Converse", dialect: conformance.Converse,
		program: javaProgram("langchain4j", "bedrock"),
		// A failure in a stream has no request id.
		hides: conformance.Hides{Events: true, StopSequence: true, StopReason: true, RequestID: true, NoSuchTool: true},
		cannot: map[string]string{
			conformance.ForcedTool:  "its tool choice cannot name a tool",
			conformance.NoTool:      notInConverse,
			conformance.ToolError:   vercelToolError,
			conformance.Arguments:   int32s,
			conformance.LongNumbers: int32s,
			conformance.AbortWhole:  "the blocking client of the AWS SDK cannot cancel a request",
		},
	},
	{
		name: "Spring AI", release: "2.0.1", api: "Messages", dialect: conformance.Messages,
		program: javaProgram("spring-ai"),
		hides:   conformance.Hides{Events: true, StopSequence: true},
		cannot: map[string]string{
			conformance.ToolError:   untoldError,
			conformance.ImageResult: "its tool message is a text",
			conformance.AbortWhole:  unstoppable[conformance.AbortWhole],
		},
	},
}

const int32s = "calls in its history have 32-bit integers"
