package format

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// List are the formats that a target can name. The first is the default.
var List = [...]*Format{&LegacyCalls, AttributeCalls, &JSONCalls, QwenCalls, SeedCalls, GLMCalls, DSMLCalls, MiniMaxCalls, kimiCalls, deepseekCalls, mistralCalls, LlamaCalls, PythonicCalls, GemmaCalls, harmonyCalls, MiniCPMCalls}

// All returns the formats in which calls are read: those that a target can name, and others. The
// list is the same for all, since every request looks for the family of its model in it.
var All = sync.OnceValue(func() []*Format {
	return slices.Concat(List[:], listCalls[:], []*Format{kimiK3Calls, step3Calls, minimaxM3Calls})
})

// Names returns the names of the formats, as [Target.Format] takes them; the default
// comes first.
func Names() []string {
	names := make([]string, len(List))
	for i, f := range List {
		names[i] = f.Name
	}
	return names
}

// AcceptedNames returns the names of the formats in which calls are read, as [Target.Accept] takes
// them: those of Formats, and then others.
func AcceptedNames() []string {
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
	}
	return names
}

// Named returns the format of that name, the default for "". The error names the
// formats that there are.
func Named(name string) (*Format, error) {
	if name == "" {
		return List[0], nil
	}
	for _, f := range List {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q: known are %s", name, strings.Join(Names(), ", "))
}

// AcceptAll stands for all formats in [Target.Accept].
const AcceptAll = "all"

// AcceptedBy returns the formats of the names in a [Target.Accept].
func AcceptedBy(accept string) (list []*Format, err error) {
	switch accept {
	case "":
		return nil, nil
	case AcceptAll:
		return All(), nil
	}
	for name := range strings.SplitSeq(accept, ",") {
		all := All()
		i := slices.IndexFunc(all, func(f *Format) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown format %q: known are %s", name, strings.Join(AcceptedNames(), ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}
