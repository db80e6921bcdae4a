package messages

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestMessageAppendJSON(t *testing.T) {
	tests := []struct {
		name string
		msg  Message
		want string
	}{{
		name: "just begun",
		msg:  Message{ID: "msg_1", Model: "claude-2.1", Usage: Usage{InputTokens: 3}},
		want: `{"id":"msg_1","type":"message","role":"assistant","model":"claude-2.1","content":[],` +
			`"container":null,"diagnostics":null,"stop_details":null,"stop_reason":null,"stop_sequence":null,` +
			`"usage":{"input_tokens":3,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,` +
			`"cache_creation":null,"output_tokens_details":null,"server_tool_use":null,"service_tier":null,"inference_geo":null,"speed":null}}`,
	}, {
		name: "every kind of block",
		msg: Message{
			ID: "msg_2", Model: `m"`, StopReason: StopSequence, StopSequence: "\n\n",
			Content: []ContentBlock{
				{Type: BlockThinking, Thinking: "hm\n", Signature: "c2ln"},
				{Type: BlockText, Text: `say "hi" </x>`},
				{Type: BlockToolUse, ID: "toolu_1", Name: "get_weather", Input: jsontext.Value(`{"city":"Oslo"}`)},
				{Type: BlockToolUse, ID: "toolu_2", Name: "now"},
			},
			Usage: Usage{InputTokens: 412, OutputTokens: 58, CacheCreationInputTokens: 7, CacheReadInputTokens: 9},
		},
		want: `{"id":"msg_2","type":"message","role":"assistant","model":"m\"","content":[` +
			`{"type":"thinking","thinking":"hm\n","signature":"c2ln"},` +
			`{"type":"text","text":"say \"hi\" </x>"},` +
			`{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"},"caller":{"type":"direct"}},` +
			`{"type":"tool_use","id":"toolu_2","name":"now","input":{},"caller":{"type":"direct"}}],` +
			`"container":null,"diagnostics":null,"stop_details":null,"stop_reason":"stop_sequence","stop_sequence":"\n\n",` +
			`"usage":{"input_tokens":412,"output_tokens":58,"cache_creation_input_tokens":7,"cache_read_input_tokens":9,` +
			`"cache_creation":null,"output_tokens_details":null,"server_tool_use":null,"service_tier":null,"inference_geo":null,"speed":null}}`,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkJSON(t, tt.msg.AppendJSON(nil), tt.want)
		})
	}
}

func TestEventAppendJSON(t *testing.T) {
	begun := &Message{ID: "msg_1", Model: "m", Usage: Usage{InputTokens: 25, OutputTokens: 1}}
	tests := []struct {
		name  string
		event Event
		want  string
	}{
		{"message_start", Event{Type: MessageStart, Message: begun},
			`{"type":"message_start","message":` + string(begun.AppendJSON(nil)) + `}`},
		{"ping", Event{Type: Ping}, `{"type":"ping"}`},
		{"text opens", Event{Type: ContentBlockStart, Block: &ContentBlock{Type: BlockText}},
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`},
		{"tool_use opens", Event{Type: ContentBlockStart, Index: 1, Block: &ContentBlock{Type: BlockToolUse, ID: "toolu_1", Name: "f"}},
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{},"caller":{"type":"direct"}}}`},
		{"thinking opens", Event{Type: ContentBlockStart, Block: &ContentBlock{Type: BlockThinking}},
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`},
		{"text", Event{Type: ContentBlockDelta, Delta: TextDelta, Text: []byte("a\n\nevent: x\n\ndata: {}")},
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n\nevent: x\n\ndata: {}"}}`},
		{"input", Event{Type: ContentBlockDelta, Index: 12, Delta: InputJSONDelta, Text: []byte(`{"city":"Oslo"}`)},
			`{"type":"content_block_delta","index":12,"delta":{"type":"input_json_delta","partial_json":"{\"city\":\"Oslo\"}"}}`},
		{"no input", Event{Type: ContentBlockDelta, Index: 1, Delta: InputJSONDelta},
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`},
		{"thinking", Event{Type: ContentBlockDelta, Delta: ThinkingDelta, Text: []byte("hm")},
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`},
		{"signature", Event{Type: ContentBlockDelta, Delta: SignatureDelta, Text: []byte("c2ln")},
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`},
		{"block stops", Event{Type: ContentBlockStop, Index: 1}, `{"type":"content_block_stop","index":1}`},
		{"message_delta", Event{Type: MessageDelta, Message: &Message{StopReason: StopToolUse, Usage: Usage{InputTokens: 25, OutputTokens: 89}}},
			`{"type":"message_delta","delta":{"stop_details":null,"stop_reason":"tool_use","stop_sequence":null},` +
				`"usage":{"input_tokens":25,"output_tokens":89,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}`},
		{"message_stop", Event{Type: MessageStop}, `{"type":"message_stop"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkJSON(t, tt.event.AppendJSON(nil), tt.want)
		})
	}
}

func checkJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !jsontext.Value(got).IsValid() {
		t.Errorf("not JSON: %s", got)
	}
}

func TestEventAppendJSONAllocatesNothing(t *testing.T) {
	event := Event{Type: ContentBlockDelta, Index: 1, Delta: InputJSONDelta, Text: []byte(`{"text":"naïve \n`)}
	dst := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { event.AppendJSON(dst) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
