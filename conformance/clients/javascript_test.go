package clients

import (
	"maps"

	"dragoman/conformance"
)

// javascript are what people build agents with in JavaScript, besides the [frameworks].
var javascript = []client{
	{
		name: "LangChain.js Anthropic", release: "1.5.11", api: "Messages", dialect: conformance.Messages,
		program: nodeProgram("langchain-javascript", "langchain-javascript"),
		hides:   conformance.Hides{Events: true, NoSuchTool: true},
		cannot:  except(doubles, conformance.ToolError, "the status of its message of a tool is not sent"),
	},
}

// except adds a case and why it fails to those of others.
func except(others map[string]string, test, reason string) map[string]string {
	all := maps.Clone(others)
	all[test] = reason
	return all
}
