package proxy

import (
	"cmp"
	"net/http"
	"time"

	"dragoman/metrics"
	"dragoman/proxy/bedrock"
)

// exchange is one request and all that comes of it. Its methods are in the files of the
// steps that a request goes through; doc.go has their order.
type exchange struct {
	s         *Server
	dialect   *dialect
	r         *http.Request // its context ends when the client leaves, and when the server cuts the exchange
	reply     *reply
	record    record
	key       *heldKey  // that admitted it; nil if none did
	admission admission // what it has taken of the gates

	guardrail *bedrock.Guardrail // that the answer has to pass; nil for none
	observed  observations       // by those who watch the exchange
	replay    *Replay            // how the request is answered again; nil for one that a client sends
}

func (s *Server) newExchange(d *dialect, w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{s: s, dialect: d, r: r, admission: admission{s: s}, record: record{began: time.Now(), header: http.Header{}, logger: &s.log}}
	x.reply = newReply(s, d, &x.record, w)
	x.record.Exchange = metrics.Exchange{Dialect: d.name, TraceID: traceID(r.Header), Terminal: metrics.Complete}
	x.record.RequestID, x.record.ClientRequestID = setRequestIDs(x.record.header, r)
	x.replay = replayOf(r)
	if d.setID != nil {
		d.setID(x.record.header, x.record.RequestID)
	}
	return x
}

// fail records and logs the error that ended the exchange, and answers with it unless a
// status has been sent already. The last frame of a stream has told the client by then.
func (x *exchange) fail(err error) {
	f := failureFor(err)
	x.record.noteFailure(x.r, err, f)
	x.record.logCause(err, f)
	x.observed.failed(f)
	switch {
	case x.record.Terminal == metrics.ClientGone:
		x.record.Status = cmp.Or(x.record.Status, f.status)
	case x.record.Status == 0:
		f.setHeader(x.record.header)
		status, body := x.dialect.failureBody(x.record.header, f, x.record.RequestID)
		_ = x.reply.respond(status, body) // if the client is gone, nobody is left to tell
	}
}

// finish counts and logs the exchange. If the client is taken for gone, finish panics, by
// which net/http cuts the connection: a client that is there all the same must not take
// the answer for a whole one.
func (x *exchange) finish() {
	if x.record.StreamBegan {
		x.s.metrics.OpenStreams.Dec()
	}
	x.record.Duration = x.record.elapsed()
	x.s.metrics.Observe(&x.record.Exchange)
	x.record.log()
	x.observed.ended(&x.record.Exchange)
	if x.record.Terminal == metrics.ClientGone {
		panic(http.ErrAbortHandler)
	}
}
