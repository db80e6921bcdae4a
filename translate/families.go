package translate

import (
	"slices"
	"strings"
)

// Which format a family of models was trained on, as the id of a model tells
// (docs/reference/formats.md, "Models" of each section).

// FormatAuto stands for the format that [FormatFor] finds.
const FormatAuto = "auto"

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

// ChooseFormat returns how a model is best asked, by its id as any vendor writes it, or the name of its
// family: in the format of its family, in the words of the family's template. Where the markers of that
// format are special tokens, which servers erase from what they pass on (docs/reference/formats.md §0.5),
// and where nothing is known of the family, it is the format that models call tools best in which were not
// trained on it (docs/evaluation.md).
func ChooseFormat(model string) Choice {
	f, family := autoFormat(model)
	return Choice{Format: f.name, Variant: f.variant, Family: strings.Trim(family, ".-"), Own: f != unknownFormat || family == FamilyClaude}
}

// unknownFormat is the format for models that were not trained on one that they can be asked in.
var unknownFormat = &legacyCalls

// autoFormat returns the format that FormatAuto stands for, and the part of the id that tells the family.
func autoFormat(model string) (f *format, family string) {
	f, family = familyFormat(model)
	switch {
	case f == nil && strings.Contains(strings.ToLower(model), FamilyClaude):
		return &legacyCalls, FamilyClaude
	case f == nil || f.erased || f.readOnly:
		return unknownFormat, family
	}
	return f.variantFor(model), family
}

// formatFor returns the format in which a model is asked: the one of that name in the variant of the model's
// family, or what FormatAuto stands for. A format that any model can be asked in has our own words if it is
// named.
func formatFor(name, model string) (*format, error) {
	if name == FormatAuto {
		f, _ := autoFormat(model)
		return f, nil
	}
	f, err := formatOf(name)
	if err != nil || f == &jsonCalls {
		return f, err
	}
	return f.variantFor(model), nil
}

// AcceptFor returns the [Target.Accept] of a model of which nothing else is said: the format of its
// family, in which it may write calls although it is asked in another one.
func AcceptFor(model string) string {
	if f, _ := familyFormat(model); f != nil {
		return f.name
	}
	return ""
}

// ThinkingFor returns the [Target.Thinking] of a model of which nothing else is said: [ThinkingMaybe] if the
// template of its family opens thinking, since a server can be told that it does not.
func ThinkingFor(model string) string {
	model = strings.ToLower(model)
	if f, _ := familyFormat(model); f != nil && slices.ContainsFunc(f.opensThinking, func(part string) bool { return strings.Contains(model, part) }) {
		return ThinkingMaybe
	}
	return ThinkingMarked
}

// UnaskedThinkingFor returns the [Target.UnaskedThinking] of a model of which nothing else is said:
// [UnaskedText] if the family is not known, and for Claude, whose documented answers have <thinking> and
// <scratchpad> in their text.
func UnaskedThinkingFor(model string) string {
	if f, _ := familyFormat(model); f == nil || f.name == FormatLegacy {
		return UnaskedText
	}
	return UnaskedBlock
}

// VariantFor returns the name of the variant in which a model is asked in a format: see [AboutVariant]. It is
// "" if the model is asked as any other.
func VariantFor(format, model string) string {
	f, err := formatFor(format, model)
	if err != nil {
		return ""
	}
	return f.variant
}

// familyFormat returns the format of the family of a model, nil if it is not known, and the part of the id
// that tells. Of several parts of ids, the longest counts.
func familyFormat(model string) (found *format, family string) {
	model, most := strings.ToLower(model), 0
	for _, f := range allFormats() {
		for _, part := range f.models {
			if len(part) > most && strings.Contains(model, part) {
				found, family, most = f, part, len(part)
			}
		}
	}
	return found, family
}

// About is what there is to know of a format, for people who choose one.
type About struct {
	Name    string   // one of [Formats]
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

// AboutFormats returns what there is to know of each format, in the order of [Formats].
func AboutFormats() (list []About) {
	for _, f := range formats {
		about := About{Name: f.name, Models: slices.Clone(f.models), Erased: f.erased, Data: f.isData(), Example: f.example}
		for _, v := range variants() {
			if v.name == f.name {
				about.Variants = append(about.Variants, AboutVariant{v.variant, slices.Clone(v.models), v.example})
			}
		}
		list = append(list, about)
	}
	return list
}

// isData reports whether how calls are written follows from the shape of the format.
func (f *format) isData() bool { return f.shape.call[0] != "" && !f.channels }
