package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/url"
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
func (c *Config) nodes() *yaml.Node {
	return (&printer{c}).mapping((&loader{cfg: c}).top(), "")
}

// printer makes the nodes of what is in effect.
type printer struct{ cfg *Config }

// mapping returns a mapping with the keys that have a value, nil if none has.
func (p *printer) mapping(fs fields, key string) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fs {
		path := f.name
		if key != "" {
			path = key + "." + f.name
		}
		p.add(m, f.name, f.shown(p, path))
	}
	if len(m.Content) == 0 {
		return nil
	}
	return m
}

// add adds a key to a mapping, if it has a value.
func (p *printer) add(m *yaml.Node, name string, value *yaml.Node) {
	if value != nil {
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
	}
}

// scalar returns a value with its origin, nil for "". One that would be read as a reference is
// written as the file has it.
func (p *printer) scalar(key, tag, value string) *yaml.Node {
	if value == "" {
		return nil
	}
	if strings.Contains(value, "${") || strings.HasPrefix(value, "file:") {
		tag, value = "!!str", p.cfg.origins[key].raw
	}
	return p.node(key, tag, value)
}

// node returns a value with its origin.
func (p *printer) node(key, tag, value string) *yaml.Node {
	from := p.cfg.origins[key]
	if from.local { // another machine has another value: the file leaves it to each
		from.where, value = value+", by "+from.where, "0"
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	if strings.Contains(value, "\n") {
		n.Style = yaml.LiteralStyle
	}
	n.LineComment = cmp.Or(from.String(), "default")
	return n
}

// String returns the origin as a comment: with the names of variables and files that the value is
// made of.
func (o origin) String() string {
	if strings.HasPrefix(o.raw, "file:") {
		return o.where + ", " + withoutDefaults(o.raw, "…")
	}
	var names []string
	eachVariable(o.raw, func(name, _ string) string {
		names = append(names, "${"+name+"}")
		return ""
	})
	return strings.Join(append([]string{o.where}, names...), ", ")
}

// mask is how what stands in place of a secret begins.
const mask = "masked-"

// masked is [setting.shown] of a secret: the reference of the file, or a mark that names the key.
func masked(p *printer, key string) *yaml.Node {
	from, given := p.cfg.origins[key]
	if !given {
		return nil
	}
	mark := mask + strings.NewReplacer("[", ".", "]", "").Replace(key)
	literal := eachVariable(from.raw, func(string, string) string { return "" })
	if from.raw == "" || literal != "" && !strings.HasPrefix(from.raw, "file:/") {
		return p.node(key, "!!str", mark)
	}
	return p.node(key, "!!str", withoutDefaults(from.raw, mark))
}

// withoutDefaults returns a text of the file with another text in place of the defaults of variables,
// which may be secrets.
func withoutDefaults(raw, instead string) string {
	return eachVariable(raw, func(name, fallback string) string {
		if fallback != "" {
			name += ":-" + instead
		}
		return "${" + name + "}"
	})
}

// eachVariable returns a text of the file with each variable replaced by what f returns for its name
// and its default.
func eachVariable(raw string, f func(name, fallback string) string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(raw, "${")
		inner, after, closed := strings.Cut(rest, "}")
		if out.WriteString(before); !found || !closed {
			return out.String()
		}
		name, fallback, _ := strings.Cut(inner, ":-")
		out.WriteString(f(name, fallback))
		raw = after
	}
}

// withoutPassword returns a URL without the password that it may hold. A name alone may be one.
func withoutPassword(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.User == nil {
		return s
	}
	if password, _ := u.User.Password(); password == "" {
		u.User = url.User("xxxxx")
	}
	return u.Redacted()
}
