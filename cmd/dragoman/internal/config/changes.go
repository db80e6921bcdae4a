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
	models := differences("model ", c.Models, next.Models, func(r proxy.Route) string { return r.Name }, func(a, b proxy.Route) bool { return reflect.DeepEqual(a, b) })
	if len(models) == 0 && !reflect.DeepEqual(c.Models, next.Models) {
		models = []string{"models in another order"}
	}
	return slices.Concat(
		differences("key ", c.Keys, next.Keys, proxy.Key.ID, equal),
		differences("upstream ", c.Upstreams, next.Upstreams, func(u Upstream) string { return u.Name }, Upstream.Same),
		models,
		differences("", c.settings(), next.settings(), func(s setting) string { return s.key }, equal),
	)
}

func equal[T comparable](a, b T) bool { return a == b }

// differences returns what is to be said of each name that is not the same in both: sorted by name. There may be
// several of a name.
func differences[T any](what string, before, now []T, name func(T) string, same func(a, b T) bool) (all []string) {
	byName := func(list []T) map[string][]T {
		m := map[string][]T{}
		for _, e := range list {
			m[name(e)] = append(m[name(e)], e)
		}
		return m
	}
	a, b := byName(before), byName(now)
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		switch {
		case a[name] == nil:
			all = append(all, what+name+" added")
		case b[name] == nil:
			all = append(all, what+name+" removed")
		case !slices.EqualFunc(a[name], b[name], same):
			all = append(all, what+name+" changed")
		}
	}
	return all
}

// setting is a value that has no name of its own: one of no key of clients, upstream or model.
type setting struct{ key, value string }

func (c *Config) settings() (all []setting) {
	for _, k := range keysOf(c) {
		if !slices.Contains([]string{"auth", "upstreams", "models"}, k.name) {
			all = gather(all, k.name, c.node(k, k.name))
		}
	}
	return all
}

// gather adds the values of a node: those of a list as one.
func gather(all []setting, key string, n *yaml.Node) []setting {
	if n == nil {
		return all
	}
	var list []string
	for i, e := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			list = append(list, e.Value)
		case i%2 == 1:
			all = gather(all, below(key, n.Content[i-1].Value), e)
		}
	}
	if n.Kind == yaml.MappingNode {
		return all
	}
	return append(all, setting{key, n.Value + strings.Join(list, "\n")})
}
