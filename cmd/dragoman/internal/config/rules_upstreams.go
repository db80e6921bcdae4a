package config

import (
	"fmt"
	"net/url"

	"dragoman/upstream"
)

// checkAuthorities reads the authorities' certificates that upstreams name.
func (l *loader) checkAuthorities() {
	for i := range l.cfg.Upstreams {
		u := &l.cfg.Upstreams[i]
		if u.CA == "" {
			continue
		}
		l.files = append(l.files, u.CA)
		err := regular(u.CA)
		if err == nil {
			u.Roots, err = upstream.Roots(u.CA)
		}
		if err != nil {
			l.reportAt("upstreams."+u.Name+".ca", fmt.Sprintf("%s cannot be used: %s", u.CA, reason(err)), "name a file with certificates of authorities in PEM")
		}
	}
}

// checkUpstreams takes missing values of upstreams from the environment, and reports missing values that their kinds
// need.
func (l *loader) checkUpstreams() {
	for i := range l.cfg.Upstreams {
		u := &l.cfg.Upstreams[i]
		switch key := "upstreams." + u.Name; u.Kind {
		case Bedrock:
			l.checkRegion(u, key)
		case Vertex:
			l.checkVertex(u, key)
		case Anthropic, OpenAI:
			l.checkBaseURL(u, key)
		}
	}
}

// resources are the paths that upstreams append to their base_url.
var resources = map[string]string{Anthropic: "/v1/messages", OpenAI: "/chat/completions"}

// checkBaseURL reports an upstream without an address, and warns about a secret that is sent without encryption.
func (l *loader) checkBaseURL(u *Upstream, key string) {
	base, err := url.Parse(u.BaseURL)
	switch {
	case err != nil: // it is reported
	case u.BaseURL == "":
		if !l.reported(key + ".base_url") {
			l.reportAt(key, "the upstream has no base_url", "add the address of the server, without "+resources[u.Kind])
		}
	case base.Scheme == "http" && u.APIKey != "" && !isLoopback(base.Hostname()):
		l.warn(key+".base_url", "api_key and all prompts go there without encryption", "use https, with ca for an authority of your own")
	}
}
