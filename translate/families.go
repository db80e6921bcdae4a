package translate

import (
	"slices"
	"strings"
)

// Which format a family of models was trained on, as the id of a model tells
// (docs/reference/formats.md, "Models" of each section).

// FormatAuto stands for the format that [FormatFor] finds.
const FormatAuto = "auto"

// FormatFor returns the format in which a model is best asked, by its id as any vendor writes it. It is
// that of its family; or json, where the markers of that are special tokens, which servers erase from
// what they pass on (docs/reference/formats.md §0.5), and where nothing is known of the family; and the
// default for Claude.
func FormatFor(model string) string {
	f := familyFormat(model)
	switch {
	case f == nil && strings.Contains(strings.ToLower(model), "claude"):
		return formats[0].name
	case f == nil || f.erased || f.readOnly:
		return FormatJSON
	}
	return f.name
}

// AcceptFor returns the [Target.Accept] of a model of which nothing else is said: the format of its
// family, in which it may write calls although it is asked in another one.
func AcceptFor(model string) string {
	if f := familyFormat(model); f != nil {
		return f.name
	}
	return ""
}

// ThinkingFor returns the [Target.Thinking] of a model of which nothing else is said: [ThinkingMaybe] if the
// template of its family opens thinking, since a server can be told that it does not.
func ThinkingFor(model string) string {
	model = strings.ToLower(model)
	if f := familyFormat(model); f != nil && slices.ContainsFunc(f.opensThinking, func(part string) bool { return strings.Contains(model, part) }) {
		return ThinkingMaybe
	}
	return ThinkingMarked
}

// familyFormat returns the format of the family of a model, nil if it is not known. Of several parts of
// ids, the longest counts.
func familyFormat(model string) (found *format) {
	model, most := strings.ToLower(model), 0
	for _, f := range allFormats() {
		for _, part := range f.models {
			if len(part) > most && strings.Contains(model, part) {
				found, most = f, len(part)
			}
		}
	}
	return found
}

// About is what there is to know of a format, for people who choose one.
type About struct {
	Name    string   // one of [Formats]
	Models  []string // parts of the ids of models that were trained on it
	Erased  bool     // its markers are special tokens, which servers erase from what they pass on
	Data    bool     // it is a declaration, and no code
	Example string   // a call, as a model is shown it
}

// AboutFormats returns what there is to know of each format, in the order of [Formats].
func AboutFormats() (list []About) {
	for _, f := range formats {
		list = append(list, About{f.name, slices.Clone(f.models), f.erased, f.isData(), f.example})
	}
	return list
}

// isData reports whether how calls are written follows from the shape of the format.
func (f *format) isData() bool { return f.shape.call[0] != "" && !f.channels }
