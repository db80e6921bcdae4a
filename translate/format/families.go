package format

import (
	"slices"
	"strings"
)

// Which format a family of models was trained on, as the id of a model tells
// (docs/reference/formats.md, "Models" of each section).

// Auto stands for the format that [FormatFor] finds.
const Auto = "auto"

// Choice is how a model is asked whose entry leaves the format open.
type Choice struct {
	Format, Variant string // see [VariantFor]
	// Family is the part of the id that tells the family, "" if none does. Own says that the format is the
	// family's own.
	Family string
	Own    bool
}

// FamilyClaude is the family of Claude. Its models were trained on the legacy format.
const FamilyClaude = "claude"

// Choose returns how a model is best asked, by its id as any vendor writes it, or the name of its
// family: in the format of its family, in the words of the family's template. Where the markers of that
// format are special tokens, which servers erase from what they pass on (docs/reference/formats.md §0.5),
// and where nothing is known of the family, it is the format that models call tools best in which were not
// trained on it (docs/explanation/measurements.md).
func Choose(model string) Choice {
	f, family := autoFormat(model)
	return Choice{Format: f.Name, Variant: f.Variant, Family: strings.Trim(family, ".-"), Own: f != UnknownFormat || family == FamilyClaude}
}

// UnknownFormat is the format for models that were not trained on one that they can be asked in.
var UnknownFormat = &LegacyCalls

// autoFormat returns the format that FormatAuto stands for, and the part of the id that tells the family.
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

// IsErased reports whether the markers of the format are special tokens, which servers erase from what they pass on.
func (f *Format) IsErased() bool { return f.erased }

// For returns the format in which a model is asked: the one of that name in the variant of the model's
// family, or what FormatAuto stands for. A format that any model can be asked in has our own words if it is
// named.
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

// AcceptFor returns the [Target.Accept] of a model of which nothing else is said: the format of its
// family, in which it may write calls although it is asked in another one.
func AcceptFor(model string) string {
	if f, _ := OfFamily(model); f != nil {
		return f.Name
	}
	return ""
}

// ThinkingFor returns the [Target.Thinking] of a model of which nothing else is said: [ThinkingMaybe] if the
// template of its family opens thinking, since a server can be told that it does not.
func ThinkingFor(model string) string {
	model = strings.ToLower(model)
	if f, _ := OfFamily(model); f != nil && slices.ContainsFunc(f.opensThinking, func(part string) bool { return strings.Contains(model, part) }) {
		return ThinkingMaybe
	}
	return ThinkingMarked
}

// UnaskedThinkingFor returns the [Target.UnaskedThinking] of a model of which nothing else is said:
// [UnaskedText] if the family is not known, and for Claude, whose documented answers have <thinking> and
// <scratchpad> in their text.
func UnaskedThinkingFor(model string) string {
	if f, _ := OfFamily(model); f == nil || f.Name == Legacy {
		return UnaskedText
	}
	return UnaskedBlock
}

// VariantFor returns the name of the variant in which a model is asked in a format: see [AboutVariant]. It is
// "" if the model is asked as any other.
func VariantFor(format, model string) string {
	f, err := For(format, model)
	if err != nil {
		return ""
	}
	return f.Variant
}

// OfFamily returns the format of the family of a model, nil if it is not known, and the part of the id
// that tells. Of several parts of ids, the longest counts.
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

// About is what there is to know of a format, for people who choose one.
type About struct {
	Name    string   // one of [Names]
	Models  []string // parts of the ids of models that were trained on it
	Erased  bool     // its markers are special tokens, which servers erase from what they pass on
	Data    bool     // it is a declaration, and no code
	Example string   // a call, as a model is shown it
	// Variants are for models of the format that were trained on another prompt.
	Variants []AboutVariant
}

// AboutVariant is what there is to know of a variant of a format.
type AboutVariant struct {
	Name    string
	Models  []string // parts of the ids of its models
	Example string   // a call, as they are shown it
}

// Examples returns the calls of the format and of its variants, each once.
func (a *About) Examples() []string {
	all := []string{a.Example}
	for _, v := range a.Variants {
		if !slices.Contains(all, v.Example) {
			all = append(all, v.Example)
		}
	}
	return all
}

// AboutAll returns what there is to know of each format, in the order of [Names].
func AboutAll() (list []About) {
	for _, f := range List {
		about := About{Name: f.Name, Models: slices.Clone(f.Models), Erased: f.erased, Data: f.IsData(), Example: f.Example}
		for _, v := range Variants() {
			if v.Name == f.Name {
				about.Variants = append(about.Variants, AboutVariant{v.Variant, slices.Clone(v.Models), v.Example})
			}
		}
		list = append(list, about)
	}
	return list
}

// IsData reports whether how calls are written follows from the shape of the format.
func (f *Format) IsData() bool { return f.Shape.Call[0] != "" && !f.channels }
