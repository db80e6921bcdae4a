package inspector

import (
	"bytes"
	"net/http"
)

// search answers with the ids of exchanges whose request or completions contain a text. Case does not matter.
func (in *Inspector) search(w http.ResponseWriter, r *http.Request) error {
	text := bytes.ToLower([]byte(r.URL.Query().Get("text")))
	ids := []string{}
	for _, x := range in.store.before(0, mostListed) {
		if r.Context().Err() != nil {
			return nil
		}
		if len(text) > 0 && x.holds(text) {
			ids = append(ids, x.line.ID)
		}
	}
	respond(w, http.StatusOK, struct {
		IDs []string `json:"ids"`
	}{ids})
	return nil
}

// holds reports whether the exchange contains text, which is in lower case.
func (x *keptExchange) holds(text []byte) bool {
	x.mu.Lock()
	texts := [][]byte{x.body.all()}
	for _, p := range x.prompts {
		texts = append(texts, p.completion.all(), p.thinking.all())
	}
	x.mu.Unlock()
	for _, t := range texts {
		if bytes.Contains(bytes.ToLower(t), text) {
			return true
		}
	}
	return false
}
