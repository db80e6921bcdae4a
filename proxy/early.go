package proxy

import (
	"maps"
	"net/http"
	"time"
)

// detachedHeader is the client's connection with a header of its own, which is not sent.
type detachedHeader struct {
	http.ResponseWriter
	header http.Header
}

func (d *detachedHeader) Header() http.Header { return d.header }

// beginEarly begins the answer without an event when timeouts.early_commit_after has passed, and
// pings go on from there: what is between here and the client would else take a silent connection
// for a dead one. Models are still tried one after another behind it. It returns what ends the wait,
// to be called when no event comes any more.
//
// The header of such an answer is what was known when the wait began. The exchange sets more of it
// meanwhile, in a header that the timer does not touch.
func (st *stream) beginEarly() (stop func()) {
	x := st.x
	after := x.s.timeouts.EarlyCommit
	if after == 0 || x.dialect.waitFrame == nil {
		return func() {}
	}
	x.w = &detachedHeader{st.w, st.w.Header().Clone()}
	timer := time.AfterFunc(after, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		if !st.began && !st.pingsStopped {
			st.sendHeader()
			st.write(x.dialect.waitFrame)
		}
	})
	return func() {
		timer.Stop()
		if !st.began {
			maps.Copy(st.w.Header(), x.w.Header())
		}
		x.w = st.w
	}
}
