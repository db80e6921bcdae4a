package proxy

import (
	"net/http"

	"dragoman/translate/messages"
)

// serve returns the handler of a path: answer is called for each authenticated request.
// Whatever becomes of a request, it is counted and logged, and a panic ends only its
// exchange.
func (s *Server) serve(d *dialect, answer func(*exchange) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.metrics.Inflight.Inc()
		defer s.metrics.Inflight.Dec()
		x := s.newExchange(d, w, r)
		defer x.leave()
		err := recoverPanic(func() error {
			if err := x.authenticate(); err != nil {
				return err
			}
			return answer(x)
		})
		if err != nil {
			x.fail(err)
		}
		x.finish()
		x.discardBody()
	}
}

// authenticate returns an error if the server has keys and none of the request's
// credentials is one of them. The id of the key goes into the record.
func (x *exchange) authenticate() error {
	if len(x.s.keys) == 0 {
		return nil
	}
	for _, secret := range x.dialect.credentials(x.r.Header) {
		if id := x.s.keys.idOf(secret); id != "" && x.record.KeyID == "" {
			x.record.KeyID = id
		}
	}
	if x.record.KeyID != "" {
		return nil
	}
	x.w.Header().Set("WWW-Authenticate", "Bearer")
	return &failure{status: http.StatusUnauthorized, typ: messages.ErrorAuthentication, message: "no valid key: send one as x-api-key or as Authorization: Bearer, or sign a request to Bedrock with one as the access key id"}
}
