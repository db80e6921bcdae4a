package proxy

import (
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

// adviseTools says in the log, once for a model, that a request offers it more tools than the
// documents advise.
func (s *Server) adviseTools(req *messages.Request, m UpstreamModel) {
	if len(req.Tools) > adviceTools && req.MayCall() && m.WantsFewTools() && s.advice.add(m.way()) {
		s.log.Warn().Str("upstream", m.Upstream).Str("upstream_model", clip(m.Model)).Int("tools", len(req.Tools)).
			Str("msg", "more tools than the documents advise for a model of that time in the legacy format, which is 3 to 5; this is said once").Send()
	}
}
