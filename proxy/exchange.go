package proxy

import (
	"net/http"
	"strconv"
	"time"

	"dragoman/metrics"
	"dragoman/proxy/bedrock"
)

// exchange is one request and all that comes of it.
type exchange struct {
	s          *Server
	dialect    *dialect
	w          http.ResponseWriter
	control    *http.ResponseController
	r          *http.Request
	began      time.Time
	record     metrics.Exchange
	flush      func() error        // writes the frames of a streamed answer that are ready; nil if it is not streamed
	conversion *bedrock.Conversion // of the request, if it came in terms of its own
	retained   int                 // bytes of the answer that the client has not had
	// collects says that what a client has been sent of a stream is kept all the same.
	retainsAll bool

	guardrail *bedrock.Guardrail // that the answer has to pass; nil for none
	ignored   []string           // what headers ask for in vain: sorted, in the client's terms
}

func (s *Server) newExchange(d *dialect, w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{s: s, dialect: d, w: w, control: http.NewResponseController(w), r: r, began: time.Now()}
	x.record = metrics.Exchange{Dialect: d.name, TraceID: traceID(r.Header), Terminal: metrics.Complete}
	x.record.RequestID, x.record.ClientRequestID = setRequestIDs(w, r)
	x.clearWriteDeadline()
	if d.setID != nil {
		d.setID(w.Header(), x.record.RequestID)
	}
	return x
}

// elapsed is the time since the request.
func (x *exchange) elapsed() time.Duration { return time.Since(x.began) }

// write answers with JSON, at once.
func (x *exchange) respond(status int, body []byte) error {
	x.record.Status = status
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.extendWriteDeadline()
	x.w.WriteHeader(status)
	n, err := x.w.Write(body)
	x.record.BytesOut = int64(n)
	if err != nil {
		return errClientGone
	}
	return nil
}

// allow gives the client its time to take what is written next. A connection
// that knows no deadlines has none.
func (x *exchange) extendWriteDeadline() {
	_ = x.control.SetWriteDeadline(time.Now().Add(x.s.timeouts.WriteStall))
}

// rest takes the time limit away while nothing is written: on HTTP/2 it would end a
// stream that is merely silent.
func (x *exchange) clearWriteDeadline() { _ = x.control.SetWriteDeadline(time.Time{}) }
