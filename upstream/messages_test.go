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

func TestMessagesBody(t *testing.T) {
	temperature, topP, topK := 0.5, 0.25, 0
	full := &translate.Prompt{
		System: []translate.Text{{Text: "<tools>"}, {Text: "Be \"brief\"\n"}},
		Turns: []translate.Turn{
			{Role: messages.RoleUser, Parts: []translate.Part{
				{Type: translate.PartText, Text: "Look <here> & \u2028"},
				{Type: translate.PartImage, Source: jsontext.Value(`{"type":"base64","media_type":"image/png","data":"aGk="}`)},
				{Type: translate.PartDocument, Source: jsontext.Value(`{"type":"url","url":"https://x.test/a.pdf"}`), Title: "T", Context: "C"},
			}},
			{Role: messages.RoleAssistant, Parts: []translate.Part{{Type: translate.PartText, Text: "<function_calls>"}}},
		},
		StopSequences: []string{translate.CallsEnd, "END"},
		MaxTokens:     64, Temperature: &temperature, TopP: &topP, TopK: &topK,
	}
	least := &translate.Prompt{
		Turns:     []translate.Turn{{Role: messages.RoleUser, Parts: []translate.Part{{Type: translate.PartText, Text: "Hi"}}}},
		MaxTokens: 1,
	}
	tests := []struct {
		name   string
		body   messagesBody
		prompt *translate.Prompt
		want   string
	}{
		{"bedrock", messagesBody{AnthropicVersion: messages.VersionBedrock}, full, `{"anthropic_version":"bedrock-2023-05-31","max_tokens":64,` +
			`"system":[{"type":"text","text":"<tools>"},{"type":"text","text":"Be \"brief\"\n"}],` +
			`"messages":[{"role":"user","content":[{"type":"text","text":"Look <here> & ` + "\u2028" + `"},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},` +
			`{"type":"document","source":{"type":"url","url":"https://x.test/a.pdf"},"title":"T","context":"C"}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"<function_calls>"}]}],` +
			`"stop_sequences":["</function_calls>","END"],"temperature":0.5,"top_p":0.25,"top_k":0}`},
		{"a cache point behind the preamble", messagesBody{cache: true}, &translate.Prompt{System: full.System, Turns: least.Turns, MaxTokens: 1},
			`{"max_tokens":1,"system":[{"type":"text","text":"<tools>","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Be \"brief\"\n"}],` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`},
		{"nothing to cache", messagesBody{cache: true}, least,
			`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`},
		{"anthropic", messagesBody{Model: "m", Stream: true}, least,
			`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"stream":true}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.body.encode(test.prompt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	least.Turns[0].Parts[0].Text = "\xff"
	var e *Error
	if _, err := (messagesBody{}).encode(least); !errors.As(err, &e) || e.Status != 400 {
		t.Errorf("a prompt that is not UTF-8: %v", err)
	}
}

func TestDecodeMessages(t *testing.T) {
	const start = `{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":25,"cache_read_input_tokens":null,"output_tokens":1,"service_tier":"standard"}}}` + "\n"
	const stop = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}` + "\n" + `{"type":"message_stop"}`
	used := messages.Usage{InputTokens: 25, OutputTokens: 9}
	tests := []struct {
		name   string
		events string // one a line
		text   string
		last   translate.Chunk
		err    string
	}{
		{"text, thinking, and what we do not know", start + `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"hm"}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":", so"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"xyz"}}
{"type":"ping"}
{"type":"brand_new","delta":{"text":"not text"}}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"A"}}
{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"\ud83d\ude00<"}}
` + stop, "[hm][, so]A😀<", translate.Chunk{Stop: "end_turn", Usage: used}, ""},
		{"a sequence that nobody asked for", start + `{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"\n\nHuman:"},"usage":{"output_tokens":9}}
{"type":"message_stop"}`, "", translate.Chunk{Stop: "end_turn", Usage: used}, ""},
		{"two message_deltas", start + `{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"},"usage":{"output_tokens":8}}
{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":9,"input_tokens":0}}
{"type":"message_stop"}`, "", translate.Chunk{Stop: "stop_sequence", StopSequence: "END", Usage: used}, ""},
		{"Bedrock's counters where the model has none", `{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}
{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":25,"outputTokenCount":126,"invocationLatency":4069}}`,
			"", translate.Chunk{Stop: "max_tokens", Usage: used}, ""},
		{"a pause is an end", start + strings.Replace(stop, "end_turn", "pause_turn", 1), "", translate.Chunk{Stop: "end_turn", Usage: used}, ""},
		{"a full context window", start + strings.Replace(stop, "end_turn", "model_context_window_exceeded", 1), "",
			translate.Chunk{Stop: "model_context_window_exceeded", Usage: used}, ""},
		{"a reason of chat completions", start + strings.Replace(stop, "end_turn", "length", 1), "", translate.Chunk{Stop: "max_tokens", Usage: used}, ""},
		{"a reason of tomorrow", start + strings.Replace(stop, "end_turn", "bored", 1), "", translate.Chunk{Stop: "end_turn", UnknownStop: "bored", Usage: used}, ""},
		{"a connection that was cut", start + strings.Replace(stop, "end_turn", "network_error", 1), "", translate.Chunk{}, "502 api_error: the upstream broke off"},
		{"counters with a point, or in quotes", strings.Replace(start, "25", `"25"`, 1) + strings.Replace(stop, "9", "9.0", 1), "", translate.Chunk{Stop: "end_turn", Usage: used}, ""},
		{"nothing behind the end is read", start + stop + "\n{", "", translate.Chunk{Stop: "end_turn", Usage: used}, ""},
		{"no events", "", "", translate.Chunk{}, "broke off"},
		{"no message_stop", start + `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, "", translate.Chunk{}, "broke off"},
		{"no stop_reason", start + `{"type":"message_stop"}`, "", translate.Chunk{}, "without a stop_reason"},
		{"not JSON", start + `{"type":"ping"`, "", translate.Chunk{}, "Dragoman cannot read"},
		{"not UTF-8", start + `{"type":"content_block_delta","delta":{"text":"` + "\xff" + `"}}`, "", translate.Chunk{}, "Dragoman cannot read"},
		{"an error", start + `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "", translate.Chunk{}, "529 overloaded_error: Overloaded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := func(yield func([]byte, error) bool) {
				for line := range strings.Lines(test.events) {
					if !yield([]byte(strings.TrimSpace(line)), nil) {
						return
					}
				}
			}
			var text string
			var last translate.Chunk
			var failure error
			complete := decodeStream(lines, newMessagesDecoder(&translate.Prompt{StopSequences: []string{translate.CallsEnd, "END"}}).decode, func(c translate.Chunk, err error) bool {
				last, failure = c, err
				if c.Thinking != "" {
					text += "[" + c.Thinking + "]"
				}
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
