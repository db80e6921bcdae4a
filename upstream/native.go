package upstream

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// Native is a request of a client for a model with a tool API of its own, in the terms
// of the Messages API. It goes to the model as it is, but for the members that say which
// model it is for and how the answer comes.
type Native struct {
	Body    jsontext.Value // a JSON object without duplicate names
	Version string         // the client's anthropic-version; "" if it sent none
	Betas   []string       // the client's anthropic-beta
}

// encode returns the body for a wire: without the members that say whom it is for, and
// with these members of the wire.
func (n Native) encode(members map[string]jsontext.Value) []byte {
	changes := map[string]jsontext.Value{"model": nil, "stream": nil, memberVersion: nil, memberBetas: nil}
	maps.Copy(changes, members)
	return rawjson.WithMembers(n.Body, changes)
}

// header returns a function that writes the client's betas into the headers of a request.
// With version it also writes which version of the API the client speaks, for a server
// that speaks several: the new one, or one that is a date. Where the client's version is
// neither, the header stays as it is.
func (n Native) header(version bool) func(http.Header) {
	return func(h http.Header) {
		if betas := n.betas(); len(betas) > 0 {
			h.Set("anthropic-beta", strings.Join(betas, ","))
		}
		switch {
		case version && n.isNew():
			h.Set("anthropic-version", messages.Version20261021)
		case version && isDate(n.Version):
			h.Set("anthropic-version", n.Version)
		}
	}
}

// isDate reports whether s has the form of a version of the API, such as 2023-06-01.
func isDate(s string) bool {
	return len(s) == len(messages.Version20230601) && strings.Trim(s, "0123456789-") == ""
}

// Members that some clients write into a body, instead of headers or beside them.
const (
	memberVersion = "anthropic_version"
	memberBetas   = "anthropic_beta"
)

// betas returns the betas of the header and of the body, sorted, each once.
func (n Native) betas() []string {
	var body struct {
		Betas jsontext.Value `json:"anthropic_beta"`
	}
	betas := slices.Clone(n.Betas)
	if json.Unmarshal(n.Body, &body, lenient) == nil {
		var list []string
		var one string
		if json.Unmarshal(body.Betas, &list) == nil {
			betas = append(betas, list...)
		} else if json.Unmarshal(body.Betas, &one) == nil {
			betas = append(betas, one)
		}
	}
	betas = slices.DeleteFunc(betas, func(beta string) bool { return !isBeta(beta) })
	slices.Sort(betas)
	return slices.Compact(betas)
}

// isBeta reports whether s can be the name of a beta that the upstream is to know of.
// Betas of a client's own login are not: it is we who log in (docs/reference/errors.md
// §6).
func isBeta(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == "" && !strings.HasPrefix(s, "oauth-")
}

// isNew reports whether the client speaks the version of 2026-10-21, by its header or its
// body. Under that version a model refuses parameters that it took before, so the upstream
// has to be told of it. Of the others no upstream needs to know.
func (n Native) isNew() bool {
	var body struct {
		Version string `json:"anthropic_version"`
	}
	return n.Version == messages.Version20261021 || json.Unmarshal(n.Body, &body, lenient) == nil && body.Version == messages.Version20261021
}
