package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy"
)

const (
	// shortestKey is how long a key of a client has to be, in bytes. A shorter one can be
	// guessed, and is mostly an example that was left in place.
	shortestKey  = 16
	longestName  = 64
	mostRequests = 1_000_000 // a minute
	mostAtOnce   = 100_000
	mostDaily    = 1 << 40 // tokens
)

// auth returns the keys of what clients have to present.
func (l *loader) auth() fields {
	each := func() schema {
		return schema{AnyOf: []schema{
			{Type: "string", MinLength: shortestKey},
			{Type: "string", Pattern: reference},
			objectSchema(l.keyFields(new(keyEntry)), nil),
		}}
	}
	shown := func(p *printer, i int, key string) *yaml.Node {
		k := keyEntry{Key: l.cfg.Keys[i]}
		k.perMinute, k.atOnce, k.sums = int64(k.RequestsPerMinute), int64(k.Concurrent), [][sha256.Size]byte{k.Sum}
		return p.mapping(l.keyFields(&k), key)
	}
	return fields{{"keys", "The keys of clients: each a text, or a mapping with a name and limits.",
		l.list(l.key, each, func() int { return len(l.cfg.Keys) }, shown)}}
}

// keyEntry is what an element of auth.keys says.
type keyEntry struct {
	proxy.Key
	sums              [][sha256.Size]byte // of the key: as it is, and as its hash
	perMinute, atOnce int64
}

// keyFields returns the keys of an element that is a mapping.
func (l *loader) keyFields(k *keyEntry) fields {
	return fields{
		{"name", "Stands for the key in the log and the metrics.", l.keyName(&k.Name)},
		{"key", "The key itself; best as ${VAR} or file:/path.", l.clientKey(k)},
		{"sha256", "In its place, its SHA-256 in hexadecimal digits.", l.sum(k)},
		{"requests_per_minute", "The most requests in a minute.", l.between(&k.perMinute, 1, mostRequests)},
		{"concurrent", "The most requests at once.", l.between(&k.atOnce, 1, mostAtOnce)},
		{"tokens_per_day", "The most tokens in a day of UTC.", l.between(&k.TokensPerDay, 1, mostDaily)},
	}
}

// key reads a key of clients: the key itself, or a mapping that has the key or its hash,
// and a name and limits. With the hash the file is no secret.
func (l *loader) key(n *yaml.Node, key string) {
	var k keyEntry
	if n.Kind != yaml.MappingNode {
		l.clientKey(&k).read(n, key)
		if len(k.sums) > 0 {
			l.origins[key+".key"] = l.origins[key]
			l.addKey(n.Line, key, proxy.Key{Sum: k.sums[0]})
		}
		return
	}
	problems := len(l.problems)
	l.mapping(n, key, l.keyFields(&k))
	k.RequestsPerMinute, k.Concurrent = int(k.perMinute), int(k.atOnce)
	switch {
	case len(k.sums) > 1:
		l.report(n.Line, key, "the key is given twice: as it is, and as its hash", "remove one")
	case len(k.sums) == 1:
		k.Sum = k.sums[0]
		l.addKey(n.Line, key, k.Key)
	case len(l.problems) == problems:
		l.report(n.Line, key, "there is no key", "add key: \"${DRAGOMAN_KEY}\", or sha256: and the key's SHA-256")
	}
}

// addKey adds a key to the configuration, or reports that it is there already.
func (l *loader) addKey(line int, key string, k proxy.Key) {
	for i, other := range l.cfg.Keys {
		switch {
		case other.Sum == k.Sum:
			l.report(line, key, "the same key as "+l.keyPlaces[i], "remove one")
			return
		case other.ID() == k.ID():
			l.report(line, key, fmt.Sprintf("in the log %s is called %q, too", l.keyPlaces[i], k.ID()), "give each key a name of its own")
			return
		}
	}
	l.cfg.Keys, l.keyPlaces = append(l.cfg.Keys, k), append(l.keyPlaces, key)
}

// clientKey reads a key as clients present it, and adds its hash to sums. No problem shows it.
func (l *loader) clientKey(k *keyEntry) setting {
	return setting{
		read: func(n *yaml.Node, key string) {
			switch s, ok := l.secret(n, key); {
			case !ok:
			case strings.TrimSpace(s) == "":
				l.report(n.Line, key, "the key is empty", "give a value, or remove the element")
			case len(s) < shortestKey:
				l.report(n.Line, key, fmt.Sprintf("the key has %d bytes, which can be guessed: it needs %d", len(s), shortestKey), "make one: openssl rand -hex 24")
			default:
				k.sums = append(k.sums, proxy.NewKey(s).Sum)
			}
		},
		schema: func() schema { return schema{Type: "string", MinLength: shortestKey}.orReference() },
		shown:  masked,
	}
}

// sum reads the SHA-256 of a key, in hexadecimal digits.
func (l *loader) sum(k *keyEntry) setting {
	return setting{
		read: func(n *yaml.Node, key string) {
			s, ok := l.scalar(n, key)
			if !ok {
				return
			}
			b, err := hex.DecodeString(s)
			switch {
			case err != nil || len(b) != sha256.Size:
				l.report(n.Line, key, "not a SHA-256 in 64 hexadecimal digits", "take the digits of: printf %s \"$DRAGOMAN_KEY\" | sha256sum")
			case [sha256.Size]byte(b) == proxy.NewKey("").Sum:
				l.report(n.Line, key, "the hash is that of an empty key", "give that of a key: openssl rand -hex 24")
			default:
				k.sums = append(k.sums, [sha256.Size]byte(b))
			}
		},
		schema: func() schema { return schema{Type: "string", Pattern: "^[0-9A-Fa-f]{64}$"}.orReference() },
		shown: func(p *printer, key string) *yaml.Node {
			if _, given := p.cfg.origins[key]; !given {
				return nil
			}
			return p.node(key, "!!str", hex.EncodeToString(k.Sum[:]))
		},
	}
}

// keyName reads what stands for a key in the log and in labels of metrics.
func (l *loader) keyName(dst *string) setting {
	return scalar(func(n *yaml.Node, key string) {
		switch s, ok := l.scalar(n, key); {
		case !ok:
		case !isName(s) || len(s) > longestName:
			l.report(n.Line, key, fmt.Sprintf("the name cannot stand in the log and the metrics as it is (it has %d bytes)", len(s)),
				fmt.Sprintf("use up to %d letters, digits, “.”, “_” and “-”", longestName))
		default:
			*dst = s
		}
	}, "!!str", func() schema {
		return schema{Type: "string", Pattern: "^[A-Za-z0-9._-]+$", MaxLength: longestName}.orReference()
	}, func() string { return *dst })
}
