package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy"
)

// Changes returns what is another in next than in c, by name: "model claude-2.1 added", "upstream east
// changed", "timeouts.idle changed". No value is in it. It is empty if both would serve the same.
func (c *Config) Changes(next *Config) []string {
	all := differences("key ", keysByID(c), keysByID(next), func(a, b proxy.Key) bool { return a == b })
	all = append(all, differences("upstream ", upstreamsByName(c), upstreamsByName(next), Upstream.Same)...)
	models := differences("model ", modelsByName(c), modelsByName(next), func(a, b []proxy.Route) bool { return reflect.DeepEqual(a, b) })
	if len(models) == 0 && !reflect.DeepEqual(c.Models, next.Models) {
		models = []string{"models in another order"}
	}
	all = append(all, models...)
	return append(all, differences("", c.settings(), next.settings(), func(a, b string) bool { return a == b })...)
}

// Same reports whether two upstreams are the same. A pool of certificates has functions, which are
// never equal: it compares itself.
func (u Upstream) Same(other Upstream) bool {
	same := u.Roots.Equal(other.Roots)
	u.Roots, other.Roots = nil, nil
	return same && u == other
}

// differences returns what is to be said of each name that is not the same in both: sorted by name.
func differences[T any](what string, before, now map[string]T, same func(a, b T) bool) (all []string) {
	both := maps.Clone(before)
	maps.Copy(both, now)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		a, was := before[name]
		b, is := now[name]
		switch {
		case !was:
			all = append(all, what+name+" added")
		case !is:
			all = append(all, what+name+" removed")
		case !same(a, b):
			all = append(all, what+name+" changed")
		}
	}
	return all
}

func keysByID(c *Config) map[string]proxy.Key {
	keys := map[string]proxy.Key{}
	for _, k := range c.Keys {
		keys[k.ID()] = k
	}
	return keys
}

func upstreamsByName(c *Config) map[string]Upstream {
	upstreams := map[string]Upstream{}
	for _, u := range c.Upstreams {
		upstreams[u.Name] = u
	}
	return upstreams
}

// modelsByName returns the entries of each name: there may be several, of which the first counts.
func modelsByName(c *Config) map[string][]proxy.Route {
	models := map[string][]proxy.Route{}
	for _, r := range c.Models {
		models[r.Name] = append(models[r.Name], r)
	}
	return models
}

// settings returns the values that have no name of their own, by their keys: all but those of keys,
// upstreams and models.
func (c *Config) settings() map[string]string {
	l, p := &loader{cfg: c}, &printer{c}
	values := map[string]string{}
	for _, f := range l.top() {
		if !slices.Contains([]string{"auth", "upstreams", "models"}, f.name) {
			gather(values, f.name, f.shown(p, f.name))
		}
	}
	return values
}

// gather adds the values of a node: those of a list as one.
func gather(values map[string]string, key string, n *yaml.Node) {
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			gather(values, key+"."+n.Content[i].Value, n.Content[i+1])
		}
	case n.Kind == yaml.SequenceNode:
		var all []string
		for _, e := range n.Content {
			all = append(all, e.Value)
		}
		values[key] = strings.Join(all, "\n")
	default:
		values[key] = n.Value
	}
}
