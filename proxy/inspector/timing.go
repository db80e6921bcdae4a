package inspector

import (
	"context"
	"net/http/httptrace"
)

// traced returns the context of a call in which net/http reports what its connection does. net/http reports it from its
// own goroutines.
func (x *keptExchange) traced(ctx context.Context, c *keptCall) context.Context {
	at := func(t *int64) {
		now := x.elapsed()
		x.mu.Lock()
		defer x.mu.Unlock()
		if *t == 0 {
			*t = now
		}
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { at(&c.connecting) },
		GotConn: func(info httptrace.GotConnInfo) {
			at(&c.connected)
			x.mu.Lock()
			defer x.mu.Unlock()
			c.reused = info.Reused
		},
		WroteRequest:         func(httptrace.WroteRequestInfo) { at(&c.sent) },
		GotFirstResponseByte: func() { at(&c.firstByte) },
	})
}
