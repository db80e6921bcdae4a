package upstream

import (
	"io"
	"net/http/httptrace"
	"testing"
)

// A body is let go when it was sent once and accepted, in whichever order, and not before.
func TestSentBody(t *testing.T) {
	for name, tt := range map[string]struct {
		steps string // sent, accepted, again, failed
		kept  bool
	}{
		"sent and accepted": {"sa", false}, "accepted and sent": {"as", false}, "sent": {"s", true}, "accepted": {"a", true},
		"not sent": {"fa", true}, "sent again": {"sgsa", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSentBody([]byte("body"))
			wrote := httptrace.ContextClientTrace(b.traced(t.Context())).WroteRequest
			for _, step := range tt.steps {
				switch step {
				case 's':
					wrote(httptrace.WroteRequestInfo{})
				case 'f':
					wrote(httptrace.WroteRequestInfo{Err: io.ErrUnexpectedEOF})
				case 'a':
					b.accept()
				case 'g':
					r, _ := b.sendAgain()
					if got, err := io.ReadAll(r); string(got) != "body" || err != nil {
						t.Errorf("again %q, %v", got, err)
					}
				}
			}
			if kept := b.data != nil; kept != tt.kept || kept != (b.reader.Len() > 0) {
				t.Errorf("kept %v, want %v", kept, tt.kept)
			}
		})
	}
}
