package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/eval"
	"dragoman/proxy"
	"dragoman/translate"
)

// entry is the model that eval has asked, as an entry to paste into a configuration file.
type entry struct {
	name     string // the name that clients ask for
	route    proxy.Route
	upstream config.Upstream
	settings *settings
}

// yaml returns the entry with a format, or with the server's own tools API. If no file declares the model, it returns a
// whole file. auto is the format that auto means for the model.
func (e entry) yaml(format, auto string) string {
	how := "format: " + format
	switch format {
	case auto:
		how = "format: " + translate.FormatAuto
	case eval.Native:
		how = "tools: native"
	case eval.Server:
		how = "tools: native\n    rescue: false"
	}
	var s strings.Builder
	name, model, others := e.upstream.Name, "", " # beside the other keys of the entry"
	if e.settings.baseURL != "" {
		name, others = "local", ""
		fmt.Fprintf(&s, "upstreams:\n  %s: {kind: openai, base_url: %q", name, e.upstream.BaseURL)
		if path, err := filepath.Abs(e.settings.keyFile); err == nil && e.settings.keyFile != "" {
			fmt.Fprintf(&s, ", api_key: %q", "file:"+path)
		}
		s.WriteString("}\n")
	} else if e.route.Model != e.name {
		model = fmt.Sprintf("    model: %q\n", e.route.Model)
	}
	fmt.Fprintf(&s, "models:\n  - name: %q\n    upstream: %s\n%s    %s%s\n", e.name, name, model, how, others)
	return s.String()
}
