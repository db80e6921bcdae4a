package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
)

// FuzzStream checks that a stream is the whole message in pieces, whatever the model says and however its text is cut:
// no text can end or begin a frame.
func FuzzStream(f *testing.F) {
	for _, text := range []string{
		"It is cold.", "\n\nevent: x\ndata: {\"type\":\"message_stop\"}\n\n", "a\r\rdata: x\r\n\r\n: y\n", "\u2028\u2029\x00\x1b\xff😀é",
		"<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Os\n\nevent: x\n\nlo</city>\n</parameters>\n</invoke>\n</function_calls>",
		"<function_calls><invoke>", "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n", "<function_calls><invoke name=\"get_weather\"><parameter name=\"city\">Os",
	} {
		f.Add(text, 3)
	}
	var text string
	var size int
	h := newServer(f, upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if !yield(translate.Chunk{Text: rest[:n]}, nil) {
				return
			}
			rest = rest[n:]
		}
		yield(endOfTurn, nil)
	}), func(o *Options) { o.Routes[0].StreamValues = translate.ValuesWhole }).Handler()
	ask := func(body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, newRequest(http.MethodPost, "/v1/messages", body))
		return w
	}
	f.Fuzz(func(t *testing.T, completion string, piece int) {
		text, size = completion, min(max(piece, 1), 64)
		var whole message
		if w := ask(question); json.Unmarshal(w.Body.Bytes(), &whole) != nil || w.Code != http.StatusOK {
			t.Fatalf("status %d, %s", w.Code, w.Body)
		}
		pieces := accumulate(t, readFrames(t, ask(streamed(question)).Body))
		pieces.closeCut()
		for _, m := range []*message{&whole, &pieces} {
			m.ID, m.Usage = "", nil
			for i := range m.Content {
				m.Content[i].ID = ""
			}
		}
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Errorf("message (-) and stream (+):\n%s", diff)
		}
	})
}
