package proxy

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/google/go-cmp/cmp"
)

// TestFrameOfTheService compares with a frame of docs/reference/bedrock.md §3.
func TestFrameOfTheService(t *testing.T) {
	frame := appendFrame([]byte("before"), eventHeaders("chunk"), []byte(`{"bytes":"eyJ0eXBlIjoicGluZyJ9"}`))
	head, _ := hex.DecodeString("0000007b0000004b0a2e96af")
	tail, _ := hex.DecodeString("a01f56c4")
	want := "before" + string(head) +
		"\x0b:event-type\x07\x00\x05chunk\x0d:content-type\x07\x00\x10application/json\x0d:message-type\x07\x00\x05event" +
		`{"bytes":"eyJ0eXBlIjoicGluZyJ9"}` + string(tail)
	if string(frame) != want {
		t.Errorf("%q, want %q", frame, want)
	}
}

// TestFrames has the AWS SDK read what was written.
func TestFrames(t *testing.T) {
	long := strings.Repeat("ü", 1<<20)
	var stream []byte
	stream = appendFrame(stream, nil, nil)
	stream = appendFrame(stream, eventHeaders("chunk"), []byte(long))
	stream = appendFrame(stream, [][2]string{{strings.Repeat("n", 255), strings.Repeat("v", 1<<15-1)}, {"empty", ""}}, []byte("{}"))
	stream = appendException(stream, "throttlingException", "slow \"down\"\n\xff")
	want := []struct {
		headers map[string]string
		payload string
	}{
		{map[string]string{}, ""},
		{map[string]string{":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}, long},
		{map[string]string{strings.Repeat("n", 255): strings.Repeat("v", 1<<15-1), "empty": ""}, "{}"},
		{
			map[string]string{":exception-type": "throttlingException", ":content-type": "application/json", ":message-type": "exception"},
			`{"message":"slow \"down\"\n` + "\ufffd" + `"}`,
		},
	}
	r := bytes.NewReader(stream)
	for i, w := range want {
		m, err := eventstream.NewDecoder().Decode(r, nil)
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		headers := map[string]string{}
		for _, h := range m.Headers {
			headers[h.Name] = h.Value.String()
		}
		if diff := cmp.Diff(w.headers, headers); diff != "" {
			t.Errorf("frame %d: %s", i, diff)
		}
		if string(m.Payload) != w.payload {
			t.Errorf("frame %d: %.200q", i, m.Payload)
		}
	}
	if r.Len() != 0 {
		t.Errorf("%d bytes are left", r.Len())
	}
}

func TestFramesNeedNoMemory(t *testing.T) {
	headers, payload, dst := eventHeaders("chunk"), []byte(`{"bytes":""}`), make([]byte, 0, 1<<10)
	if n := testing.AllocsPerRun(100, func() { dst = appendFrame(dst[:0], headers, payload) }); n != 0 {
		t.Errorf("%v allocations for a frame", n)
	}
}
