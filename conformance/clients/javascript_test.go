package clients

import (
	"maps"

	"dragoman/conformance"
)

// javascript are libraries for building agents in JavaScript that are not in [frameworks].
var javascript = []client{
	{
		name: "LangChain.js Anthropic", release: "1.5.11", api: "Messages", dialect: conformance.Messages,
		program: nodeProgram("langchain-javascript", "langchain-javascript", "anthropic"),
		hides:   conformance.Hides{Events: true, NoSuchTool: true},
		cannot:  except(doubles, map[string]string{conformance.ToolError: langchainToolError}),
	},
	{
		name: "LangChain.js AWS", release: "1.4.5", api: "Converse", dialect: conformance.Converse,
		program: nodeProgram("langchain-javascript", "langchain-javascript", "converse"),
		// A failure in a stream has no request id.
		hides: conformance.Hides{Events: true, StopSequence: true, RequestID: true, NoSuchTool: true},
		cannot: except(doubles, map[string]string{
			conformance.NoTool: "Converse has no such tool_choice", conformance.ToolError: langchainToolError,
		}),
	},
	strandsTypeScript("Messages", "anthropic", conformance.Messages, map[string]string{
		conformance.NoTool:        strandsNoTool,
		conformance.AbortWhole:    "it always streams",
		conformance.FailureWithin: strandsTooLong,
	}),
	strandsTypeScript("Converse", "converse", conformance.Converse, map[string]string{
		conformance.NoTool:        strandsNoTool,
		conformance.FailureWithin: strandsTooLong,
	}),
	{
		name: "Mastra", release: "1.71.0", api: "Messages", dialect: conformance.Messages,
		program: nodeProgram("mastra", "mastra"),
		// A failure in a stream has no request id.
		hides:  conformance.Hides{Events: true, StopReason: true, RequestID: true},
		cannot: doubles,
	},
	{
		name: "Genkit Anthropic", release: "0.3.0", api: "Messages", dialect: conformance.Messages,
		program: nodeProgram("genkit", "genkit"),
		hides:   conformance.Hides{Events: true},
		cannot: except(doubles, map[string]string{
			conformance.ToolError: untoldError, conformance.ImageResult: "a tool result is a text or an image, not both",
		}),
	},
}

const langchainToolError = "it does not send the status of its tool message"

const strandsTooLong = "its error for a too long prompt has no status and no cause"

// strandsTypeScript is Strands with a provider.
func strandsTypeScript(api, provider string, dialect conformance.Dialect, cannot map[string]string) client {
	return client{
		name: "Strands TypeScript", release: "1.16.0", api: api, dialect: dialect, streams: provider == "anthropic",
		program: nodeProgram("strands-typescript", "strands-typescript", provider),
		hides:   conformance.Hides{Events: true, StopSequence: true},
		cannot:  except(doubles, cannot),
	}
}

// except merges two sets of reasons why cases fail.
func except(others, reasons map[string]string) map[string]string {
	all := maps.Clone(others)
	maps.Copy(all, reasons)
	return all
}
