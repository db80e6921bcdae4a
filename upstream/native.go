package upstream

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// ErrNoCounter says that an upstream does not count tokens.
var ErrNoCounter = errors.New("the upstream does not count tokens")

// Native is a request for a model with a tool API of its own, in the terms of the
// Messages API. It goes to the model as it is, but for what says which model it is
// for and how the answer comes.
type Native struct {
	Body    jsontext.Value // a JSON object without duplicate names
	Version string         // anthropic-version of the client; "" if it gave none
	Betas   []string       // anthropic-beta
}

// encode returns the body for a model: without the members that say who it is for,
// and with those of this wire.
func (n Native) encode(members map[string]jsontext.Value) []byte {
	changes := map[string]jsontext.Value{"model": nil, "stream": nil, memberVersion: nil, memberBetas: nil}
	maps.Copy(changes, members)
	return translate.WithMembers(n.Body, changes)
}

// header writes the client's betas, and where the server speaks several versions of
// the API, which one it is.
func (n Native) header(version bool) func(http.Header) {
	return func(h http.Header) {
		if betas := n.betas(); len(betas) > 0 {
			h.Set("anthropic-beta", strings.Join(betas, ","))
		}
		switch {
		case version && n.isNew():
			h.Set("anthropic-version", newVersion)
		case version && isDate(n.Version):
			h.Set("anthropic-version", n.Version)
		}
	}
}

// isDate reports whether s looks like a version of the API.
func isDate(s string) bool {
	return len(s) == len("2023-06-01") && strings.Trim(s, "0123456789-") == ""
}

// The members that some clients write into a body, instead of headers or beside them.
const (
	memberVersion = "anthropic_version"
	memberBetas   = "anthropic_beta"
)

// betas returns those of the header and of the body, each once.
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

// isBeta reports whether s can be the name of a beta that is the upstream's business.
// Those of a client's own login are not (docs/reference/errors.md §6).
func isBeta(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == "" && !strings.HasPrefix(s, "oauth-")
}

// newVersion is the version of the Messages API that took parameters away.
const newVersion = "2026-10-21"

// isNew reports whether the client speaks the new version, in a header or in the body.
func (n Native) isNew() bool {
	var body struct {
		Version string `json:"anthropic_version"`
	}
	return n.Version == newVersion || json.Unmarshal(n.Body, &body, lenient) == nil && body.Version == newVersion
}
