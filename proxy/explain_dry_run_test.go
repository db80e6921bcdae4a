package proxy

import (
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream"
)

// A dry run never calls an upstream, whatever the request is.
func TestDryRunOfAnything(t *testing.T) {
	for path, request := range map[string]string{"/v1/messages": question, "/v1/messages/count_tokens": question, "/model/claude-2.1/converse": converseQuestion, chatPath: chatQuestion} {
		for value, status := range map[string]int{"1": 200, "true": 200, "yes": 400} {
			up := &counting{}
			w := httptest.NewRecorder()
			answerTo(newServer(t, up), w, newRequest("POST", path, request, "X-Dragoman-Dry-Run", value))
			shown := strings.HasPrefix(w.Body.String(), `{"system":[{"text":"In this environment`)
			if w.Code != status || shown != (status == 200) || up.prompt != nil {
				t.Errorf("%s, %s: status %d, asked: %t: %.200s", path, value, w.Code, up.prompt != nil, w.Body)
			}
		}
	}
}

// If an entry says that its model takes no images or documents, the model never gets any, over any wire.
func TestHiddenParts(t *testing.T) {
	const image = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`
	const pdf = `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="}}`
	for part, feature := range map[string]upstream.Features{image: upstream.Images, pdf: upstream.Documents} {
		body := `{"model":"claude-2.1","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Look"},` + part + `]}]}`
		for _, hidden := range []bool{false, true} {
			east := &flaky{name: "east"}
			s := newServer(t, east, func(o *Options) {
				if hidden {
					o.Routes[0].Features.Without = feature
				}
			})
			w := post(s, body)
			if refused := w.Code == 400 && strings.Contains(w.Body.String(), "messages: this model cannot be shown the "); refused != hidden || (len(east.calls) == 0) != hidden {
				t.Errorf("%v, hidden: %t: %d calls, status %d: %s", feature, hidden, len(east.calls), w.Code, w.Body)
			}
		}
	}
}
