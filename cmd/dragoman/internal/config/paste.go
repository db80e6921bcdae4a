package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Flags returns the flags with which another command uses the same upstreams and models; none if they come from the
// environment.
func (c *Config) Flags() []string {
	key := "upstreams." + OpenAI
	switch {
	case c.origins["upstreams."+Simulated+".kind"].where == "--simulated":
		return []string{"--simulated"}
	case c.origins[key+".base_url"].raw == "" && c.origins[key+".base_url"].where != "": // not from the file
		flags := []string{"--base-url", c.Upstreams[0].BaseURL}
		if file, ok := strings.CutPrefix(c.origins[key+".api_key"].raw, "file:"); ok {
			flags = append(flags, "--api-key-file", file)
		}
		return flags
	case c.File != "":
		return []string{"--config", c.File}
	}
	return nil
}

// FileWith returns the configuration as a file without defaults, in which the entry with the name pattern also has
// keys, in YAML. If the pattern has a wildcard, the name that a client asked for gets an entry of its own before it. If
// that name means the only model of a server, the entries name the model: a file has no such rule. Secrets are as in
// [Config.Print].
func (c *Config) FileWith(pattern, asked, model, keys string) (string, error) {
	var more yaml.Node
	if err := yaml.Unmarshal([]byte(keys), &more); err != nil || len(more.Content) != 1 || more.Content[0].Kind != yaml.MappingNode {
		return "", fmt.Errorf("%q are no keys of an entry", keys)
	}
	root := c.nodes()
	c.prune(root, "")
	models := valueOf(root, "models")
	i := slices.IndexFunc(models.Content, func(entry *yaml.Node) bool { return valueOf(entry, "name").Value == pattern })
	if i < 0 {
		return "", fmt.Errorf("no entry has the name %q", pattern)
	}
	entry := models.Content[i]
	if c.Routes[i].anyName && asked != model {
		setValue(entry, "model", plain(model))
	}
	if strings.Contains(pattern, "*") {
		entry = &yaml.Node{Kind: yaml.MappingNode, Content: slices.Clone(entry.Content)}
		models.Content = slices.Insert(models.Content, i, entry)
		setValue(entry, "name", plain(asked))
	}
	for j := 0; j < len(more.Content[0].Content); j += 2 {
		setValue(entry, more.Content[0].Content[j].Value, more.Content[0].Content[j+1])
	}
	var out strings.Builder
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return "", err
	}
	return out.String(), enc.Close()
}

// needed are keys that a file has although nobody wrote them: without a file, they follow from a flag or from the
// environment.
var needed = []string{"kind", "name", "upstream"}

// prune removes values that nobody set, and the comments. It reports whether anything is left of the node at path.
func (c *Config) prune(n *yaml.Node, path string) bool {
	switch n.Kind {
	case yaml.MappingNode:
		var kept []*yaml.Node
		for i := 0; i < len(n.Content); i += 2 {
			name, value := n.Content[i], n.Content[i+1]
			if c.prune(value, below(path, name.Value)) {
				kept = append(kept, name, value)
			}
		}
		n.Content = kept
	case yaml.SequenceNode:
		for i, value := range n.Content {
			c.prune(value, element(path, i))
		}
	default:
		n.LineComment = ""
		from := c.origins[path]
		set := from.raw != "" || strings.HasPrefix(from.where, "--") || strings.HasPrefix(from.where, "DRAGOMAN_")
		return set || slices.Contains(needed, path[strings.LastIndexByte(path, '.')+1:])
	}
	return len(n.Content) > 0
}

// valueOf returns the value of a key in a mapping; an empty node if there is none.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return &yaml.Node{}
}

// setValue sets the value of a key in a mapping.
func setValue(mapping *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, plain(key), value)
}
