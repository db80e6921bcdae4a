package inspector

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The times of a feed.
const (
	feedPause  = 40 * time.Millisecond // between two messages, so that changes can collect
	feedSilent = 15 * time.Second      // without changes, before a comment is written
	feedStall  = 20 * time.Second      // for a page to accept a write
)

// live answers with a stream of server-sent events, as long as the page listens: "line" has the line of a changed
// exchange, and "clear" means that the list begins anew.
func (in *Inspector) live(w http.ResponseWriter, r *http.Request) error {
	f := in.store.watch()
	if f == nil {
		return &problem{http.StatusServiceUnavailable, "too many pages are open: close one"}
	}
	defer in.store.leave(f)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // remove the deadline for the request's body; tests have none
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	write := func(text []byte) error {
		_ = control.SetWriteDeadline(time.Now().Add(feedStall))
		defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
		if _, err := w.Write(text); err != nil {
			return err
		}
		return control.Flush()
	}
	if write([]byte(": the changes follow\n\n")) != nil {
		return nil
	}
	silent := time.NewTicker(feedSilent)
	defer silent.Stop()
	for {
		var text []byte
		select {
		case <-r.Context().Done():
			return nil
		case <-silent.C:
			text = []byte(": nothing new\n\n")
		case <-f.wake:
			text = in.store.news(f)
			silent.Reset(feedSilent)
		}
		if write(text) != nil || !pause(r.Context(), feedPause) {
			return nil
		}
	}
}

// news returns the changes to send, as server-sent events.
func (s *store) news(f *feed) []byte {
	changed, cleared := s.take(f)
	var text []byte
	if cleared {
		text = append(text, "event: clear\ndata: {}\n\n"...)
	}
	for _, x := range changed {
		line, err := json.Marshal(x.summary(), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			panic(err) // texts and numbers always marshal
		}
		text = fmt.Appendf(text, "event: line\ndata: %s\n\n", line)
	}
	return text
}

// pause waits for d, and reports whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
