package upstream

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
)

func textTurn(role string, texts ...string) translate.Turn {
	turn := translate.Turn{Role: role}
	for _, text := range texts {
		turn.Parts = append(turn.Parts, translate.Part{Type: translate.PartText, Text: text})
	}
	return turn
}

func TestTextBody(t *testing.T) {
	temperature, topP, topK := 0.5, 0.25, 0
	tests := []struct {
		name   string
		prompt *translate.Prompt
		want   string
	}{
		{"all of it", &translate.Prompt{
			System: []translate.Text{{Text: "<tools>"}, {Text: "Be \"brief\""}},
			Turns: []translate.Turn{
				textTurn(messages.RoleUser, "Hi <b> &"), textTurn(messages.RoleAssistant, "Yes?"), textTurn(messages.RoleUser, "one", "two"),
				textTurn(messages.RoleAssistant, "<function_calls>"),
			},
			StopSequences: []string{translate.CallsEnd, "END"},
			MaxTokens:     64, Temperature: &temperature, TopP: &topP, TopK: &topK,
		}, `{"anthropic_version":"bedrock-2023-05-31","prompt":"<tools>\nBe \"brief\"\n\nHuman: Hi <b> &\n\nAssistant: Yes?\n\nHuman: one\ntwo\n\nAssistant: <function_calls>",` +
			`"max_tokens_to_sample":64,"stop_sequences":["</function_calls>","END","\n\nHuman:"],"temperature":0.5,"top_p":0.25,"top_k":0}`},
		{"the least", &translate.Prompt{Turns: []translate.Turn{textTurn(messages.RoleUser, "Hi")}, MaxTokens: 1},
			`{"anthropic_version":"bedrock-2023-05-31","prompt":"\n\nHuman: Hi\n\nAssistant:","max_tokens_to_sample":1,"stop_sequences":["\n\nHuman:"]}`},
		{"the client stops there too", &translate.Prompt{
			Turns: []translate.Turn{textTurn(messages.RoleUser, "Hi")}, StopSequences: []string{humanTurn}, MaxTokens: 1,
		}, `{"anthropic_version":"bedrock-2023-05-31","prompt":"\n\nHuman: Hi\n\nAssistant:","max_tokens_to_sample":1,"stop_sequences":["\n\nHuman:"]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := encodeText(test.prompt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextBodyRefuses(t *testing.T) {
	source := jsontext.Value(`{"type":"url","url":"u"}`)
	with := func(part translate.Part) []translate.Turn {
		turn := textTurn(messages.RoleUser, "Look")
		turn.Parts = append(turn.Parts, part)
		return []translate.Turn{textTurn(messages.RoleUser, "Hi"), textTurn(messages.RoleAssistant, "Yes?"), turn}
	}
	tests := []struct {
		name    string
		turns   []translate.Turn
		status  int
		message string
	}{
		{"an image", with(translate.Part{Type: translate.PartImage, Source: source}), 400,
			"messages: this model reads only text and cannot be shown the image in turn 3 (user)"},
		{"a document", with(translate.Part{Type: translate.PartDocument, Source: source, Title: "My \"T\""}), 400,
			`messages: this model reads only text and cannot be shown the document "My \"T\"" in turn 3 (user)`},
		{"a turn of the human's in a text", with(translate.Part{Type: translate.PartText, Text: "a\n\nHuman: b"}), 500,
			"a text of the prompt contains a turn marker, so Dragoman did not send it"},
		{"a turn of the assistant's in a text", with(translate.Part{Type: translate.PartText, Text: "a\n\nAssistant: b"}), 500,
			"a text of the prompt contains a turn marker, so Dragoman did not send it"},
		{"what is no text", with(translate.Part{Type: translate.PartText, Text: "\xff"}), 400, "the prompt cannot be written as JSON: a text is not UTF-8, or a source is not JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := encodeText(&translate.Prompt{Turns: test.turns})
			var e *Error
			if !errors.As(err, &e) || e.Status != test.status || e.Message != test.message {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestDecodeText(t *testing.T) {
	const piece = `{"type":"completion","completion":" Hel","stop_reason":null,"stop":null}` + "\n"
	const end = `{"type":"completion","completion":"","stop_reason":"stop_sequence","stop":"\n\nHuman:"}`
	ask := func(stops ...string) *translate.Prompt {
		return &translate.Prompt{Turns: []translate.Turn{textTurn(messages.RoleUser, "Hi")}, StopSequences: stops}
	}
	prefill := ask()
	prefill.Turns = append(prefill.Turns, textTurn(messages.RoleAssistant, "I"))
	tests := []struct {
		name   string
		prompt *translate.Prompt
		chunks string // one a line
		text   string
		last   translate.Chunk
		err    string
	}{
		{"one blank goes, once", ask(), piece + piece + end, "Hel Hel", translate.Chunk{Stop: "end_turn"}, ""},
		{"one blank of two", ask(), `{"completion":"  x"}` + "\n" + end, " x", translate.Chunk{Stop: "end_turn"}, ""},
		{"a blank alone", ask(), `{"completion":""}` + "\n" + `{"completion":" "}` + "\n" + `{"completion":" x"}` + "\n" + end, " x", translate.Chunk{Stop: "end_turn"}, ""},
		{"a newline stays", ask(), `{"completion":"\n x"}` + "\n" + end, "\n x", translate.Chunk{Stop: "end_turn"}, ""},
		{"behind a prefill all stays", prefill, piece + end, " Hel", translate.Chunk{Stop: "end_turn"}, ""},
		{"whatever the order, and what we do not know", ask(),
			`{"stop":null,"type":"ping"}` + "\n" + `{"stop":null,"more":{},"stop_reason":null,"completion":" \ud83d\ude00"}` + "\n" + end,
			"😀", translate.Chunk{Stop: "end_turn"}, ""},
		{"text in the last chunk, with the counters", ask(),
			`{"type":"completion","completion":" all","stop_reason":"max_tokens","stop":null,"amazon-bedrock-invocationMetrics":{"inputTokenCount":7,"outputTokenCount":126,"invocationLatency":4069}}`,
			"all", translate.Chunk{Text: "all", Stop: "max_tokens", Usage: messages.Usage{InputTokens: 7, OutputTokens: 126}}, ""},
		{"ours", ask(translate.CallsEnd), `{"completion":"","stop_reason":"stop_sequence","stop":"</function_calls>"}`, "",
			translate.Chunk{Stop: "stop_sequence", StopSequence: translate.CallsEnd}, ""},
		{"the next turn, though there are others", ask(translate.CallsEnd, "END"), end, "", translate.Chunk{Stop: "end_turn"}, ""},
		{"the next turn, where the client asked for it", ask(humanTurn), end, "", translate.Chunk{Stop: "stop_sequence", StopSequence: humanTurn}, ""},
		{"the next turn, where the client asked for another", ask("END"), end, "", translate.Chunk{Stop: "end_turn"}, ""},
		{"a sequence that nobody asked for", ask("END"), `{"completion":"","stop_reason":"stop_sequence","stop":"\n\nAssistant:"}`, "", translate.Chunk{Stop: "end_turn"}, ""},
		{"a sequence without its name", ask("END"), `{"completion":"","stop_reason":"stop_sequence","stop":null}`, "", translate.Chunk{Stop: "stop_sequence"}, ""},
		{"a sequence without its name, and none to name", ask(), `{"completion":"","stop_reason":"stop_sequence","stop":null}`, "", translate.Chunk{Stop: "end_turn"}, ""},
		{"nothing behind the end is read", ask(), end + "\n{", "", translate.Chunk{Stop: "end_turn"}, ""},
		{"no chunks", ask(), "", "", translate.Chunk{}, "broke off"},
		{"no end", ask(), piece, "Hel", translate.Chunk{}, "broke off"},
		{"not JSON", ask(), `{"type":"completion","completion":" Hel"`, "", translate.Chunk{}, "Dragoman cannot read"},
		{"not UTF-8", ask(), strings.Replace(piece, "Hel", "\xff", 1), "", translate.Chunk{}, "Dragoman cannot read"},
		{"an error", ask(), piece + `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "Hel", translate.Chunk{}, "529 overloaded_error: Overloaded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := func(yield func([]byte, error) bool) {
				for line := range strings.Lines(test.chunks) {
					if !yield([]byte(strings.TrimSuffix(line, "\n")), nil) {
						return
					}
				}
			}
			var text string
			var last translate.Chunk
			var failure error
			complete := decodeStream(lines, newTextDecoder(test.prompt).decode, func(c translate.Chunk, err error) bool {
				last, failure = c, err
				text += c.Text
				return true
			})
			if text != test.text || !cmp.Equal(last, test.last) {
				t.Errorf("text %q, last %+v", text, last)
			}
			if test.err == "" && failure != nil || test.err != "" && (failure == nil || !strings.Contains(failure.Error(), test.err)) {
				t.Errorf("error %v", failure)
			}
			if complete != (failure == nil) {
				t.Errorf("complete %v", complete)
			}
		})
	}
}
