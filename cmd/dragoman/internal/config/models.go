package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

// models reads the entries under models.
func (l *loader) models() setting {
	each := func() schema { return objectSchema(l.route(new(proxy.Route)), []string{"name", "upstream"}) }
	return l.list(l.model, each, func() int { return len(l.cfg.Models) },
		func(p *printer, i int, key string) *yaml.Node { return p.mapping(l.route(&l.cfg.Models[i]), key) })
}

// model reads an entry of models. A fallback that says nothing of format, template and
// language has those of the entry.
func (l *loader) model(n *yaml.Node, key string) {
	var route proxy.Route
	l.lines[key] = n.Line
	l.mapping(n, key, l.route(&route))
	if route.Format == "" {
		route.Format = translate.FormatAuto
		if route.Template != "" { // which shows how calls are written
			route.Format = translate.FormatLegacy
		}
	}
	l.template(&route.UpstreamModel, key)
	for i := range route.Fallbacks {
		m, own := &route.Fallbacks[i], elementKey(key+".fallbacks", i)
		if m.Format == "" { // a template goes with a format, so it is not taken without it
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
		l.template(m, own)
	}
	l.cfg.Models = append(l.cfg.Models, route)
}

// inherit says that a value of a fallback is that of the entry.
func (l *loader) inherit(key, from string) {
	if o, given := l.origins[from]; given {
		l.origins[key] = origin{where: o.where + " (" + from + ")", raw: o.raw}
	}
}

// route returns the keys of an entry of models.
func (l *loader) route(r *proxy.Route) fields {
	return append(fields{{"name", "What clients ask for; * stands for any text.", l.text(&r.Name)}},
		append(l.upstreamModel(&r.UpstreamModel), named{"fallbacks", "Models that are asked in their order when the upstream fails.", l.fallbacks(r)})...)
}

// fallbacks reads the models that are asked when the first one's upstream fails.
func (l *loader) fallbacks(r *proxy.Route) setting {
	return l.list(func(n *yaml.Node, key string) {
		var m proxy.UpstreamModel
		l.lines[key] = n.Line
		l.mapping(n, key, l.upstreamModel(&m))
		r.Fallbacks = append(r.Fallbacks, m)
	}, func() schema { return objectSchema(l.upstreamModel(new(proxy.UpstreamModel)), []string{"upstream"}) },
		func() int { return len(r.Fallbacks) },
		func(p *printer, i int, key string) *yaml.Node {
			return p.mapping(l.upstreamModel(&r.Fallbacks[i]), key)
		})
}

// template reports a template that does not go with the format of its model.
func (l *loader) template(m *proxy.UpstreamModel, key string) {
	if m.Template == "" {
		return
	}
	if m.Format == translate.FormatAuto {
		l.report(l.lines[key+".template"], key+".template", "it shows how calls are written, which format: auto leaves open", "name the format of the model under format")
		return
	}
	if err := translate.CheckTemplate(m.Template, m.Format); err != nil {
		key += ".template"
		l.report(l.lines[key], key, err.Error(), "see \"Languages and templates\" in docs/formats.md")
	}
}

// upstreamModel returns the keys that an entry and a fallback have in common: which model
// is asked, and how. Their values are put into m.
func (l *loader) upstreamModel(m *proxy.UpstreamModel) fields {
	fs := fields{
		{"upstream", "The name of one under upstreams.", l.text(&m.Upstream)},
		{"model", "The id that the upstream knows; the name asked for, if it is not said.", l.text(&m.Model)},
		{"wire", "The API over which the upstream is asked; by the upstream and the id, if it is not said.",
			l.choice(&m.Wire, []string{proxy.WireMessages, proxy.WireText, proxy.WireConverse, proxy.WireChat})},
		{"tools", "How the model is given tools: in the prompt, over its own API, or over that until it says that it has none.",
			l.choice(&m.Tools, []string{proxy.ToolsXML, proxy.ToolsNative, proxy.ToolsAuto}).otherwise(proxy.ToolsXML)},
		{"format", "How tools are put into the prompt. auto: legacy for Claude, the format of the model's family if servers pass it on, else the one that measured best. With a template, the default is legacy.",
			l.choice(&m.Format, append(translate.Formats(), translate.FormatAuto)).otherwise(translate.FormatAuto)},
		{"family", "The family of the model, such as qwen2.5 or claude, where an ARN or a name of your own hides it.", l.family(&m.Family)},
		{"example_call", "Whether the prompt shows an example call of an offered tool. auto: yes, but for Claude in legacy, with a template, and for tools with input_examples.",
			l.choice(&m.ExampleCall, []string{translate.ExampleAuto, translate.ExampleOn, translate.ExampleOff}).otherwise(translate.ExampleAuto)},
		{"accept", "Formats in which calls are read besides that, legacy, attribute and json, or all; that of the model's family, if it is not said.", l.accept(&m.Accept)},
		{"language", "Of all that is said to the model; auto follows the first message.", l.choice(&m.Language, translate.Languages()).otherwise(translate.Languages()[0])},
		{"template", "A text in place of the preamble; {{tools}} stands in it once.", l.text(&m.Template)},
		{"repair", "1: a model whose call cannot be read is asked again, once.", l.between(&m.Repair, 0, 1).otherwise("0")},
		{"stream_values", "When a parameter of a call is sent. whole: when it is whole, as the API does. flow: a string as the model writes it.",
			l.choice(&m.Values, []string{proxy.ValuesWhole, proxy.ValuesFlow}).otherwise(proxy.ValuesWhole)},
		{"quoted_calls", "What a call in a code fence is: text, or a call if it is whole.",
			l.choice(&m.Quoted, []string{proxy.QuotedText, proxy.QuotedRead}).otherwise(proxy.QuotedText)},
		{"thinking", "Whether completions begin in thinking that the template opened: no, maybe, or yes; by the model's family, if it is not said.",
			l.choice(&m.Thinking, []string{translate.ThinkingMarked, translate.ThinkingMaybe, translate.ThinkingOpen})},
		{"escape_special_tokens", "Whether special tokens of the model, which chat servers read out of texts, are escaped in what clients write.", l.escapesTokens(m)},
		{"unasked_thinking", "What becomes of thinking that the client has not asked for: thinking blocks, text, or nothing; by the model's family, if it is not said.",
			l.choice(&m.UnaskedThinking, []string{translate.UnaskedBlock, translate.UnaskedText, translate.UnaskedHide})},
		{"max_tokens", "The most tokens that the model gives; by its family, if it is not said.", l.between(&m.MaxTokens, 1, mostTokens)},
		{"rescue", "With native tools: read calls that the model writes as text; true over chat completions, if it is not said.", l.flag(&m.Rescue)},
	}
	return append(fs, l.features(&m.Features)...)
}

// family reads the name of a family. One that is not known is not an error: nobody has a list of all models.
func (l *loader) family(dst *string) setting {
	text := l.text(dst)
	read := text.read
	text.read = func(n *yaml.Node, key string) {
		if read(n, key); *dst != "" && translate.ChooseFormat(*dst).Family == "" && upstream.FamilyOf(*dst) == "" {
			l.warn(n.Line, key, fmt.Sprintf("no family is called %q: the model is asked as one of which nothing is known", *dst), "see the names under \"for\" of dragoman formats")
		}
	}
	return text
}

// accept reads names of formats, in a list, or the word for all of them.
func (l *loader) accept(dst *string) setting {
	names, all := translate.AcceptedFormats(), translate.AcceptAll
	taken := func() []string {
		if *dst == "" {
			return nil
		}
		return strings.Split(*dst, ",")
	}
	list := l.list(func(n *yaml.Node, key string) {
		var name string
		if l.choice(&name, append(slices.Clone(names), all)).read(n, key); name != "" {
			*dst = strings.Join(append(taken(), name), ",")
		}
	}, func() schema { return schema{Type: "string", Enum: append(slices.Clone(names), all)}.orReference() },
		func() int { return len(taken()) }, func(p *printer, i int, key string) *yaml.Node { return p.scalar(key, "!!str", taken()[i]) })
	word := l.choice(dst, []string{all})
	read, schemaOf := list.read, list.schema
	list.read = func(n *yaml.Node, key string) {
		if n.Kind == yaml.ScalarNode {
			word.read(n, key)
			return
		}
		if read(n, key); slices.Contains(taken(), all) {
			*dst = all
		}
	}
	list.schema = func() schema { return schema{AnyOf: []schema{schemaOf(), word.schema()}} }
	shown := list.shown
	list.shown = func(p *printer, key string) *yaml.Node {
		if *dst == all {
			return word.shown(p, key)
		}
		return shown(p, key)
	}
	return list
}

// escapesTokens reads whether special tokens are escaped: they are, unless that is false.
func (l *loader) escapesTokens(m *proxy.UpstreamModel) setting {
	return l.boolean(func(escapes bool) { m.LeaveSpecialTokens = !escapes }, func() string {
		if m.LeaveSpecialTokens {
			return "false"
		}
		return ""
	}).otherwise("true")
}

// flag reads whether something is to be.
func (l *loader) flag(dst *bool) setting {
	return l.boolean(func(b bool) { *dst = b }, func() string {
		if *dst {
			return "true"
		}
		return ""
	}).otherwise("false")
}

// features returns a key for each feature, which corrects what is known of the model's family.
func (l *loader) features(o *upstream.Override) (fs fields) {
	for _, name := range upstream.FeatureNames() {
		f := upstream.FeatureOf(name)
		if f == upstream.Tools {
			continue // the key of this name says how tools are asked for
		}
		set := func(b bool) {
			if b {
				o.With |= f
			} else {
				o.Without |= f
			}
		}
		shown := func() string {
			switch {
			case o.Without.Has(f):
				return "false"
			case o.With.Has(f):
				return "true"
			}
			return ""
		}
		fs = append(fs, named{name, "Whether the model can be asked for " + strings.ReplaceAll(name, "_", " ") + "; by its family, if it is not said.", l.boolean(set, shown)})
	}
	return fs
}
