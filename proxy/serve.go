package proxy

import "net/http"

// serve returns the handler of a path: answer is called for each authenticated request.
// Whatever becomes of a request, it is counted and logged, and a panic ends only its
// exchange.
func (s *Server) serve(d *dialect, answer func(*exchange) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.metrics.Inflight.Inc()
		defer s.metrics.Inflight.Dec()
		x := s.newExchange(d, w, r)
		x.observe()
		defer x.releaseKey()
		defer x.admission.giveBack()
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
