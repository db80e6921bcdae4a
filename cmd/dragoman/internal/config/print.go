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
	raw   string // as the file has it; "" if it is not from the file
	local bool   // it is a number in place of 0, and depends on the machine
}

// Print returns the configuration as a file: every value that is in effect, and behind each where it
// comes from. A number that depends on the machine stands in its comment alone. A secret is written as the
// file has it if that is a reference, and else as a mark. Without a mark, what is printed can be loaded, and
// is the same configuration. [Load] rejects a mark.
func (c *Config) Print() ([]byte, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(c.nodes()); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// Hash returns what stands for the configuration: the same for two that print the same values, from
// wherever those come, but for those that depend on the machine. No secret is in it.
func (c *Config) Hash() string {
	sum := sha256.New()
	addTo(sum, c.nodes())
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// addTo adds a node to a hash: its kind, its value, and the nodes within it, of which it says how many
// there are, so that no two configurations are the same text.
func addTo(sum hash.Hash, n *yaml.Node) {
	fmt.Fprintf(sum, "%d %d %q ", n.Kind, len(n.Content), n.Value)
	for _, child := range n.Content {
		addTo(sum, child)
	}
}

// nodes returns what is printed.
func (c *Config) nodes() *yaml.Node { return c.mapping(keysOf(c), "") }

// node returns what is in effect behind a key, nil if there is nothing. path is that of the key.
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

// mapping returns the keys that have a value, nil if none has.
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

// elements returns those of a list, or of a mapping whose names are the user's own; nil if there are none.
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

// scalar returns a value with its origin, nil for none. A value that would be read as a reference is written
// as the file has it.
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
	case from.local: // another machine has another value: the file leaves it to each
		n.Value, n.LineComment = "0", value+", by "+from.where
	case strings.Contains(value, "${") || strings.HasPrefix(value, "file:"):
		n.Tag, n.Value = "!!str", from.raw
	}
	if strings.Contains(n.Value, "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

// String returns the origin as a comment: with the names of variables and files that the value is
// made of.
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

// mask is how what stands in place of a secret begins.
const mask = "masked-"

// masked returns what is printed of a secret: the reference of the file, or a mark that names the key.
func masked(from origin, path string) string {
	mark := mask + strings.NewReplacer("[", ".", "]", "").Replace(path)
	literal := eachVariable(from.raw, func(string, bool) string { return "" })
	if from.raw == "" || literal != "" && !strings.HasPrefix(from.raw, "file:/") {
		return mark
	}
	return withoutDefaults(from.raw, mark)
}

// withoutDefaults returns a text of the file with another text in place of the defaults of variables,
// which may be secrets.
func withoutDefaults(raw, instead string) string {
	return eachVariable(raw, func(inner string, _ bool) string {
		name, fallback, _ := strings.Cut(inner, ":-")
		if fallback != "" {
			name += ":-" + instead
		}
		return "${" + name + "}"
	})
}
