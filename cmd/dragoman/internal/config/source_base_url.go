package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// fromServer uses the server of --base-url: with all its models under the server's own names, or only with the model of
// --model.
func (l *loader) fromServer() {
	base, key := l.src.BaseURL, l.src.APIKeyFile
	if !isServer(base.Value) {
		l.complain(base.From, fmt.Sprintf("%q is not the URL of a server", base.Value), "write scheme, host, port and path, such as http://127.0.0.1:8080/v1")
		return
	}
	if bad := checkURL(base.Value); bad != nil {
		l.complain(base.From, bad.cause, bad.fix)
		return
	}
	l.only(Upstream{Name: OpenAI, Kind: OpenAI, BaseURL: base.Value}, base.From)
	l.derive("upstreams."+OpenAI+".base_url", base.From)
	l.cfg.Routes[0].anyName = true
	if l.src.Model.Value == "" {
		l.derive("models[0].name", base.From+", which also gives every name to the only model of a server; in a file, add model: NAME")
	}
	l.override("models[0].model", &l.cfg.Routes[0].Model.Model, l.src.Model)
	if key.Value != "" {
		l.cfg.Upstreams[0].APIKey = l.keyFrom(key)
	}
	if better := WithVersion(base.Value); better != "" {
		l.cfg.Warnings = append(l.cfg.Warnings, Problem{Where: base.From, Cause: base.Value + " has no path, and most servers have this API below /v1", Fix: "if requests fail, use " + better})
	}
}

// keyFrom returns the key in a file. The file is then watched like the files of a configuration.
func (l *loader) keyFrom(file Override) string {
	path, err := filepath.Abs(file.Value)
	if err != nil {
		path = file.Value
	}
	value, bad := readSecret(path)
	switch {
	case bad != nil:
		l.complain(file.From, bad.cause, bad.fix)
	case value == "":
		l.complain(file.From, path+" is empty", "write the key into it, or leave the flag out if the server wants none")
	}
	l.files = append(l.files, path)
	l.origins["upstreams."+OpenAI+".api_key"] = origin{where: file.From, raw: "file:" + path}
	return value
}

// WithVersion returns a base URL without a path as it was probably meant: with /v1. For a URL with a path it returns
// "".
func WithVersion(base string) string {
	if u, err := url.Parse(base); err != nil || strings.Trim(u.Path, "/") != "" {
		return ""
	}
	return strings.TrimRight(base, "/") + "/v1"
}
