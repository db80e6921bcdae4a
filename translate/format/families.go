package format

import (
	"slices"
	"strings"
)

// This file finds the format that a family of models was trained on, by the model's id
// (docs/reference/formats.md, "Models" in each section).

// Auto means the format that [FormatFor] finds.
const Auto = "auto"

// Choice is how Dragoman asks a model, if the model's configuration does not say.
type Choice struct {
	Format, Variant string // see [VariantFor]
	// Family is the part of the id that names the family; "" if there is none. Own: the format is
	// the family's own.
	Family string
	Own    bool
}

// FamilyClaude is the family of Claude, whose models were trained on the legacy format.
const FamilyClaude = "claude"

// Choose returns how to ask a model best. model is its id, as any vendor writes it, or the name of
// its family. Choose returns the family's format, in the words of the family's template. There are
// two exceptions. If the format's markers are special tokens, servers erase them from answers
// (docs/reference/formats.md §0.5). If the family is unknown, so is its format. Choose then returns
// the format that worked best with models that were not trained on it (docs/explanation/measurements.md).
func Choose(model string) Choice {
	f, family := autoFormat(model)
	return Choice{Format: f.Name, Variant: f.Variant, Family: strings.Trim(family, ".-"), Own: f != UnknownFormat || family == FamilyClaude}
}

// UnknownFormat is the format for models that cannot be asked in a format that they were trained
// on.
var UnknownFormat = &LegacyCalls

// autoFormat returns the format that [Auto] means for a model, and the part of the id that names
// the family.
func autoFormat(model string) (f *Format, family string) {
	f, family = OfFamily(model)
	switch {
	case f == nil && strings.Contains(strings.ToLower(model), FamilyClaude):
		return &LegacyCalls, FamilyClaude
	case f == nil || f.erased || f.ReadOnly:
		return UnknownFormat, family
	}
	return f.variantFor(model), family
}

// IsErased reports whether servers erase the markers of the format from answers, because they are
// special tokens.
func (f *Format) IsErased() bool { return f.erased }

// For returns the format to ask a model in: the variant of the named format for the model's family,
// or the format that [Auto] means. If name is a format that suits any model, For returns it without
// variant, with Dragoman's own sentences.
func For(name, model string) (*Format, error) {
	if name == Auto {
		f, _ := autoFormat(model)
		return f, nil
	}
	f, err := Named(name)
	if err != nil || f == &JSONCalls {
		return f, err
	}
	return f.variantFor(model), nil
}

// AcceptFor returns the default of [Target.Accept] for a model: its family's format, because the
// model may write calls in it even if it is asked in another format.
func AcceptFor(model string) []string {
	if f, _ := OfFamily(model); f != nil {
		return []string{f.Name}
	}
	return nil
}

// ThinkingFor returns the default of [Target.Thinking] for a model: [ThinkingMaybe] if its family's
// template opens thinking, because an operator can turn that off in the server.
func ThinkingFor(model string) string {
	model = strings.ToLower(model)
	if f, _ := OfFamily(model); f != nil && slices.ContainsFunc(f.opensThinking, func(part string) bool { return strings.Contains(model, part) }) {
		return ThinkingMaybe
	}
	return ThinkingMarked
}

// UnaskedThinkingFor returns the default of [Target.UnaskedThinking] for a model. It is
// [UnaskedText] for unknown families and for Claude, because Claude's documented answers have
// <thinking> and <scratchpad> in their text.
func UnaskedThinkingFor(model string) string {
	if f, _ := OfFamily(model); f == nil || f.Name == Legacy {
		return UnaskedText
	}
	return UnaskedBlock
}

// VariantFor returns the name of the format's variant for a model: see [AboutVariant]. It is "" if
// the model has no variant.
func VariantFor(format, model string) string {
	f, err := For(format, model)
	if err != nil {
		return ""
	}
	return f.Variant
}

// OfFamily returns the format of a model's family, and the part of the id that names the family. If
// the family is unknown, found is nil. If several parts of ids match, the longest counts.
func OfFamily(model string) (found *Format, family string) {
	model, most := strings.ToLower(model), 0
	for _, f := range All() {
		for _, part := range f.Models {
			if len(part) > most && strings.Contains(model, part) {
				found, family, most = f, part, len(part)
			}
		}
	}
	return found, family
}

// About describes a format for people who choose one.
type About struct {
	Name    string   // one of [Names]
	Models  []string // parts of the ids of models that were trained on it
	Auto    string   // the format that [Auto] asks its models in, if that is another one; "" otherwise
	Data    bool     // it is declared as data, without code
	Example string   // a call, as the prompt shows it
	// Variants are for models of the format that were trained on another prompt.
	Variants []AboutVariant
}

// AboutVariant describes a variant of a format.
type AboutVariant struct {
	Name    string
	Models  []string // parts of the ids of its models
	Example string   // a call, as the prompt shows it
}

// AboutAll describes each format, in the order of [Names].
func AboutAll() (list []About) {
	for _, f := range List {
		about := About{Name: f.Name, Models: slices.Clone(f.Models), Data: f.IsData(), Example: f.Example}
		if len(f.Models) > 0 {
			if asked, _ := autoFormat(f.Models[0]); asked.Name != f.Name {
				about.Auto = asked.Name
			}
		}
		for _, v := range Variants() {
			if v.Name == f.Name {
				about.Variants = append(about.Variants, AboutVariant{v.Variant, slices.Clone(v.Models), v.Example})
			}
		}
		list = append(list, about)
	}
	return list
}

// IsData reports whether the shape alone defines how calls are written.
func (f *Format) IsData() bool { return f.Shape.Call[0] != "" && !f.channels }
