package proxy

import (
	"net/http"
	"time"

	"dragoman/metrics"
	"dragoman/proxy/bedrock"
)

// exchange is one request and all that comes of it. Its methods are in the files of the
// steps that a request goes through; doc.go has their order.
type exchange struct {
	s       *Server
	dialect *dialect
	r       *http.Request // its context ends when the client leaves, and when the server cuts the exchange
	reply   *reply
	began   time.Time
	record  metrics.Exchange // for the log and the metrics, once the exchange is over
	key     *heldKey         // that admitted it; nil if none did

	entered  bool  // it counts among those that are being answered: see enter
	admitted int64 // bytes of its body that count as in flight: see admitBytes

	conversion *bedrock.Conversion // of the request; nil if it came in the terms of the Messages API
	guardrail  *bedrock.Guardrail  // that the answer has to pass; nil for none
	ignored    []string            // options in headers that are not supported: sorted, in the client's terms
	leftOut    []string            // types of blocks that the model wrote and the client does not get: see noteChoice
	dropped    []string            // fields of the body that the model does not get, in the API's terms: see setDropped
	observed   observations        // by those who watch the exchange
	replay     *Replay             // how the request is answered again; nil for one that a client sends
}

func (s *Server) newExchange(d *dialect, w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{s: s, dialect: d, r: r, began: time.Now()}
	x.reply = x.newReply(w)
	x.record = metrics.Exchange{Dialect: d.name, TraceID: traceID(r.Header), Terminal: metrics.Complete}
	x.record.RequestID, x.record.ClientRequestID = setRequestIDs(x.reply.header, r)
	x.replay = replayOf(r)
	if d.setID != nil {
		d.setID(x.reply.header, x.record.RequestID)
	}
	return x
}

// elapsed returns the time since the request came.
func (x *exchange) elapsed() time.Duration { return time.Since(x.began) }
