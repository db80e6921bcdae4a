package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

// completeModels sets the format of entries. A fallback without format, template and language takes its entry's.
func (l *loader) completeModels() {
	for i := range l.cfg.Routes {
		route, key := &l.cfg.Routes[i], element("models", i)
		if route.Format == "" {
			route.Format = translate.FormatAuto
			if route.Template != "" { // a template shows how calls are written
				route.Format = translate.FormatLegacy
			}
		}
		l.checkWords(&route.UpstreamModel, key)
		for j := range route.Fallbacks {
			m, own := &route.Fallbacks[j], element(key+".fallbacks", j)
			if m.Format == "" { // a template belongs to a format, so it is inherited only with the format
				if m.Template == "" {
					l.inherit(own+".template", key+".template")
				}
				l.inherit(own+".format", key+".format")
				m.Format, m.Template = route.Format, cmp.Or(m.Template, route.Template)
			}
			if m.Language == "" {
				l.inherit(own+".language", key+".language")
				m.Language = route.Language
			}
			l.checkWords(m, own)
		}
	}
}

// inherit records that a fallback's value comes from its entry.
func (l *loader) inherit(key, from string) {
	if o, given := l.origins[from]; given {
		l.origins[key] = origin{where: o.where + " (" + from + ")", raw: o.raw}
	}
}

// checkWords reports a template that does not fit the model's format, and warns about an unknown family, because no
// list of models is complete.
func (l *loader) checkWords(m *UpstreamModel, key string) {
	_, known := translate.ChatTemplateFor(m.Family)
	if m.Family != "" && !known && translate.ChooseFormat(m.Family).Family == "" && upstream.FamilyOf(m.Family) == "" {
		l.warn(key+".family", fmt.Sprintf("unknown family %q: Dragoman treats the model like one of no known family", m.Family), "run `dragoman formats` for the names")
	}
	if m.ResultNote == "true" || m.ResultNote == "false" {
		l.reportAt(key+".result_note", fmt.Sprintf("%s is no sentence", m.ResultNote), "set on, off or a sentence")
	}
	if m.Template == "" {
		return
	}
	if m.Format == translate.FormatAuto {
		l.reportAt(key+".template", "a template shows how calls are written, but format: auto leaves that open", "set format to the model's format")
	} else if err := translate.CheckTemplate(m.Template, m.Format); err != nil {
		l.reportAt(key+".template", err.Error(), "see \"Languages and templates\" in docs/explanation/prompts.md")
	}
}

// checkModels reports entries without a name or a declared upstream, and warns about entries that no request can reach.
func (l *loader) checkModels() {
	var names []string
	for _, u := range l.cfg.Upstreams {
		names = append(names, u.Name)
	}
	if len(names) > 0 && len(l.cfg.Routes) == 0 && !l.reported("models") {
		l.report(max(1, l.lines["models"]), "models", "no model is declared", fmt.Sprintf("add models: [{name: \"*\", upstream: %s}]", names[0]))
	}
	for i := range l.cfg.Routes {
		route, key := &l.cfg.Routes[i], element("models", i)
		if route.Name == "" {
			l.reportAt(key, "the entry has no name", `add the name clients ask for, or name: "*"`)
		}
		l.checkUpstreamModel(&route.UpstreamModel, key, names)
		for j := range route.Fallbacks {
			l.checkUpstreamModel(&route.Fallbacks[j], element(key+".fallbacks", j), names)
		}
		l.shadowed(i, key)
	}
}

// checkUpstreamModel reports a model whose upstream is not declared, or cannot do what the entry says. names are the
// upstreams' names, in the order of the file.
func (l *loader) checkUpstreamModel(m *UpstreamModel, key string, names []string) {
	at := slices.Index(names, m.Upstream)
	switch {
	case m.Upstream == "":
		l.reportAt(key, "the entry has no upstream", "add the name of one under upstreams")
	case at >= 0:
		kind := l.cfg.Upstreams[at].Kind
		l.checkWire(m, key+".wire", kind)
		l.checkRaw(m, key, kind)
		l.checkTools(m, key, kind)
		l.followKind(m, key, kind)
	case len(names) == 0:
		l.reportAt(key+".upstream", fmt.Sprintf("no upstream is named %q", m.Upstream), "declare it under upstreams")
	default:
		l.reportAt(key+".upstream", fmt.Sprintf("no upstream is named %q", m.Upstream), suggest(m.Upstream, names, "declared: "+oneOf(names)))
	}
}

// kindsOf are the kinds of upstream that have a wire. A wire that is missing here belongs to all kinds but openai.
var kindsOf = map[string][]string{proxy.WireText: {Bedrock}, proxy.WireConverse: {Bedrock}, proxy.WireChat: {OpenAI, Vertex}, proxy.WirePrompt: {Bedrock, OpenAI, Vertex}}

// kindsOfBody are the kinds of upstream that have a body format for raw prompts. A body that is missing here belongs to
// all kinds.
var kindsOfBody = map[string][]string{upstream.BodyLlama: {Bedrock}, upstream.BodyChat: {Bedrock}, upstream.BodyOllama: {OpenAI}, upstream.BodyPredict: {Vertex}}

// checkWire reports a wire that the model's upstream does not have.
func (l *loader) checkWire(m *UpstreamModel, key, kind string) {
	only, of := kindsOf[m.Wire], fmt.Sprintf("and %s is of the kind %s", m.Upstream, kind)
	switch {
	case len(only) > 0 && !slices.Contains(only, kind):
		l.reportAt(key, fmt.Sprintf("%q is only a wire of %s, %s", m.Wire, strings.Join(only, " and "), of),
			"remove the key, or name an upstream of the kind "+oneOf(only))
	case kind == OpenAI && m.Wire == proxy.WireMessages:
		l.reportAt(key, fmt.Sprintf("%q is not a wire of openai, %s", m.Wire, of), "remove the key, or write wire: chat")
	}
}

// checkRaw reports keys of raw prompts on a model without raw prompts, and a body that the upstream does not have.
func (l *loader) checkRaw(m *UpstreamModel, key, kind string) {
	raw := m.Wire == proxy.WirePrompt || m.Wire == "" && kind == Bedrock && (upstream.IsImported(m.Model) || m.Model == "")
	for _, k := range [][2]string{{"chat_template", m.ChatTemplate}, {"body", m.Body}} {
		if k[1] != "" && !raw {
			l.reportAt(key+"."+k[0], "the key is only for raw prompts, and the model gets none", "add wire: prompt, or remove the key")
		}
	}
	if only := kindsOfBody[m.Body]; len(only) > 0 && !slices.Contains(only, kind) {
		l.reportAt(key+".body", fmt.Sprintf("%q is only a body of %s, and %s is of the kind %s", m.Body, strings.Join(only, " and "), m.Upstream, kind),
			"remove the key, or write body: completions")
	}
}

// checkTools reports native tools on an upstream without a tools API, and keys that need native tools on a model
// without them.
func (l *loader) checkTools(m *UpstreamModel, key, kind string) {
	native := hasNativeTools(m)
	if native && (kind == Simulated || m.Wire != "" && m.Wire != proxy.WireMessages && m.Wire != proxy.WireChat) {
		l.reportAt(key+".tools", fmt.Sprintf("%q needs an upstream with a tools API, and %s has none here", m.Tools, m.Upstream),
			"use tools: xml, or an upstream with wire: messages or wire: chat")
	}
	switch {
	case m.Rescue && !native:
		l.reportAt(key+".rescue", "the key has no effect: Dragoman reads calls in text anyway", "remove the key, or set tools: native")
	case m.Rescue && kind != OpenAI && kind != Simulated && !asksOverChat(m, kind):
		l.reportAt(key+".rescue", "over the Messages API the request passes through untouched, so Dragoman escapes nothing in it: a text that the model repeats could become a call",
			"remove the key, or use a server with wire: chat")
	}
}

func hasNativeTools(m *UpstreamModel) bool {
	return m.Tools == proxy.ToolsNative || m.Tools == proxy.ToolsAuto
}

// followKind sets what follows from the kind of the upstream: openai has one wire, and the simulated model continues a
// prefill.
func (l *loader) followKind(m *UpstreamModel, key, kind string) {
	if kind == OpenAI && m.Wire == "" {
		m.Wire = proxy.WireChat
		l.derive(key+".wire", "the kind of "+m.Upstream)
	}
	if _, given := l.origins[key+".rescue"]; !given && hasNativeTools(m) && asksOverChat(m, kind) {
		m.Rescue = true
		l.derive(key+".rescue", "the wire")
	}
	if kind == Simulated && m.Prefill == nil {
		prefill := true
		m.Prefill = &prefill
		l.derive(key+".prefill", "the kind of "+m.Upstream)
	}
}

// asksOverChat reports whether the model is asked over chat completions, as far as its entry tells.
func asksOverChat(m *UpstreamModel, kind string) bool {
	return m.Wire == proxy.WireChat || kind == Vertex && m.Wire == "" && m.Model != "" && !upstream.IsClaude(m.Model)
}

// shadowed warns if an earlier entry matches every name that an entry matches. To test this, it matches the entry's own
// name: a * in it counts as a plain character, and only a wildcard of the earlier entry can match that.
func (l *loader) shadowed(i int, key string) {
	name := l.cfg.Routes[i].Name
	earlier := slices.IndexFunc(l.cfg.Routes[:i], func(r Route) bool { return (proxy.Route{Name: r.Name}).Matches(name) })
	if earlier >= 0 {
		l.warn(key, fmt.Sprintf("%q is never reached: models[%d] (%q) matches first", name, earlier, l.cfg.Routes[earlier].Name), "move the narrower name up")
	}
}
