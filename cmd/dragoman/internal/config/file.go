package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy"
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
	if countNodes(doc.Content[0], map[*yaml.Node]int{}) > mostNodes {
		l.complain(l.src.File, "", fmt.Sprintf("has more than %d values, where aliases (*name) stand for what they name", mostNodes), "write fewer aliases of aliases")
		return
	}
	if root := deref(doc.Content[0]); root.ShortTag() != "!!null" {
		l.mapping(root, "", l.top())
	}
}

// top returns the keys of the top level.
func (l *loader) top() fields {
	c := l.cfg
	return fields{
		{"listen", "Where clients connect: host:port, and port 0 takes a free one.", l.text(&c.Listen).matching(`:[0-9]{1,5}$`).otherwise(DefaultListen)},
		{"admin_listen", "Where operators connect, for health and metrics: host:port.", l.text(&c.AdminListen).matching(`:[0-9]{1,5}$`).otherwise(DefaultAdminListen)},
		{"tls", "Files with which clients connect over TLS.", l.object(l.tls(), "cert", "key")},
		{"auth", "What clients have to present.", l.object(l.auth())},
		{"hosts", "Names of the server, for a listener that asks for no key; *.name stands for all below it.", l.texts(l.host, `^(\*\.)?[A-Za-z0-9._:\[\]-]+$`, &c.Hosts)},
		{"cors", "Pages in browsers that may call the API.", l.object(l.cors())},
		{"compat", "What becomes of what the model cannot do: left out, or refused with 400.", l.oneOfTwo(&c.Strict, "lenient", "strict")},
		{"upstreams", "Ways to reach models, by a name of your own.", l.upstreams()},
		{"models", "What clients may ask for: the first entry that matches wins.", l.models()},
		{"limits", "What bounds a request and the process.", l.object(l.limits())},
		{"timeouts", "What bounds the time of a request, and of the drain.", l.object(l.timeouts())},
		{"inspector", "Whether what clients and models write is kept, and shown at /inspector/ of the admin listener to who has the token.", l.inspector()},
		{"on_disconnect", "When a client leaves: cancel the call of the upstream, or read the answer to its end, so that its tokens are counted.",
			l.oneOfTwo(&c.FinishAbandoned, "cancel", "drain")},
		{"log", "What is logged, and how.", l.object(l.log())},
	}
}

// inspector says whether there is one.
func (l *loader) inspector() setting {
	c := l.cfg
	return l.boolean(func(b bool) { c.Inspector = b }, func() string {
		if c.Inspector {
			return "true"
		}
		return ""
	}).otherwise("false")
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

// limits returns the keys of what bounds a request and the process.
func (l *loader) limits() fields {
	c := l.cfg
	return fields{
		{"attempts", "Tries of one upstream for a request, before its first event.", l.between(&c.Attempts, 1, mostAttempts).otherwise(fmt.Sprint(proxy.DefaultAttempts))},
		{"body_bytes", "The longest body of a request, unpacked.", l.between(&c.BodyBytes, 1, mostBodyBytes).otherwise(fmt.Sprint(proxy.DefaultBodyBytes))},
		{"max_concurrent", "How many exchanges are answered at once; 0 is as many as the process has descriptors for.", l.between(&c.MaxConcurrent, 0, mostConcurrent).otherwise("0")},
		{"max_inflight_bytes", "How long their bodies may be together, unpacked; 0 is by the memory of the process.", l.between(&c.MaxInflightBytes, 0, mostInflightBytes).otherwise("0")},
		{"max_connection_age", "How old a connection of a client may be, give or take a tenth: the answer to the next request ends it, and open streams go on; 0s is no limit.", l.delay(&c.MaxConnectionAge).otherwise("0s")},
		{"max_connections", "How many connections clients may have at once; by the descriptors of the process, if it is not said.", l.between(&c.MaxConnections, 1, mostConcurrent)},
	}
}

// timeouts returns the keys of the durations: those of the proxy, and those of connecting and draining.
func (l *loader) timeouts() fields {
	t, usual := &l.cfg.Timeouts, proxy.DefaultTimeouts
	return fields{
		{"connect", "To connect to an upstream.", l.duration(&l.cfg.Connect).otherwise(short(upstream.DefaultConnect))},
		{"first_byte", "From asking the upstream until it accepts.", l.duration(&t.FirstByte).otherwise(short(usual.FirstByte))},
		{"idle", "Between two pieces of the upstream's answer.", l.duration(&t.Idle).otherwise(short(usual.Idle))},
		{"total", "From asking the upstream until the end.", l.duration(&t.Total).otherwise(short(usual.Total))},
		{"write_stall", "For the client to take what was written.", l.duration(&t.WriteStall).otherwise(short(usual.WriteStall))},
		{"early_commit_after", "From asking the upstream until a stream begins without it, with comments that keep the connection alive; 0s is never.", l.earlyCommit()},
		{"drain", "From SIGTERM until the end; open exchanges are ended with an error shortly before.", l.duration(&l.cfg.Drain).otherwise(short(defaultDrain))},
		{"drain_delay", "From SIGTERM until no more connections are taken; if it is not said, 5s or half of drain, and 0s on loopback.", l.delay(&l.cfg.DrainDelay)},
	}
}

// earlyCommit reads timeouts.early_commit_after.
func (l *loader) earlyCommit() setting {
	s := l.delay(&l.cfg.Timeouts.EarlyCommit)
	read := s.read
	s.read = func(n *yaml.Node, key string) {
		if read(n, key); l.cfg.Timeouts.EarlyCommit > mostEarlyCommit {
			l.report(l.lines[key], key, "no client waits for longer than "+mostEarlyCommit.String(), "give less than the shortest idle timeout between here and the clients")
		}
	}
	return s.otherwise("0s")
}

// upstreams reads all upstreams, by their names.
func (l *loader) upstreams() setting {
	return setting{
		read: func(n *yaml.Node, key string) {
			l.entries(n, key, func(name string, line int, value *yaml.Node, key string) {
				if !isName(name) {
					l.report(line, key, fmt.Sprintf("%q cannot name an upstream", name), "use letters, digits, “.”, “_” and “-”: the name stands in headers and metrics")
				}
				u := Upstream{Name: name}
				if value.Kind != yaml.MappingNode || l.kind(value, key, &u) {
					l.mapping(value, key, l.upstream(&u))
				}
				l.cfg.Upstreams = append(l.cfg.Upstreams, u)
			})
		},
		schema: l.upstreamsSchema,
		shown: func(p *printer, key string) *yaml.Node {
			all := &yaml.Node{Kind: yaml.MappingNode}
			for i := range l.cfg.Upstreams {
				u := &l.cfg.Upstreams[i]
				p.add(all, u.Name, p.mapping(l.upstream(u), key+"."+u.Name))
			}
			return all
		},
	}
}

// upstreamsSchema is a schema for each kind, so that an editor knows the keys which that has.
func (l *loader) upstreamsSchema() schema {
	var each []schema
	for _, kind := range kinds {
		required := []string{"kind"}
		if kind == Anthropic || kind == OpenAI {
			required = append(required, "base_url")
		}
		s := objectSchema(l.upstream(&Upstream{Kind: kind}), required)
		one := s.Properties["kind"]
		one.AnyOf, one.Const = nil, kind
		s.Properties["kind"], s.Title = one, kind
		each = append(each, s)
	}
	return schema{Type: nullable("object"), Names: &schema{Pattern: "^[A-Za-z0-9._-]+$"}, Additional: schema{OneOf: each}}
}

// The kinds of upstream, in the order in which they are listed.
var kinds = []string{Simulated, Bedrock, Vertex, Anthropic, OpenAI}

// upstream returns the keys that the upstream's kind has. If the kind itself is wrong, the other keys
// are not read: they may be right for the kind that was meant.
func (l *loader) upstream(u *Upstream) fields {
	kind := l.choice(&u.Kind, kinds)
	kind.read = func(*yaml.Node, string) {} // it was, before the others
	fs := fields{{"kind", "What the upstream speaks.", kind}}
	switch u.Kind {
	case Bedrock:
		fs = append(fs, fields{
			{"region", "The AWS region; that of the environment or the profile, if it is not said.", l.text(&u.Region).matching(`^[a-z0-9-]*$`)},
			{"profile", "Of the shared AWS configuration, for credentials.", l.text(&u.Profile)},
			{"endpoint", "A URL in place of the region's own.", l.url(&u.Endpoint)},
		}...)
	case Vertex:
		fs = append(fs, fields{
			{"project", "The id of the Google Cloud project; that of the environment, if it is not said.", l.text(&u.Project)},
			{"location", "A region, global, or a multi-region; that of the environment, if it is not said.", l.text(&u.Location).matching(`^[a-z0-9-]*$`)},
			{"endpoint", "A URL in place of the location's own.", l.url(&u.Endpoint)},
		}...)
	case Anthropic, OpenAI:
		fs = append(fs, fields{
			{"base_url", "The address of the server, before " + resources[u.Kind] + ".", l.url(&u.BaseURL)},
			{"api_key", "What the server is shown; best as ${VAR} or file:/path.", l.secretText(&u.APIKey)},
		}...)
	}
	if u.Kind != Simulated {
		fs = append(fs, fields{
			{"ca", "The path of a file in PEM: authorities that the server's certificate may come from, besides the system's.", l.authorities(u)},
			{"list_models", "Whether GET /v1/models asks the upstream for its models where a wildcard serves all of them.", l.lists(u)},
		}...)
	}
	return fs
}

// url is a text that is shown without the password in it.
func (l *loader) url(dst *string) setting {
	s := l.text(dst)
	return scalar(s.read, s.tag, s.schema, func() string { return withoutPassword(*dst) })
}

// lists reads whether the upstream is asked which models it has: it is, unless that is false.
func (l *loader) lists(u *Upstream) setting {
	return l.boolean(func(lists bool) { u.Unlisted = !lists }, func() string {
		if u.Unlisted {
			return "false"
		}
		return ""
	}).otherwise("true")
}

// authorities reads the path of a file with certificates, and the file.
func (l *loader) authorities(u *Upstream) setting {
	s := l.path(&u.CA)
	read := s.read
	s.read = func(n *yaml.Node, key string) {
		if read(n, key); u.CA == "" {
			return
		}
		l.files = append(l.files, u.CA)
		err := regular(u.CA)
		if err == nil {
			u.Roots, err = upstream.Roots(u.CA)
		}
		if err != nil {
			l.report(n.Line, key, fmt.Sprintf("%s cannot be used: %s", u.CA, reason(err)), "name a file with certificates of authorities in PEM")
		}
	}
	return s
}

// kind reads the kind of an upstream before its other keys, wherever it stands among them.
// It is false if the kind is missing or unknown, which is reported.
func (l *loader) kind(n *yaml.Node, key string, u *Upstream) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "kind" {
			l.choice(&u.Kind, kinds).read(deref(n.Content[i+1]), key+".kind")
			return u.Kind != ""
		}
	}
	l.report(n.Line, key, "the upstream has no kind", "add kind: "+oneOf(kinds))
	return false
}

// isName reports whether s can be the name of an upstream, which stands in headers and in
// labels of metrics.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}
