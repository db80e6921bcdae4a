package format

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// List is the formats that a target can name, the default first.
var List = [...]*Format{&LegacyCalls, AttributeCalls, &JSONCalls, Qwen3CoderCalls, SeedCalls, GLMCalls, DSMLCalls, MiniMaxCalls, kimiCalls, deepseekCalls, mistralCalls, LlamaCalls, PythonicCalls, GemmaCalls, harmonyCalls, MiniCPMCalls}

// All returns all formats whose calls the parser reads: List, and the read-only formats. It always
// returns the same list, because every request searches it for the model's family.
var All = sync.OnceValue(func() []*Format {
	return slices.Concat(List[:], listCalls[:], []*Format{kimiK3Calls, step3Calls, minimaxM3Calls})
})

// Names returns the names for [Target.Format], the default first.
func Names() []string {
	names := make([]string, len(List))
	for i, f := range List {
		names[i] = f.Name
	}
	return names
}

// AcceptedNames returns the names for [Target.Accept]: the names of List, then the read-only
// formats.
func AcceptedNames() []string {
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
	}
	return names
}

// Named returns the format with this name; "" means the default. The error lists all names.
func Named(name string) (*Format, error) {
	if name == "" {
		return List[0], nil
	}
	for _, f := range List {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q. Use one of: %s", name, strings.Join(Names(), ", "))
}

// AcceptAll means all formats in [Target.Accept].
const AcceptAll = "all"

// AcceptedBy returns the formats that a [Target.Accept] names.
func AcceptedBy(accept []string) (list []*Format, err error) {
	all := All()
	if slices.Contains(accept, AcceptAll) {
		return all, nil
	}
	for _, name := range accept {
		i := slices.IndexFunc(all, func(f *Format) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown format %q. Use one of: %s", name, strings.Join(AcceptedNames(), ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}
