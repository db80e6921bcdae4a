package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy/nearest"
)

// yamlReader reads the YAML of one file and collects all problems. It works on nodes, because a
// decoder that fills structs forgets the lines.
type yamlReader struct {
	file     string
	getenv   func(string) string
	lines    map[string]int // of each key, such as "models[0].upstream"
	problems []Problem
	files    []string // that values name
	origins  map[string]origin

	secretVariables []string // that secrets are made of
}

// report adds a problem at a line of the file.
func (r *yamlReader) report(line int, key, cause, fix string) {
	r.problems = append(r.problems, Problem{
		Where: fmt.Sprintf("%s:%d", r.file, line), Key: key, Cause: cause, Fix: fix, line: line,
	})
}

// mapping reads a mapping with the fields for its keys; all others are a problem. A key
// whose value is null counts as missing: templates leave such keys behind.
func (r *yamlReader) mapping(n *yaml.Node, key string, fs fields) {
	r.entries(n, key, func(name string, line int, value *yaml.Node, key string) {
		s, ok := fs.find(name)
		if !ok {
			r.unknown(line, name, key, fs.names())
			return
		}
		if value.ShortTag() != "!!null" {
			s.read(value, key)
		}
	})
}

// unknown reports a key that is not known, and suggests the nearest one that is.
func (r *yamlReader) unknown(line int, name, key string, known []string) {
	fix := "the keys here are " + oneOf(known)
	if near := nearest.Word(name, known); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	r.report(line, key, "unknown key", fix)
}

// entries calls yield for each entry of a mapping whose keys are names, in the order of the
// file. A name that is given twice is a problem.
func (r *yamlReader) entries(n *yaml.Node, key string, yield func(name string, line int, value *yaml.Node, key string)) {
	if n.Kind != yaml.MappingNode {
		r.report(n.Line, key, "expected a mapping, found "+kindName(n), "write keys and values, such as “name: value”")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], deref(n.Content[i+1])
		path := name.Value
		if key != "" {
			path = key + "." + name.Value
		}
		if first, again := seen[name.Value]; again {
			r.report(name.Line, path, fmt.Sprintf("given twice, first on line %d", first), "remove one")
			continue
		}
		seen[name.Value] = name.Line
		r.lines[path] = name.Line
		yield(name.Value, name.Line, value, path)
	}
}

// scalar returns the text of a value after the expansion. It returns false if the value is
// no text, or cannot be expanded, and adds the problem.
func (r *yamlReader) scalar(n *yaml.Node, key string) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		r.report(n.Line, key, "expected a single value, found "+kindName(n), "write it on one line, quoted if it has brackets")
		return "", false
	}
	s, err := expand(n.Value, r.getenv)
	if err != nil {
		var bad *expandError
		errors.As(err, &bad)
		r.report(n.Line, key, bad.cause, bad.fix)
		return "", false
	}
	if path, named := strings.CutPrefix(n.Value, "file:"); named {
		path, _ = expandVariables(path, r.getenv) // as expand did, without an error
		r.files = append(r.files, path)
	}
	r.origins[key] = origin{where: fmt.Sprintf("%s:%d", r.file, n.Line), raw: n.Value}
	return s, true
}

// secret is scalar for a secret. The mark that config print writes in place of one is a problem: anyone
// can guess it.
func (r *yamlReader) secret(n *yaml.Node, key string) (string, bool) {
	s, ok := r.scalar(n, key)
	if ok && strings.HasPrefix(s, mask) {
		r.report(n.Line, key, "the secret is missing: `config print` wrote a mark in its place", "write the secret as ${VAR} or file:/path")
		return "", false
	}
	if !strings.HasPrefix(n.Value, "file:") { // else a variable is a part of the path
		eachVariable(n.Value, func(name, _ string) string {
			r.secretVariables = append(r.secretVariables, name)
			return ""
		})
	}
	return s, ok
}

// isPath reports whether a value of the file is the path of one, and not what file: stands for.
func isPath(n *yaml.Node, value string) bool {
	return !strings.HasPrefix(n.Value, "file:") && !strings.Contains(value, "\n")
}

// deref returns the node that an alias stands for.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// mostNodes is how many values and names a file may have, once each alias stands for what it names.
const mostNodes = 250_000

// countNodes returns how many nodes n stands for, or more than mostNodes if there are more. counted has
// the numbers of nodes that aliases name.
func countNodes(n *yaml.Node, counted map[*yaml.Node]int) int {
	if n = deref(n); len(n.Content) == 0 {
		return 1
	}
	if count, known := counted[n]; known {
		return count
	}
	counted[n] = mostNodes + 1 // while it is counted: one that holds itself has no end
	count := 1
	for _, each := range n.Content {
		if count += countNodes(each, counted); count > mostNodes {
			return mostNodes + 1
		}
	}
	counted[n] = count
	return count
}

// kindName says what a node is, for a problem.
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
