package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader reads the values of one file into the configuration, and collects all problems. It works on YAML nodes,
// because a decoder that fills structs forgets the lines.
type reader struct {
	file     string
	getenv   func(string) string
	lines    map[string]int // of each key, such as "models[0].upstream"
	problems []Problem
	files    []string // that values name
	origins  map[string]origin

	secretVariables []string // the variables that secrets use
}

// readFile reads the file into c. An empty file changes nothing.
func (r *reader) readFile(c *Config) {
	data, err := os.ReadFile(r.file)
	if err != nil {
		r.complain(r.file, "cannot be read: "+reason(err), "check the path given as --config (DRAGOMAN_CONFIG)")
		return
	}
	var doc, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err = dec.Decode(&doc); errors.Is(err, io.EOF) {
		return // the file has only comments
	}
	if err == nil {
		err = dec.Decode(&second)
	}
	switch {
	case err == nil:
		r.report(second.Line, "", "a second document begins", "remove the “---” line: a configuration is one document")
	case !errors.Is(err, io.EOF):
		r.syntax(data, err)
	case countNodes(doc.Content[0], map[*yaml.Node]int{}) > mostNodes:
		r.complain(r.file, fmt.Sprintf("has more than %d values, counting what its aliases (*name) stand for", mostNodes), "write fewer aliases of aliases")
	default:
		if root := deref(doc.Content[0]); root.ShortTag() != "!!null" {
			r.mapping(keysOf(c), root, "")
		}
	}
}

// read reads the value of a key. path is the key's path in problems.
func (r *reader) read(k key, n *yaml.Node, path string) {
	ks := k.keys()
	alone := slices.IndexFunc(ks, func(k key) bool { return k.tag.Get("alone") != "" })
	switch {
	case k.isList() && (n.Kind != yaml.ScalarNode || k.tag.Get("all") == ""):
		r.elements(k, n, path)
	case alone >= 0 && n.Kind != yaml.MappingNode:
		r.scalar(ks[alone], n, path)
		r.origins[below(path, ks[alone].name)] = r.origins[path]
	case ks != nil:
		r.mapping(ks, n, path)
	default:
		r.scalar(k, n, path)
	}
}

// elements reads a list, or a mapping with the user's own names.
func (r *reader) elements(k key, n *yaml.Node, path string) {
	switch {
	case k.tag.Get("named") != "":
		r.entries(n, path, func(name string, line int, value *yaml.Node, path string) {
			if !isName(name) {
				r.report(line, path, fmt.Sprintf("%q cannot name an upstream", name), "use letters, digits, “.”, “_” and “-”: the name is used in headers and metrics")
			}
			e := k.grow()
			e.v.FieldByName("Name").SetString(name)
			r.read(e, value, path)
		})
	case n.Kind != yaml.SequenceNode:
		r.report(n.Line, path, "expected a list, found "+kindName(n), "write “- ” before each element, or [a, b]")
	default:
		for i, e := range n.Content {
			path := element(path, i)
			r.lines[path] = deref(e).Line
			r.read(k.grow(), deref(e), path)
		}
	}
}

// mapping reads a mapping. A key with a null value counts as missing: templates leave such keys behind. If the kind of
// the mapping is unknown, its other keys are not read: they may be right for the kind that was meant.
func (r *reader) mapping(ks []key, n *yaml.Node, path string) {
	if n.Kind == yaml.MappingNode && haveKinds(ks) {
		if !r.readFirst(ks[0], n, path) {
			return
		}
		ks = ofKind(ks, ks[0].text())
	}
	r.entries(n, path, func(name string, line int, value *yaml.Node, path string) {
		k, known := find(ks, name)
		switch {
		case !known:
			r.report(line, path, "unknown key", suggest(name, names(ks), "the keys here are "+oneOf(names(ks))))
		case value.ShortTag() != "!!null":
			r.read(k, value, path)
		}
	})
}

// readFirst reads one key before the other keys of its mapping, wherever it stands. It returns false if the key is
// missing or wrong, which it reports.
func (r *reader) readFirst(k key, n *yaml.Node, path string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == k.name {
			r.scalar(k, deref(n.Content[i+1]), below(path, k.name))
			return k.text() != ""
		}
	}
	r.report(n.Line, path, "the upstream has no "+k.name, "add "+k.name+": "+oneOf(k.words()))
	return false
}

// entries calls yield for each entry of a mapping with names, in the order of the file. A duplicate name is a problem.
func (r *reader) entries(n *yaml.Node, path string, yield func(name string, line int, value *yaml.Node, path string)) {
	if n.Kind != yaml.MappingNode {
		r.report(n.Line, path, "expected a mapping, found "+kindName(n), "write keys and values, such as “name: value”")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, path := n.Content[i], below(path, n.Content[i].Value)
		if first, again := seen[name.Value]; again {
			r.report(name.Line, path, fmt.Sprintf("given twice, first on line %d", first), "remove one")
			continue
		}
		seen[name.Value], r.lines[path] = name.Line, name.Line
		yield(name.Value, name.Line, deref(n.Content[i+1]), path)
	}
}

// scalar expands and reads one value.
func (r *reader) scalar(k key, n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode {
		r.report(n.Line, path, "expected a single value, found "+kindName(n), "write it on one line, quoted if it has brackets")
		return
	}
	if bad := r.value(k, n.Value, fmt.Sprintf("%s:%d", r.file, n.Line), path); bad != nil {
		r.report(n.Line, path, bad.cause, bad.fix)
	}
}

// value reads one value as it is in the file. where is its place.
func (r *reader) value(k key, raw, where, path string) *fault {
	secret := k.tag.Get("is") == "secret"
	if k.tag.Get("is") == "path" && strings.HasPrefix(raw, "file:") {
		return checkPath(raw)
	}
	file, named := strings.CutPrefix(raw, "file:")
	if secret && !named { // otherwise a variable is a part of the path
		r.secretVariables = append(r.secretVariables, variables(raw)...)
	}
	s, bad := expand(raw, r.getenv)
	if bad != nil {
		return bad
	}
	if named {
		file, _ = expandVariables(file, r.getenv) // expand did the same, without an error
		r.files = append(r.files, file)
	}
	if r.origins[path] = (origin{where: where, raw: raw}); secret && strings.HasPrefix(s, mask) { // anyone can guess such a default
		return &fault{"the secret is missing: `config print` wrote a mark in its place", "write the secret as ${VAR} or file:/path"}
	}
	return k.set(s)
}

// report adds a problem at a line of the file.
func (r *reader) report(line int, key, cause, fix string) {
	r.problems = append(r.problems, Problem{
		Where: fmt.Sprintf("%s:%d", r.file, line), Key: key, Cause: cause, Fix: fix, line: line,
	})
}

// complain adds a problem without a line: where names a flag, a variable or the file itself.
func (r *reader) complain(where, cause, fix string) {
	r.problems = append(r.problems, Problem{Where: where, Cause: cause, Fix: fix})
}

// deref returns the node behind an alias.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// mostNodes is how many values and names a file may have after its aliases are resolved.
const mostNodes = 250_000

// countNodes returns the number of nodes in n with aliases resolved, or more than mostNodes. counted has the numbers of
// aliased nodes.
func countNodes(n *yaml.Node, counted map[*yaml.Node]int) int {
	if n = deref(n); len(n.Content) == 0 {
		return 1
	}
	if count, known := counted[n]; known {
		return count
	}
	counted[n] = mostNodes + 1 // during the count, so that a circle counts as too many
	count := 1
	for _, each := range n.Content {
		if count += countNodes(each, counted); count > mostNodes {
			return mostNodes + 1
		}
	}
	counted[n] = count
	return count
}

// kindName describes a node in a problem.
func kindName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "nothing"
	default:
		return "a single value"
	}
}
