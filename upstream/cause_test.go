package upstream

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Calls that end with the same cause do not change it.
func TestSharedCause(t *testing.T) {
	const calls = 8
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Request-Id", fmt.Sprint("req_", asked.Add(1)))
		fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	up, err := NewAnthropic(ServerOptions{BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	cause := &Error{Status: 529, Type: messages.ErrorOverloaded, Message: "the server is shutting down"}
	ctx, cut := context.WithCancelCause(t.Context())
	var begun, ended sync.WaitGroup
	begun.Add(calls)
	for range calls {
		ended.Go(func() {
			var last error
			first := sync.OnceFunc(begun.Done)
			for _, err := range chunksOf(up, ctx, Model{ID: "m"}, &translate.Prompt{MaxTokens: 1}) {
				first()
				last = err
			}
			if last != error(cause) {
				t.Errorf("ended with %v", last)
			}
		})
	}
	begun.Wait()
	cut(cause)
	ended.Wait()
	if cause.RequestID != "" {
		t.Errorf("the cause has the id %q", cause.RequestID)
	}
}
