package proxy

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// A beta that streams string parameters as they come, and the body's field for it.
const (
	fineGrained = "fine-grained-tool-streaming-2025-05-14"
	bodyBeta    = `"anthropic_beta":["tools-2024-04-04","` + fineGrained + `"]`
)

// The answers to the question in each dialect: whole, and as a stream. For a stream, they are the input that a client
// gathers for a call, and why the stream ended.
var cutDialects = []struct {
	name, whole, stream string
	question            string
	beta                string // a field of the body
	gathered            func(t *testing.T, r io.Reader) (input, stop string)
}{
	{"messages", "/v1/messages", "/v1/messages", question, bodyBeta, gatheredEvents},
	{"vertex", "/v1/projects/p/locations/l/publishers/anthropic/models/claude-2.1:rawPredict",
		"/v1/projects/p/locations/l/publishers/anthropic/models/claude-2.1:streamRawPredict", question, bodyBeta, gatheredEvents},
	{"invoke", "/model/claude-2.1/invoke", "/model/claude-2.1/invoke-with-response-stream", question, bodyBeta, func(t *testing.T, r io.Reader) (string, string) {
		return gatheredFrames(t, readChunks(t, r))
	}},
	{"converse", "/model/claude-2.1/converse", "/model/claude-2.1/converse-stream", converseQuestion, `"additionalModelRequestFields":{` + bodyBeta + `}`, func(t *testing.T, r io.Reader) (input, stop string) {
		for line := range strings.Lines(readEvents(t, r)) {
			var e struct {
				Delta struct {
					ToolUse struct{ Input string }
				}
				StopReason string
			}
			_, data, _ := strings.Cut(line, " ")
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			input += e.Delta.ToolUse.Input
			stop += e.StopReason
		}
		return input, stop
	}},
}

func gatheredEvents(t *testing.T, r io.Reader) (input, stop string) {
	return gatheredFrames(t, readFrames(t, r))
}

func gatheredFrames(t *testing.T, frames []frame) (input, stop string) {
	m := accumulate(t, frames)
	return string(m.Content[len(m.Content)-1].Input), m.StopReason
}

// A call that the token limit cut never looks complete: a stream leaves its JSON open, and a whole answer has only the
// complete parameters.
func TestCut(t *testing.T) {
	up := completing(ends(messages.StopMaxTokens), "Let me look.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n",
		"<parameters>\n<days>3</days>\n<city>Os")
	withTool := strings.NewReplacer(`{"city":{"type":"string"}}`, `{"city":{"type":"string"},"days":{"type":"integer"}}`)
	flow := func(o *Options) { o.Routes[0].StreamValues = translate.ValuesFlow }
	repairs := func(o *Options) { o.Routes[0].Repair = 1 }
	for _, d := range cutDialects {
		asked := withTool.Replace(d.question)
		for name, tt := range map[string]struct {
			asked, want string
			on          func(*Options)
		}{
			"whole values": {asked, `{"days":3`, func(*Options) {}},
			"flow":         {asked, `{"days":3,"city":"Os`, flow},
			"beta":         {`{` + d.beta + `,` + asked[1:], `{"days":3,"city":"Os`, func(*Options) {}},
			"held":         {asked, `{"days":3`, repairs},
		} {
			t.Run(d.name+", "+name, func(t *testing.T) {
				s := newServer(t, up, tt.on)
				body := tt.asked
				if d.whole == d.stream {
					body = streamed(body)
				}
				if input, stop := d.gathered(t, postTo(s, d.stream, body).Body); input != tt.want || stop != "max_tokens" {
					t.Errorf("streamed %s, %s; want %s", input, stop, tt.want)
				}
				if answer := read(t, postTo(s, d.whole, tt.asked).Body); !strings.Contains(answer, `"input":{"days":3}`) || !strings.Contains(answer, `"max_tokens"`) {
					t.Errorf("whole: %s", answer)
				}
			})
		}
	}
}

// In Chat Completions, a whole answer has the same open JSON as a stream.
func TestCutChat(t *testing.T) {
	up := completing(ends(messages.StopMaxTokens), "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n",
		"<parameters>\n<days>3</days>\n<city>Os")
	asked := strings.Replace(chatQuestion, `{"city":{"type":"string"}}`, `{"city":{"type":"string"},"days":{"type":"integer"}}`, 1)
	for values, want := range map[string]string{translate.ValuesWhole: `{"days":3`, translate.ValuesFlow: `{"days":3,"city":"Os`} {
		s := newServer(t, up, func(o *Options) { o.Routes[0].StreamValues = values })
		var input, finish string
		for line := range strings.Lines(read(t, postTo(s, chatPath, streamed(asked)).Body)) {
			var chunk struct {
				Choices []struct {
					Delta struct {
						Calls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
					}
					Finish string `json:"finish_reason"`
				}
			}
			if data, ok := strings.CutPrefix(line, "data: {"); ok {
				if err := json.Unmarshal([]byte("{"+data), &chunk); err != nil {
					t.Fatal(err)
				}
				for _, call := range chunk.Choices[0].Delta.Calls {
					input += call.Function.Arguments
				}
				finish += chunk.Choices[0].Finish
			}
		}
		if input != want || finish != "length" {
			t.Errorf("streamed %s, %s; want %s", input, finish, want)
		}
		if answer := read(t, postTo(s, chatPath, asked).Body); !strings.Contains(answer, `"arguments":`+strconv.Quote(want)+`}`) || !strings.Contains(answer, `"length"`) {
			t.Errorf("whole: %s", answer)
		}
	}
}

// A tool decides whether its parameters may be sent before they are complete. A beta decides it for tools that do not.
func TestEagerInputStreaming(t *testing.T) {
	up := completing(ends(messages.StopMaxTokens), strings.Join(weather, "")[:strings.Index(strings.Join(weather, ""), "lo</city>")])
	const half = `{"city":"Os`
	for _, tt := range []struct{ eager, betas, want string }{
		{"true", "", half},
		{"false", "", `{`},
		{"null", "", `{`},
		{"null", "tools-2024-04-04, " + fineGrained, half},
		{"false", fineGrained, `{`},
	} {
		asked := strings.Replace(question, `{"name":`, `{"eager_input_streaming":`+tt.eager+`,"name":`, 1)
		w := post(newServer(t, up), streamed(asked), "Anthropic-Beta", tt.betas)
		if input, _ := gatheredEvents(t, w.Body); input != tt.want || w.Header().Get("X-Dragoman-Dropped") != "" {
			t.Errorf("%+v: streamed %s, dropped %q", tt, input, w.Header().Get("X-Dragoman-Dropped"))
		}
	}
	checkError(t, post(newServer(t, up), strings.Replace(question, `{"name":`, `{"eager_input_streaming":1,"name":`, 1)).Result(), 400, messages.ErrorInvalidRequest)
}
