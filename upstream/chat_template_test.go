package upstream

import (
	"testing"

	"dragoman/translate"
)

// TestChatTemplate has events behind a first one: whatever they are, they are read as they
// are by a decoder that has seen none before.
func TestChatTemplate(t *testing.T) {
	const head, tail = `{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":`, `},"logprobs":null,"finish_reason":null}]}`
	for _, first := range []string{
		head + `"a"` + tail, head + `"\n"` + tail, head + `""` + tail, head + `null` + tail,
		`{"choices":[{"delta":{"role":"assistant","content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a","reasoning":"b"}}]}`,
		`{"choices":[{"delta":{"content":"a","content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3}}`,
	} {
		for _, second := range []string{
			first, head + `"b"` + tail, head + `"é\u00e9\ud83d\ude00"` + tail, head + `"b","reasoning":"c"` + tail, head + `["b"]` + tail,
			head + `"\x"` + tail, head + `"b` + tail, head + `"b"`, head + `"` + "\xff" + `"` + tail, head + `"b"},"finish_reason":"length"}]}`,
			`{"choices":[{"delta":{"content":"b","content":"a"}}]}`,
		} {
			d, fresh := newChatDecoder(&translate.Prompt{}, nil), newChatDecoder(&translate.Prompt{}, nil)
			if _, err := d.decode([]byte(first)); err != nil {
				t.Fatal(first, err)
			}
			fresh.usage, fresh.stop = d.usage, d.stop
			got, err := d.decode([]byte(second))
			want, wantErr := fresh.decode([]byte(second))
			if got != want || (err == nil) != (wantErr == nil) || d.stop != fresh.stop {
				t.Errorf("%s behind %s: %+v, %v; want %+v, %v", second, first, got, err, want, wantErr)
			}
		}
	}
}

func TestChatDeltasNeedNoMemory(t *testing.T) {
	d := newChatDecoder(&translate.Prompt{}, nil)
	data := []byte(`{"id":"1","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"content":"some text"},"finish_reason":null}]}`)
	needNoMemory(t, d.decode, data)
}
