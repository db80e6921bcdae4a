package proxy

import "net/http"

// serve answers requests in a dialect: whatever becomes of one, it is
// authenticated, counted and logged, and a panic stays in it.
func (s *Server) serve(d *dialect, answer func(*exchange) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.metrics.Inflight.Inc()
		defer s.metrics.Inflight.Dec()
		x := s.newExchange(d, w, r)
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
	}
}

// authenticate lets the exchange go on if there are no keys, or if one of the
// credentials of the request is one.
func (x *exchange) authenticate() error {
	if len(x.s.keys) == 0 {
		return nil
	}
	for _, secret := range x.dialect.credentials(x.r.Header) {
		if id := x.s.keys.id(secret); id != "" && x.record.KeyID == "" {
			x.record.KeyID = id
		}
	}
	if x.record.KeyID != "" {
		return nil
	}
	x.w.Header().Set("WWW-Authenticate", "Bearer")
	return &failure{status: http.StatusUnauthorized, typ: typeAuthentication, message: "no valid key: send one as x-api-key or as Authorization: Bearer, or sign a request to Bedrock with one as the access key id"}
}
