package proxy

import (
	"sync"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// adviceTools is how many tools a request should offer at most, as the documents of the
// legacy format advise (docs/reference/legacy-format.md §2).
const adviceTools = 5

// WantsFewTools reports whether the advice of the documents on the number of tools is for
// the model: it is asked in the legacy format, and is one of those that they were written
// for.
func (m UpstreamModel) WantsFewTools() bool {
	return m.Tools != ToolsNative && m.FormatName() == translate.FormatLegacy && upstream.IsEarlyClaude(m.Model)
}

// toolAdvice remembers which models were asked with more tools than the documents advise,
// so that the log says it of each once.
type toolAdvice struct {
	mu    sync.Mutex
	given map[way]bool
}

// isNew reports whether the advice has to be given for a request to the model, and was not
// before. Clients can make up ids where a route has a wildcard: there is a most to what is
// remembered, and after it nothing is new.
func (a *toolAdvice) isNew(m UpstreamModel, req *messages.Request) bool {
	if len(req.Tools) <= adviceTools || !req.MayCall() || !m.WantsFewTools() {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := m.way()
	if a.given[key] || len(a.given) >= maxRefusals {
		return false
	}
	if a.given == nil {
		a.given = map[way]bool{}
	}
	a.given[key] = true
	return true
}

// logToolAdvice says in the log, once for a model, that a request offers it more tools than
// the documents advise.
func (x *exchange) logToolAdvice(req *messages.Request, m UpstreamModel) {
	if x.s.advice.isNew(m, req) {
		x.s.log.Warn().Str("upstream", m.Upstream).Str("upstream_model", clip(m.Model)).Int("tools", len(req.Tools)).
			Str("msg", "more tools than the documents advise for a model of that time in the legacy format, which is 3 to 5; this is said once").Send()
	}
}
