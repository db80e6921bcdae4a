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

// Native is a client's request for a model with a tool API of its own, in the terms of the Messages API. The
// model gets it unchanged, except for the members that name the model and the form of the answer.
type Native struct {
	Body    jsontext.Value // a JSON object without duplicate names
	Version string         // the client's anthropic-version; "" if it sent none
	Betas   []string       // the client's anthropic-beta
}

// encode returns the body for a wire. It removes the members that name the model, the stream, the version and
// the betas, and adds members.
func (n Native) encode(members map[string]jsontext.Value) []byte {
	changes := map[string]jsontext.Value{"model": nil, "stream": nil, memberVersion: nil, memberBetas: nil}
	maps.Copy(changes, members)
	return rawjson.WithMembers(n.Body, changes)
}

// header returns a function that writes the client's betas into the headers of a request. If version is true,
// the function also writes the client's version of the API, for a server that speaks several. It ignores a
// client's version that is neither the new one nor a date.
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

// isDate reports whether s looks like a version of the API, such as 2023-06-01.
func isDate(s string) bool {
	return len(s) == len(messages.Version20230601) && strings.Trim(s, "0123456789-") == ""
}

// Some clients write these members into the body, in addition to the headers or instead of them.
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

// isBeta reports whether s can be the name of a beta for the upstream. Betas about the client's own login are
// left out, because Dragoman logs in itself (docs/reference/errors.md §6).
func isBeta(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == "" && !strings.HasPrefix(s, "oauth-")
}

// isNew reports whether the client uses version 2026-10-21, in its header or its body. In that version,
// models reject parameters that they took before, so the upstream must know it. Upstreams need not know other
// versions.
func (n Native) isNew() bool {
	var body struct {
		Version string `json:"anthropic_version"`
	}
	return n.Version == messages.Version20261021 || json.Unmarshal(n.Body, &body, lenient) == nil && body.Version == messages.Version20261021
}
