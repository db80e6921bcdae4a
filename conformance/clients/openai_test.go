package clients

import (
	"path/filepath"
	"testing"

	"dragoman/conformance"
	"dragoman/conformance/install"
)

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

// TestParse has SDKs parse answers into the types of a program, whole and streamed: an answer, and a call after a word.
func TestParse(t *testing.T) {
	const (
		answer = `{"city": "Åsgård <b> \"x\"", "sky": "clear", "hours": [{"hour": 9, "degrees": -1.5}, {"hour": 12, "degrees": null}]}`
		call   = "I look it up.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>"
	)
	serve := func(t *testing.T) string {
		url, _ := conformance.ServeScript(t, answer, call, answer, call)
		return url
	}
	t.Run("Python", func(t *testing.T) {
		folder := filepath.Join("..", "openai-python")
		install.Run(t, folder, install.Python(t, filepath.Join(folder, "requirements.txt")), "parse.py", serve(t))
	})
	t.Run("TypeScript", func(t *testing.T) {
		install.Run(t, nodeFolder(t, "openai-typescript", "openai-typescript", "parse.mjs"), "node", "parse.mjs", serve(t))
	})
}
