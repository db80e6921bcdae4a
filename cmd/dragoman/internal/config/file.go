package config

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

// readFile reads the configuration file into l.cfg. An empty file is one that says
// nothing.
func (l *loader) readFile() {
	data, err := os.ReadFile(l.src.File)
	if err != nil {
		l.complain(l.src.File, "", "cannot be read: "+reason(err), "check the path given as --config (DRAGOMAN_CONFIG)")
		return
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return // there is nothing in the file but comments
	case err != nil:
		l.syntax(data, err)
		return
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		l.report(second.Line, "", "a second document begins", "remove the “---” line: a configuration is one document")
		return
	} else if !errors.Is(err, io.EOF) {
		l.syntax(data, err)
		return
	}
	if root := deref(doc.Content[0]); root.ShortTag() != "!!null" {
		l.document(root)
	}
}

// document reads the top level of the file.
func (l *loader) document(root *yaml.Node) {
	c := l.cfg
	var compat, onDisconnect string
	l.mapping(root, "", map[string]field{
		"listen":        l.text(&c.Listen),
		"admin_listen":  l.text(&c.AdminListen),
		"hosts":         l.list(l.host),
		"cors":          l.cors,
		"tls":           l.tls,
		"auth":          l.auth,
		"compat":        l.choice(&compat, []string{"lenient", "strict"}),
		"upstreams":     l.upstreams,
		"models":        l.list(l.model),
		"limits":        l.limits,
		"inspector":     l.boolean(func(b bool) { c.Inspector = b }),
		"on_disconnect": l.choice(&onDisconnect, []string{"cancel", "drain"}),
		"timeouts":      l.timeouts,
	})
	c.Strict = compat == "strict"
	c.FinishAbandoned = onDisconnect == "drain"
}

// The largest numbers that a configuration can have. A larger one is taken for a mistake.
const (
	mostBodyBytes     = 1 << 30
	mostInflightBytes = 1 << 40
	mostConcurrent    = 1 << 20 // exchanges, and connections
	mostAttempts      = 100
	mostTokens        = 1 << 30

	mostEarlyCommit = time.Hour
)

// limits reads what bounds a request and the process.
func (l *loader) limits(n *yaml.Node, key string) {
	l.mapping(n, key, map[string]field{
		"body_bytes":         l.between(&l.cfg.BodyBytes, 1, mostBodyBytes),
		"attempts":           l.between(&l.cfg.Attempts, 1, mostAttempts),
		"max_concurrent":     l.between(&l.cfg.MaxConcurrent, 0, mostConcurrent),
		"max_inflight_bytes": l.between(&l.cfg.MaxInflightBytes, 0, mostInflightBytes),
		"max_connections":    l.between(&l.cfg.MaxConnections, 1, mostConcurrent),
	})
}

// timeouts reads the durations: those of the proxy, and those of connecting and draining.
func (l *loader) timeouts(n *yaml.Node, key string) {
	t := &l.cfg.Timeouts
	l.mapping(n, key, map[string]field{
		"connect":            l.duration(&l.cfg.Connect),
		"early_commit_after": l.delay(&t.EarlyCommit),
		"first_byte":         l.duration(&t.FirstByte),
		"idle":               l.duration(&t.Idle),
		"total":              l.duration(&t.Total),
		"write_stall":        l.duration(&t.WriteStall),
		"drain":              l.duration(&l.cfg.Drain),
		"drain_delay":        l.delay(&l.cfg.DrainDelay),
	})
	if t.EarlyCommit > mostEarlyCommit {
		key += ".early_commit_after"
		l.report(l.lines[key], key, "no client waits for longer than "+mostEarlyCommit.String(), "give less than the shortest idle timeout between here and the clients")
	}
}

// upstreams reads all upstreams, by their names.
func (l *loader) upstreams(n *yaml.Node, key string) {
	l.entries(n, key, func(name string, line int, value *yaml.Node, key string) {
		if !isName(name) {
			l.report(line, key, fmt.Sprintf("%q cannot name an upstream", name), "use letters, digits, “.”, “_” and “-”: the name stands in headers and metrics")
		}
		u := Upstream{Name: name}
		l.upstream(value, key, &u)
		l.cfg.Upstreams = append(l.cfg.Upstreams, u)
	})
}

// upstream reads the keys that the upstream's kind has. If the kind itself is wrong, the
// other keys are not read: they may be right for the kind that was meant.
func (l *loader) upstream(n *yaml.Node, key string, u *Upstream) {
	if n.Kind == yaml.MappingNode && !l.kind(n, key, u) {
		return
	}
	fields := map[string]field{"kind": func(*yaml.Node, string) {}}
	switch u.Kind {
	case Bedrock:
		fields["region"] = l.text(&u.Region)
		fields["profile"] = l.text(&u.Profile)
		fields["endpoint"] = l.text(&u.Endpoint)
	case Vertex:
		fields["project"] = l.text(&u.Project)
		fields["location"] = l.text(&u.Location)
		fields["endpoint"] = l.text(&u.Endpoint)
	case Anthropic, OpenAI:
		fields["base_url"] = l.text(&u.BaseURL)
		fields["api_key"] = l.text(&u.APIKey)
	}
	if u.Kind != Simulated {
		fields["ca"] = l.authorities(&u.Roots)
	}
	l.mapping(n, key, fields)
}

// authorities reads the path of a file with certificates, and the file.
func (l *loader) authorities(dst **x509.CertPool) field {
	return func(n *yaml.Node, key string) {
		var path string
		if l.path(&path)(n, key); path == "" {
			return
		}
		var err error
		if *dst, err = upstream.Roots(path); err != nil {
			l.report(n.Line, key, fmt.Sprintf("%s cannot be used: %s", path, reason(err)), "name a file with certificates of authorities in PEM")
		}
	}
}

// kind reads the kind of an upstream before its other keys, wherever it stands among them.
// It is false if the kind is missing or unknown, which is reported.
func (l *loader) kind(n *yaml.Node, key string, u *Upstream) bool {
	kinds := []string{Simulated, Bedrock, Vertex, Anthropic, OpenAI}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "kind" {
			l.choice(&u.Kind, kinds)(deref(n.Content[i+1]), key+".kind")
			return u.Kind != ""
		}
	}
	l.report(n.Line, key, "the upstream has no kind", "add kind: "+oneOf(kinds))
	return false
}

// model reads an entry of models. A fallback that says nothing of format, template and
// language has those of the entry.
func (l *loader) model(n *yaml.Node, key string) {
	route := proxy.Route{UpstreamModel: proxy.UpstreamModel{Format: translate.FormatLegacy}}
	fields := l.upstreamModel(&route.UpstreamModel)
	fields["name"] = l.text(&route.Name)
	fields["fallbacks"] = l.list(func(n *yaml.Node, key string) {
		var m proxy.UpstreamModel
		fields := l.upstreamModel(&m)
		l.lines[key] = n.Line
		l.mapping(n, key, fields)
		route.Fallbacks = append(route.Fallbacks, m)
	})
	l.lines[key] = n.Line
	l.mapping(n, key, fields)
	l.template(&route.UpstreamModel, key)
	for i := range route.Fallbacks {
		m := &route.Fallbacks[i]
		if m.Format == "" { // a template goes with a format, so it is not taken without it
			m.Format, m.Template = route.Format, cmp.Or(m.Template, route.Template)
		}
		m.Language = cmp.Or(m.Language, route.Language)
		l.template(m, fmt.Sprintf("%s.fallbacks[%d]", key, i))
	}
	l.cfg.Models = append(l.cfg.Models, route)
}

// template reports a template that does not go with the format of its model.
func (l *loader) template(m *proxy.UpstreamModel, key string) {
	if m.Template == "" {
		return
	}
	if err := translate.CheckTemplate(m.Template, m.Format); err != nil {
		key += ".template"
		l.report(l.lines[key], key, err.Error(), "see \"Languages and templates\" in docs/formats.md")
	}
}

// upstreamModel returns the keys that an entry and a fallback have in common: which model
// is asked, and how. Their values are put into m.
func (l *loader) upstreamModel(m *proxy.UpstreamModel) map[string]field {
	fields := map[string]field{
		"upstream":      l.text(&m.Upstream),
		"model":         l.text(&m.Model),
		"wire":          l.choice(&m.Wire, []string{proxy.WireMessages, proxy.WireText, proxy.WireConverse, proxy.WireChat}),
		"format":        l.choice(&m.Format, translate.Formats()),
		"language":      l.choice(&m.Language, translate.Languages()),
		"template":      l.text(&m.Template),
		"tools":         l.choice(&m.Tools, []string{proxy.ToolsXML, proxy.ToolsNative, proxy.ToolsAuto}),
		"repair":        l.between(&m.Repair, 0, 1),
		"stream_values": l.choice(&m.Values, []string{proxy.ValuesFlow, proxy.ValuesWhole}),
		"quoted_calls":  l.choice(&m.Quoted, []string{proxy.QuotedText, proxy.QuotedRead}),
		"max_tokens":    l.between(&m.MaxTokens, 1, mostTokens),
		"rescue":        l.boolean(func(b bool) { m.Rescue = b }),
	}
	l.features(fields, &m.Features)
	return fields
}

// features adds a key for each feature, which corrects what is known of the model's family.
func (l *loader) features(fields map[string]field, o *upstream.Override) {
	for _, name := range upstream.FeatureNames() {
		f := upstream.FeatureOf(name)
		if f == upstream.Tools {
			continue // the key of this name says how tools are asked for
		}
		fields[name] = l.boolean(func(b bool) {
			if b {
				o.With |= f
			} else {
				o.Without |= f
			}
		})
	}
}

// isName reports whether s can be the name of an upstream, which stands in headers and in
// labels of metrics.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}
