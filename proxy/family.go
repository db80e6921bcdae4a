package proxy

import (
	"cmp"

	"dragoman/translate"
	"dragoman/upstream"
)

// Which family a model is of, and so in which format it is asked.

// sourceAsked is where the name that a client asks for is from. It may be an alias, so a server knows better.
const sourceAsked = "the name that clients ask for"

// family returns a text that tells the family of the model, and where the text is from; the id and "" if
// nothing tells. A Claude may hide behind the ARN of an inference profile, and is what the Messages API and
// text completions are for. The id has to be known (see For).
func (m UpstreamModel) family() (text, from string) {
	for _, source := range []struct{ text, name string }{
		{m.Family, "the key family"},
		{m.Model, "its id"},
		{m.Told, "its server"},
		{m.Asked, sourceAsked},
	} {
		if translate.ChooseFormat(source.text).Family != "" {
			return source.text, source.name
		}
	}
	switch {
	case m.Family != "":
		return m.Family, "the key family"
	case m.Assumed != "":
		return m.Assumed, "its upstream"
	case m.Wire == WireMessages, m.Wire == WireText:
		return translate.FamilyClaude, "its wire"
	case upstream.HidesProvider(m.Model):
		return translate.FamilyClaude, "its ARN, which names no other"
	}
	return m.Model, ""
}

// told returns the route with what the upstreams say of its models, where nothing else tells the family.
func (s *Server) told(r Route) Route {
	tell := func(m *UpstreamModel) {
		if _, from := m.family(); from == "" || from == sourceAsked {
			m.Told = s.upstreams[m.Upstream].FamilyHint(m.Model)
		}
	}
	tell(&r.UpstreamModel)
	for i := range r.Fallbacks { // they are a copy: see Route.For
		tell(&r.Fallbacks[i])
	}
	return r
}

// choice returns how the model is asked.
func (m UpstreamModel) choice() translate.Choice {
	family, _ := m.family()
	choice := translate.ChooseFormat(family)
	if m.Format != translate.FormatAuto {
		choice.Format = cmp.Or(m.Format, translate.Formats()[0])
		choice.Variant = translate.VariantFor(choice.Format, family)
	}
	return choice
}

// FormatName returns the name of the format in which the model is asked. The id has to be known (see For).
func (m UpstreamModel) FormatName() string { return m.choice().Format }

// Variant returns the name of the variant of the format that models of its family were trained on, "" for none.
func (m UpstreamModel) Variant() string { return m.choice().Variant }

// FormatReason says in a few words why the model is asked in its format.
func (m UpstreamModel) FormatReason() string {
	choice := m.choice()
	_, from := m.family()
	switch {
	case m.Format != translate.FormatAuto:
		return "set by format"
	case choice.Own:
		return "family " + choice.Family + ", by " + from
	case choice.Family != "":
		return "family " + choice.Family + ", by " + from + "; servers do not pass on its own format"
	}
	return "no family is known; measured best for others"
}

// exampleCall returns [translate.Target.ExampleCall]. The legacy prompt of Claude is documented as it is, and
// a template is the operator's own text: neither has an example unless the model's entry asks for it.
func (m UpstreamModel) exampleCall() string {
	choice := m.choice()
	documented := choice.Family == translate.FamilyClaude && choice.Format == translate.FormatLegacy
	if m.ExampleCall == "" || m.ExampleCall == translate.ExampleAuto {
		if documented || m.Template != "" {
			return translate.ExampleOff
		}
		return translate.ExampleAuto
	}
	return m.ExampleCall
}
