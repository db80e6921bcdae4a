package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"go.yaml.in/yaml/v3"
)

// origin is where a value comes from.
type origin struct {
	where string // "dragoman.yaml:7", "--listen", "DRAGOMAN_LISTEN", "AWS_REGION"
	raw   string // as in the file; "" if it is not from the file
	local bool   // a number in place of 0 that depends on the machine
}

// Print returns the configuration as a file: every value in effect, followed by its origin. A number that depends on
// the machine appears only in its comment. A secret appears as in the file if that is a reference, and otherwise as a
// mark. Without marks, the output can be loaded, and is the same configuration. [Load] rejects a mark.
func (c *Config) Print() ([]byte, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(c.nodes()); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// Hash returns a hash of the configuration. Configurations with the same printed values have the same hash, whatever
// the origins; values that depend on the machine do not count. It contains no secret.
func (c *Config) Hash() string {
	sum := sha256.New()
	addTo(sum, c.nodes())
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// addTo adds a node to a hash: its kind, its value, the number of nodes inside it, and those nodes. The number keeps
// different configurations apart.
func addTo(sum hash.Hash, n *yaml.Node) {
	fmt.Fprintf(sum, "%d %d %q ", n.Kind, len(n.Content), n.Value)
	for _, child := range n.Content {
		addTo(sum, child)
	}
}

// nodes returns what Print prints.
func (c *Config) nodes() *yaml.Node { return c.mapping(keysOf(c), "") }

// node returns the value of the key at path; nil if there is none.
func (c *Config) node(k key, path string) *yaml.Node {
	switch {
	case k.isList() && k.text() == "":
		return c.elements(k, path)
	case k.keys() != nil:
		return c.mapping(k.keys(), path)
	default:
		return c.scalar(k, path)
	}
}

// mapping returns the keys that have a value; nil if none has.
func (c *Config) mapping(ks []key, path string) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	if haveKinds(ks) {
		ks = ofKind(ks, ks[0].text())
	}
	for _, k := range ks {
		if value := c.node(k, below(path, k.name)); value != nil {
			m.Content = append(m.Content, plain(k.name), value)
		}
	}
	return orNil(m)
}

// elements returns the elements of a list, or of a mapping with the user's own names; nil if there are none.
func (c *Config) elements(k key, path string) *yaml.Node {
	all := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range k.v.Len() {
		e, at := k.at(i), element(path, i)
		if k.tag.Get("named") != "" {
			name := e.v.FieldByName("Name").String()
			at, all.Kind, all.Content = below(path, name), yaml.MappingNode, append(all.Content, plain(name))
		}
		all.Content = append(all.Content, c.node(e, at))
	}
	return orNil(all)
}

func plain(name string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}
}

func orNil(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

// scalar returns a value with its origin; nil for none. A value that would be read as a reference is written as in the
// file.
func (c *Config) scalar(k key, path string) *yaml.Node {
	value := cmp.Or(k.text(), k.tag.Get("default"))
	if value == "" {
		return nil
	}
	from := c.origins[path]
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: k.yamlTag(), Value: value, LineComment: cmp.Or(from.String(), "default")}
	switch {
	case k.tag.Get("is") == "secret":
		n.Value = masked(from, path)
	case from.local: // the value depends on the machine, so the file leaves it open
		n.Value, n.LineComment = "0", value+", by "+from.where
	case strings.Contains(value, "${") || strings.HasPrefix(value, "file:"):
		n.Tag, n.Value = "!!str", from.raw
	}
	if strings.Contains(n.Value, "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

// String returns the origin as a comment, with the names of the variables and files in the value.
func (o origin) String() string {
	if strings.HasPrefix(o.raw, "file:") {
		return o.where + ", " + withoutDefaults(o.raw, "…")
	}
	parts := []string{o.where}
	for _, name := range variables(o.raw) {
		parts = append(parts, "${"+name+"}")
	}
	return strings.Join(parts, ", ")
}

// mask is the beginning of the mark that replaces a secret.
const mask = "masked-"

// masked returns the printed form of a secret: the file's reference, or a mark that names the key.
func masked(from origin, path string) string {
	mark := mask + strings.NewReplacer("[", ".", "]", "").Replace(path)
	literal := eachVariable(from.raw, func(string, bool) string { return "" })
	if from.raw == "" || literal != "" && !strings.HasPrefix(from.raw, "file:/") {
		return mark
	}
	return withoutDefaults(from.raw, mark)
}

// withoutDefaults returns a text of the file without the defaults of its variables, which may be secrets: instead
// replaces each.
func withoutDefaults(raw, instead string) string {
	return eachVariable(raw, func(inner string, _ bool) string {
		name, fallback, _ := strings.Cut(inner, ":-")
		if fallback != "" {
			name += ":-" + instead
		}
		return "${" + name + "}"
	})
}
