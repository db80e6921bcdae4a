package proxy

import dto "github.com/prometheus/client_model/go"

// Gather returns the metrics as /metrics of the admin listener has them.
func (s *Server) Gather() ([]*dto.MetricFamily, error) {
	s.measureUpstreams()
	return s.metrics.Gather()
}
