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
		l.checkWords(&route.Model, key)
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
func (l *loader) checkWords(m *Model, key string) {
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
		l.checkUpstreamModel(&route.Model, key, names)
		for j := range route.Fallbacks {
			l.checkUpstreamModel(&route.Fallbacks[j], element(key+".fallbacks", j), names)
		}
		l.shadowed(i, key)
	}
}

// checkUpstreamModel reports a model whose upstream is not declared, or cannot do what the entry says. names are the
// upstreams' names, in the order of the file.
func (l *loader) checkUpstreamModel(m *Model, key string, names []string) {
	at := slices.Index(names, m.Upstream)
	switch {
	case m.Upstream == "":
		l.reportAt(key, "the entry has no upstream", "add the name of one under upstreams")
	case at >= 0:
		kind := l.cfg.Upstreams[at].Kind
		l.checkWire(m, key+".wire", kind)
		l.checkBody(m, key, kind)
		l.checkDescribed(m, key, kind)
	case len(names) == 0:
		l.reportAt(key+".upstream", fmt.Sprintf("no upstream is named %q", m.Upstream), "declare it under upstreams")
	default:
		l.reportAt(key+".upstream", fmt.Sprintf("no upstream is named %q", m.Upstream), suggest(m.Upstream, names, "declared: "+oneOf(names)))
	}
}

// kindsOfBody are the kinds of upstream that have a body format for raw prompts. A body that is missing here belongs to
// all kinds.
var kindsOfBody = map[string][]string{upstream.BodyLlama: {Bedrock}, upstream.BodyChat: {Bedrock}, upstream.BodyOllama: {OpenAI}, upstream.BodyPredict: {Vertex}}

// checkWire reports a wire that the model's upstream does not have.
func (l *loader) checkWire(m *Model, key, kind string) {
	only, of := upstream.KindsOf(m.Wire), fmt.Sprintf("and %s is of the kind %s", m.Upstream, kind)
	switch {
	case m.Wire == "" || slices.Contains(only, kind):
	case m.Wire == proxy.WireMessages:
		l.reportAt(key, fmt.Sprintf("%q is not a wire of %s, %s", m.Wire, kind, of), "remove the key, or write wire: chat")
	default:
		l.reportAt(key, fmt.Sprintf("%q is only a wire of %s, %s", m.Wire, strings.Join(only, " and "), of),
			"remove the key, or name an upstream of the kind "+oneOf(only))
	}
}

// checkBody reports a body that the upstream does not have.
func (l *loader) checkBody(m *Model, key, kind string) {
	if only := kindsOfBody[m.Body]; len(only) > 0 && !slices.Contains(only, kind) {
		l.reportAt(key+".body", fmt.Sprintf("%q is only a body of %s, and %s is of the kind %s", m.Body, strings.Join(only, " and "), m.Upstream, kind),
			"remove the key, or write body: completions")
	}
}

// checkDescribed compares a model with the description of its host. It reports keys that say something else, and sets
// what follows from the description: the wire of openai, and whether calls in text are read.
func (l *loader) checkDescribed(m *Model, key, kind string) {
	p := m.proxy(map[string]string{m.Upstream: kind})
	wire, native := p.Spec().Wire, m.Tools == proxy.ToolsNative || m.Tools == proxy.ToolsAuto
	p.Body = ""                                                                        // a body of messages is no raw prompt, but its key is for imported models
	raw := p.Spec().Wire == proxy.WirePrompt || p.Spec().Wire == "" && kind == Bedrock // "": perhaps an imported model
	for _, k := range [][2]string{{"chat_template", m.ChatTemplate}, {"body", m.Body}} {
		if k[1] != "" && !raw {
			l.reportAt(key+"."+k[0], "the key is only for raw prompts, and the model gets none", "add wire: prompt, or remove the key")
		}
	}
	switch rescue := m.Rescues(); {
	case native && !p.MayTakeTools():
		l.reportAt(key+".tools", fmt.Sprintf("%q needs an upstream with a tools API, and %s has none here", m.Tools, m.Upstream),
			"use tools: xml, or an upstream with wire: messages or wire: chat")
	case rescue && !native:
		l.reportAt(key+".rescue", "the key has no effect: Dragoman reads calls in text anyway", "remove the key, or set tools: native")
	case rescue && wire != proxy.WireChat:
		l.reportAt(key+".rescue", "over the Messages API the request passes through untouched, so Dragoman escapes nothing in it: a text that the model repeats could become a call",
			"remove the key, or use a server with wire: chat")
	}
	if kind == OpenAI && m.Wire == "" {
		m.Wire = wire
		l.derive(key+".wire", "the kind of "+m.Upstream)
	}
	if m.Rescue == nil && native && wire == proxy.WireChat {
		m.Rescue = new(true)
		l.derive(key+".rescue", "the wire")
	}
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
