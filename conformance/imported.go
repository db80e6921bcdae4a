package conformance

import (
	"net/http/httptest"
	"testing"
	"time"

	"dragoman/upstream/upstreamtest"
)

// ImportedModel is the ARN of a model that a user imported into Bedrock.
const ImportedModel = "arn:aws:bedrock:us-east-1:111122223333:imported-model/abcdefghijkl"

// Imports is the imported model of a fake Bedrock: a fine-tuned Qwen2.5, which takes raw prompts.
func Imports() map[string]*upstreamtest.Import {
	return map[string]*upstreamtest.Import{ImportedModel: {
		Name: "my-qwen2.5", Architecture: "qwen2", Created: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		Formats: []string{upstreamtest.FormatChat, upstreamtest.FormatCompletion},
	}}
}

// Imported runs a tool loop with an imported model. The client asks for its ARN. dragoman has no
// configuration, and finds out itself how to ask the model.
func Imported(t *testing.T, c Client) { scriptedBy(serveImport, importedLoop)(t, c) }

// serveImport is [serveBedrock] for the imported model, without a configuration file.
func serveImport(t *testing.T, script upstreamtest.Script) (string, *upstreamtest.Bedrock) {
	t.Helper()
	fake := upstreamtest.NewBedrock(script)
	fake.Imports = Imports()
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	return Serve(t, append([]string{"AWS_REGION=us-east-1", "AWS_ENDPOINT_URL=" + server.URL}, credentials...)), fake
}

// importedLoop calls two tools, in the format of Qwen2.5, before it answers. Then the model continues with a
// user turn, which the client must not get.
var importedLoop = script{model: ImportedModel, steps: []step{
	{
		say:        says("Is it warmer in Oslo than in Rome?"),
		completion: "I will look it up.\n" + toolCall(`{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}`),
		want:       toolUse(text("I will look it up."), call("get_weather", `{"city":"Oslo","days":2}`)),
		prompt:     []string{"<tools>\n", `"name": "get_weather"`, "</tools>", "Is it warmer in Oslo than in Rome?"},
	},
	{
		say:        returns("21 degrees & <sunny>, 晴れ"),
		completion: toolCall(`{"name": "write_note", "arguments": {"text": "Oslo: 晴れ & <b>21</b>"}}`),
		want:       toolUse(call("write_note", `{"text":"Oslo: 晴れ & <b>21</b>"}`)),
		prompt:     []string{"I will look it up.", "<tool_call>\n", `"city": "Oslo"`, "</tool_call>", "<tool_response>\n21 degrees & <sunny>, 晴れ\n</tool_response>"},
	},
	{
		say:        returns("stored"),
		completion: "It is warmer in Oslo.<|im_end|>\n<|im_start|>user\nThank you.",
		want:       endTurn("It is warmer in Oslo."),
		prompt:     []string{"21 degrees", `"text": "Oslo: 晴れ & <b>21</b>"`, "<tool_response>\nstored\n</tool_response>"},
	},
}}

// toolCall is a call in the format of Qwen2.5.
func toolCall(json string) string { return "<tool_call>\n" + json + "\n</tool_call>" }
