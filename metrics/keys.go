package metrics

import "github.com/prometheus/client_golang/prometheus"

// SetKeys says which ids the keys of clients have. They bound the label key_id: the series
// of ids that are gone end, so that keys which are replaced again and again leave none behind.
func (m *Metrics) SetKeys(ids map[string]bool) {
	before := m.keys.Swap(&ids)
	if before == nil {
		return
	}
	for id := range *before {
		if !ids[id] {
			gone := prometheus.Labels{"key_id": id}
			m.keyRequests.DeletePartialMatch(gone)
			m.keyTokens.DeletePartialMatch(gone)
		}
	}
}

// keyLabel returns the id of a key as it may stand in a label: the key may have been taken
// away since.
func (m *Metrics) keyLabel(id string) string {
	if ids := m.keys.Load(); ids != nil && (*ids)[id] {
		return id
	}
	return other
}
