package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy"
)

// Changes returns the names of what differs between c and next: "model claude-2.1 added", "upstream east changed",
// "timeouts.idle changed". It contains no values. It is empty if both serve the same.
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

// differences returns a line for each name that differs, sorted by name. A name may occur several times.
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

// setting is a value without a name of its own: it belongs to no client key, upstream or model.
type setting struct{ key, value string }

func (c *Config) settings() (all []setting) {
	for _, k := range keysOf(c) {
		if !slices.Contains([]string{"auth", "upstreams", "models"}, k.name) {
			all = gather(all, k.name, c.node(k, k.name))
		}
	}
	return all
}

// gather adds the values of a node. A list counts as one value.
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
