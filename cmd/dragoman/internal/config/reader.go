package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

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
	files    []string // that values name as file:/path
}

// field reads the value of one key into the configuration, or reports what is wrong with
// it. key is the whole path of the key, as problems name it.
type field func(n *yaml.Node, key string)

// report adds a problem at a line of the file.
func (r *yamlReader) report(line int, key, cause, fix string) {
	r.problems = append(r.problems, Problem{
		Where: fmt.Sprintf("%s:%d", r.file, line), Key: key, Cause: cause, Fix: fix, line: line,
	})
}

// mapping reads a mapping with the fields for its keys; all others are a problem. A key
// whose value is null counts as missing: templates leave such keys behind.
func (r *yamlReader) mapping(n *yaml.Node, key string, fields map[string]field) {
	r.entries(n, key, func(name string, line int, value *yaml.Node, key string) {
		read, ok := fields[name]
		if !ok {
			r.unknown(line, name, key, slices.Sorted(maps.Keys(fields)))
			return
		}
		if value.ShortTag() != "!!null" {
			read(value, key)
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

// list reads each element of a sequence.
func (r *yamlReader) list(element field) field {
	return func(n *yaml.Node, key string) {
		if n.Kind != yaml.SequenceNode {
			r.report(n.Line, key, "expected a list, found "+kindName(n), "write “- ” before each element, or [a, b]")
			return
		}
		for i, e := range n.Content {
			element(deref(e), fmt.Sprintf("%s[%d]", key, i))
		}
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
	return s, true
}

// text reads any text.
func (r *yamlReader) text(dst *string) field {
	return func(n *yaml.Node, key string) {
		if s, ok := r.scalar(n, key); ok {
			*dst = s
		}
	}
}

// path reads the path of a file. What file: stands for is no path but what the file holds, which
// may be a secret: it is not repeated.
func (r *yamlReader) path(dst *string) field {
	return func(n *yaml.Node, key string) {
		if s, ok := r.scalar(n, key); !ok {
			return
		} else if strings.HasPrefix(n.Value, "file:") || strings.Contains(s, "\n") {
			r.report(n.Line, key, "not the path of a file", "write the path alone, without file:, as in /etc/dragoman/tls.crt")
		} else {
			*dst = s
		}
	}
}

// duration reads a duration of more than 0, as [time.ParseDuration] spells it.
func (r *yamlReader) duration(dst *time.Duration) field { return r.lasting(dst, 1) }

// delay reads a duration that may be 0.
func (r *yamlReader) delay(dst *time.Duration) field { return r.lasting(dst, 0) }

// longest is the longest duration that a configuration can have. A longer one is taken for a
// mistake.
const longest = 24 * time.Hour

// lasting reads a duration from least to longest.
func (r *yamlReader) lasting(dst *time.Duration, least time.Duration) field {
	return func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			r.report(n.Line, key, fmt.Sprintf("%q is not a duration", s), "give a number and a unit, such as 500ms, 30s, 5m or 1h")
		case d < least:
			r.report(n.Line, key, "a timeout has to be longer than nothing", "give a positive duration, or remove the key for the default")
		case d > longest:
			r.report(n.Line, key, fmt.Sprintf("%v is longer than a day", d), "give at most 24h")
		default:
			*dst = d
		}
	}
}

// between reads a whole number from least to most.
func (r *yamlReader) between(dst *int64, least, most int64) field {
	return func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		if !ok {
			return
		}
		i, err := strconv.ParseInt(s, 10, 64)
		if err != nil || i < least || i > most {
			r.report(n.Line, key, fmt.Sprintf("%q is not a whole number from %d to %d", s, least, most), "write digits alone, within that range")
			return
		}
		*dst = i
	}
}

// boolean reads true or false, and no other words that YAML 1.1 has for them.
func (r *yamlReader) boolean(set func(bool)) field {
	return func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		if !ok {
			return
		}
		if s != "true" && s != "false" {
			r.report(n.Line, key, fmt.Sprintf("%q is neither true nor false", s), "write true or false")
			return
		}
		set(s == "true")
	}
}

// choice reads one of the words.
func (r *yamlReader) choice(dst *string, words []string) field {
	return func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		switch {
		case !ok:
		case slices.Contains(words, s):
			*dst = s
		default:
			fix := "use " + oneOf(words)
			if near := nearest.Word(s, words); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
			r.report(n.Line, key, fmt.Sprintf("%q is not known here", s), fix)
		}
	}
}

// deref returns the node that an alias stands for.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
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
