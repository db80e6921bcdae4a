package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dragoman/proxy"
	"dragoman/proxy/nearest"
	"dragoman/translate"
	"dragoman/upstream"
)

// check applies the overrides and fills in what the environment has, and then reports what
// is wrong with values that do not go together.
func (l *loader) check() {
	for i, u := range l.cfg.Upstreams {
		l.checkUpstream(&l.cfg.Upstreams[i], "upstreams."+u.Name)
	}
	l.checkModels()
	l.checkListen()
	l.checkLog()
}

// resources are what upstreams add to their base_url.
var resources = map[string]string{Anthropic: "/v1/messages", OpenAI: "/chat/completions"}

// checkUpstream reports what the upstream's kind needs and it does not have. key is its
// place in the file, such as "upstreams.east".
func (l *loader) checkUpstream(u *Upstream, key string) {
	switch u.Kind {
	case Bedrock:
		l.checkRegion(u, key)
		if u.Endpoint != "" {
			l.checkURL(u.Endpoint, key+".endpoint")
		}
	case Vertex:
		l.checkVertex(u, key)
	case Anthropic, OpenAI:
		if u.BaseURL == "" {
			l.report(l.lines[key], key, "the upstream has no base_url", "add the address of the server, without "+resources[u.Kind])
			return
		}
		l.checkURL(u.BaseURL, key+".base_url")
		if base, err := url.Parse(u.BaseURL); err == nil && base.Scheme == "http" && u.APIKey != "" && !isLoopback(base.Hostname()) {
			l.warn(l.lines[key+".base_url"], key+".base_url", "api_key and all prompts go there without encryption", "use https, with ca for an authority of your own")
		}
	}
}

// checkRegion sets the region of an upstream that has none to the one that the AWS SDKs
// would take, and reports one that is missing or cannot be a region.
func (l *loader) checkRegion(u *Upstream, key string) {
	if u.Region == "" {
		region, err := awsRegion(l.getenv, u.Profile)
		switch {
		case err != nil:
			l.report(l.lines[key], key, err.Error(), "add region, or mend the profile")
		case region == "":
			l.report(l.lines[key], key, "the upstream has no region, and neither has the environment", "add region: us-east-1, or set AWS_REGION")
		}
		u.Region = region
		l.derive(key+".region", l.regionFrom(u.Profile))
	}
	if !isRegion(u.Region) {
		l.report(l.lines[key], key, fmt.Sprintf("%q is not a region", u.Region), "write it as in us-east-1")
	}
}

// checkModels reports entries without a name or a declared upstream, and warns of entries
// that no request can reach.
func (l *loader) checkModels() {
	kinds := map[string]string{}
	var names []string
	for _, u := range l.cfg.Upstreams {
		kinds[u.Name] = u.Kind
		names = append(names, u.Name)
	}
	// If the value of models is not a list, there are no entries either, and the reader has
	// reported it: no second problem is added.
	reported := slices.ContainsFunc(l.problems, func(p Problem) bool { return p.Key == "models" })
	if len(names) > 0 && len(l.cfg.Models) == 0 && !reported {
		l.report(max(1, l.lines["models"]), "models", "no model is declared", fmt.Sprintf("add models: [{name: \"*\", upstream: %s}]", names[0]))
	}
	for i := range l.cfg.Models {
		route, key := &l.cfg.Models[i], fmt.Sprintf("models[%d]", i)
		if route.Name == "" {
			l.report(l.lines[key], key, "the entry has no name", `add the name clients ask for, or name: "*"`)
		}
		l.checkUpstreamModel(&route.UpstreamModel, key, kinds, names)
		for j := range route.Fallbacks {
			l.checkUpstreamModel(&route.Fallbacks[j], fmt.Sprintf("%s.fallbacks[%d]", key, j), kinds, names)
		}
		l.shadowed(i, key)
	}
}

// checkUpstreamModel reports a model whose upstream is not declared, or cannot do what the
// entry says. kinds has the kind of each upstream, and names are theirs in the order of the
// file. It also sets what follows from the kind: openai has one wire, and may go on with a prefill; vertex asks
// models over a wire by their ids; models behind anthropic are taken for Claude if nothing says otherwise; the simulated model goes on with a prefill.
func (l *loader) checkUpstreamModel(m *proxy.UpstreamModel, key string, kinds map[string]string, names []string) {
	kind, declared := kinds[m.Upstream]
	if !declared {
		l.undeclared(m.Upstream, key, names)
		return
	}
	l.checkWire(m, key+".wire", kind)
	native := m.Tools == proxy.ToolsNative || m.Tools == proxy.ToolsAuto
	if native && (kind == Simulated || m.Wire != "" && m.Wire != proxy.WireMessages && m.Wire != proxy.WireChat) {
		l.report(l.lines[key+".tools"], key+".tools", fmt.Sprintf("%q needs an upstream that has a tools API, and %s has none here", m.Tools, m.Upstream),
			"use tools: xml, or an upstream with wire: messages or wire: chat")
	}
	if m.Rescue && !native {
		l.report(l.lines[key+".rescue"], key+".rescue", "there is nothing to rescue: calls in text are what is read anyway", "remove the key, or set tools: native")
	}
	if kind == OpenAI && m.Wire == "" {
		m.Wire = proxy.WireChat
		l.derive(key+".wire", "the kind of "+m.Upstream)
	}
	if _, set := l.lines[key+".rescue"]; native && !set && asksOverChat(m, kind) {
		m.Rescue = true
		l.derive(key+".rescue", "the wire")
	}
	if kind == Anthropic {
		m.Assumed = translate.FamilyClaude
	}
	m.TryPrefill, m.OpenOverChat = kind == OpenAI, kind == Vertex
	if kind == Simulated && !m.Features.Without.Has(upstream.Prefill) && !m.Features.With.Has(upstream.Prefill) {
		m.Features.With |= upstream.Prefill
		l.derive(key+".prefill", "the kind of "+m.Upstream)
	}
}

// asksOverChat reports whether the model is asked over chat completions, as far as its entry tells.
func asksOverChat(m *proxy.UpstreamModel, kind string) bool {
	return m.Wire == proxy.WireChat || kind == Vertex && m.Wire == "" && m.Model != "" && !upstream.IsClaude(m.Model)
}

// kindsOf are the kinds of upstream that have a wire. A wire that is not here is one of all
// kinds but openai.
var kindsOf = map[string][]string{proxy.WireText: {Bedrock}, proxy.WireConverse: {Bedrock}, proxy.WireChat: {OpenAI, Vertex}}

// checkWire reports a wire that the upstream of a model does not have.
func (l *loader) checkWire(m *proxy.UpstreamModel, key, kind string) {
	only, of := kindsOf[m.Wire], fmt.Sprintf("and %s is of the kind %s", m.Upstream, kind)
	switch {
	case len(only) > 0 && !slices.Contains(only, kind):
		l.report(l.lines[key], key, fmt.Sprintf("%q is a wire of %s alone, %s", m.Wire, strings.Join(only, " and "), of),
			"remove the key, or name an upstream of the kind "+oneOf(only))
	case kind == OpenAI && m.Wire == proxy.WireMessages:
		l.report(l.lines[key], key, fmt.Sprintf("%q is not a wire of openai, %s", m.Wire, of), "remove the key, or write wire: chat")
	}
}

// undeclared reports the name of an upstream that is not declared. names are those that
// are.
func (l *loader) undeclared(name, key string, names []string) {
	switch near := nearest.Word(name, names); {
	case name == "":
		l.report(l.lines[key], key, "the entry has no upstream", "add the name of one under upstreams")
	case near != "":
		l.report(l.lines[key+".upstream"], key+".upstream", fmt.Sprintf("no upstream is named %q", name), fmt.Sprintf("did you mean %q?", near))
	case len(names) == 0:
		l.report(l.lines[key+".upstream"], key+".upstream", fmt.Sprintf("no upstream is named %q", name), "declare it under upstreams")
	default:
		l.report(l.lines[key+".upstream"], key+".upstream", fmt.Sprintf("no upstream is named %q", name), "declared: "+oneOf(names))
	}
}

// shadowed warns if an earlier entry matches every name that an entry matches. To see that,
// it is enough to match the entry's own name: a * in it counts as a character there, and
// only a wildcard of the earlier entry can match that.
func (l *loader) shadowed(i int, key string) {
	for j, earlier := range l.cfg.Models[:i] {
		if !earlier.Matches(l.cfg.Models[i].Name) {
			continue
		}
		l.warn(l.lines[key], key, fmt.Sprintf("%q is never reached: models[%d] (%q) matches first", l.cfg.Models[i].Name, j, earlier.Name),
			"move the narrower name up")
		return
	}
}

// checkListen checks both addresses. One that other machines can reach needs keys.
func (l *loader) checkListen() {
	running := cmp.Or(l.src.Running, new(Config))
	client := l.address("listen", &l.cfg.Listen, l.src.Listen, running.Listen)
	admin := l.address("admin_listen", &l.cfg.AdminListen, l.src.AdminListen, running.AdminListen)
	l.cfg.Loopback, l.cfg.AdminLoopback = client.loopback, admin.loopback
	l.checkInspector()
	l.checkTLS()
	l.keepTLS()
	if !l.src.Idle {
		l.checkReach(client, admin)
	}
	l.checkDrain(client.loopback)
	if client.valid && admin.valid && l.cfg.Listen == l.cfg.AdminListen && client.port != "0" {
		l.problems = append(l.problems, admin.problem("the same address as listen: "+l.cfg.Listen, "choose another port"))
	}
}

// checkReach reports an address for clients that strangers can use, and warns of what they can
// use because it was asked for. The certificate of a client is as good as a key.
func (l *loader) checkReach(client, admin address) {
	authenticated := len(l.cfg.Keys) > 0 || l.cfg.TLS.ClientCA != ""
	// Keys that were meant to be there, and are not right, are reported already.
	meant := slices.ContainsFunc(l.problems, func(p Problem) bool { return strings.HasPrefix(p.Key, "auth") })
	switch {
	case !client.valid || client.loopback || authenticated || meant:
	case l.src.Insecure:
		l.cfg.Warnings = append(l.cfg.Warnings, client.problem(
			fmt.Sprintf("%s can be reached from other machines, and with --insecure anyone there can use your upstreams", l.cfg.Listen), "set auth.keys"))
	default:
		l.problems = append(l.problems, client.problem(
			fmt.Sprintf("%s can be reached from other machines, and without auth.keys anyone there could use your upstreams", l.cfg.Listen),
			fmt.Sprintf("set auth: {keys: [\"${DRAGOMAN_KEY}\"]}, listen on 127.0.0.1:%s, or pass --insecure (DRAGOMAN_INSECURE=true)", client.port)))
	}
	switch {
	case !admin.valid || admin.loopback:
	case l.cfg.Inspector:
		l.problems = append(l.problems, admin.problem(
			fmt.Sprintf("%s can be reached from other machines, and the inspector shows there what clients and models write", l.cfg.AdminListen),
			fmt.Sprintf("listen on 127.0.0.1:%s, or turn the inspector off: inspector: false, and no --inspect (DRAGOMAN_INSPECT)", admin.port)))
	case l.getenv("KUBERNETES_SERVICE_HOST") != "": // in a Pod the kubelet's probes and Prometheus come from other machines
	default:
		l.cfg.Warnings = append(l.cfg.Warnings, admin.problem(
			fmt.Sprintf("%s can be reached from other machines, and asks for no key: whoever is there can read /metrics", l.cfg.AdminListen),
			fmt.Sprintf("listen on 127.0.0.1:%s, or let the network keep strangers out", admin.port)))
	}
}

// checkInspector applies --inspect. To begin, or to end, takes a restart: the token is printed then.
func (l *loader) checkInspector() {
	const key = "inspector"
	if l.src.Inspect.Value != "" {
		l.cfg.Inspector = true
		l.derive(key, l.src.Inspect.From)
	}
	if running := l.src.Running; running != nil {
		keep(l, key, &l.cfg.Inspector, running.Inspector)
	}
}

// notSaid stands for a delay that the file does not have, until [loader.checkDrain].
const notSaid = -1

// checkDrain sets the delay of the drain if the file does not: on loopback there is nobody
// between the clients and the server who would have to find out that it stops.
//
// To change the drain takes a restart: whoever ends the process, such as Kubernetes with the grace period of
// a Pod, waits for the drain that the process began with.
func (l *loader) checkDrain(loopback bool) {
	const key = "timeouts.drain_delay"
	switch {
	case l.cfg.DrainDelay != notSaid:
		if l.cfg.DrainDelay >= l.cfg.Drain {
			l.report(l.lines[key], key, fmt.Sprintf("the drain is over before it: timeouts.drain is %v", l.cfg.Drain), "give less, or a longer timeouts.drain")
		}
	default:
		l.cfg.DrainDelay = min(5*time.Second, l.cfg.Drain/2)
		if loopback {
			l.cfg.DrainDelay = 0
		}
		l.derive(key, "by listen and timeouts.drain")
	}
	if running := l.src.Running; running != nil {
		keep(l, "timeouts.drain", &l.cfg.Drain, running.Drain)
		keep(l, key, &l.cfg.DrainDelay, running.DrainDelay)
	}
}

// address is an address to listen on, and where it was given.
type address struct {
	port     string
	valid    bool    // a host and a port; else the problem has been reported
	loopback bool    // only this machine can reach it
	place    Problem // where it was given, and nothing else
}

// problem returns a problem with the address, at the place where it was given.
func (a address) problem(cause, fix string) Problem {
	a.place.Cause, a.place.Fix = cause, fix
	return a.place
}

// address returns the address of a key. It puts an override in its place at dst, and
// reports an address that is not valid. The one that is listened on, "" for none, stays.
func (l *loader) address(key string, dst *string, over Override, running string) address {
	a := address{place: Problem{Where: key}}
	if line, ok := l.lines[key]; ok {
		a.place = Problem{Where: fmt.Sprintf("%s:%d", l.file, line), Key: key, line: line}
	}
	if over.Value != "" {
		*dst = over.Value
		a.place = Problem{Where: over.From}
		l.derive(key, over.From)
	}
	host, port, err := splitAddress(*dst)
	if err != nil {
		l.problems = append(l.problems, a.problem(fmt.Sprintf("%q is not an address to listen on", *dst), "write host:port, such as 127.0.0.1:8484; port 0 takes a free one"))
		return a
	}
	if running != "" && running != *dst {
		l.wait(key)
		*dst = running
		host, port, _ = splitAddress(running) // which was valid when it was taken
	}
	a.port, a.valid, a.loopback = port, true, isLoopback(host)
	return a
}

// splitAddress returns the host and the port of an address to listen on.
func splitAddress(s string) (host, port string, err error) {
	if host, port, err = net.SplitHostPort(s); err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return host, port, err
}

// keep has the value of a key that takes a restart stay as it is in the process.
func keep[T comparable](l *loader, key string, dst *T, running T) {
	if *dst != running {
		*dst = running
		l.wait(key)
	}
}

// wait says that the value of a key takes a restart: the one in effect stays.
func (l *loader) wait(key string) {
	l.cfg.Waits = append(l.cfg.Waits, key)
	l.derive(key, "in effect until a restart")
}
