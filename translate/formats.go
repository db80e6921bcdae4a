package translate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// formats are the formats that a target can name. The first is the default.
var formats = [...]*format{&legacyCalls, attributeCalls, &jsonCalls, qwenCalls, seedCalls, glmCalls, dsmlCalls, minimaxCalls, kimiCalls, deepseekCalls, mistralCalls, llamaCalls, pythonicCalls, gemmaCalls, harmonyCalls, minicpmCalls}

// allFormats returns the formats in which calls are read: those that a target can name, and others. The
// list is the same for all, since every request looks for the family of its model in it.
var allFormats = sync.OnceValue(func() []*format {
	return slices.Concat(formats[:], listCalls[:], []*format{kimiK3Calls, step3Calls, minimaxM3Calls})
})

// Formats returns the names of the formats, as [Target.Format] takes them; the default
// comes first.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// AcceptedFormats returns the names of the formats in which calls are read, as [Target.Accept] takes
// them: those of Formats, and then others.
func AcceptedFormats() []string {
	var names []string
	for _, f := range allFormats() {
		names = append(names, f.name)
	}
	return names
}

// formatOf returns the format of that name, the default for "". The error names the
// formats that there are.
func formatOf(name string) (*format, error) {
	if name == "" {
		return formats[0], nil
	}
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q: known are %s", name, strings.Join(Formats(), ", "))
}

// AcceptAll stands for all formats in [Target.Accept].
const AcceptAll = "all"

// formatsOf returns the formats of the names in a [Target.Accept].
func formatsOf(accept string) (list []*format, err error) {
	switch accept {
	case "":
		return nil, nil
	case AcceptAll:
		return allFormats(), nil
	}
	for name := range strings.SplitSeq(accept, ",") {
		all := allFormats()
		i := slices.IndexFunc(all, func(f *format) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown format %q: known are %s", name, strings.Join(AcceptedFormats(), ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}
