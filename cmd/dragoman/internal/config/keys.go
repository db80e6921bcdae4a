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

// auth reads the keys of clients.
func (l *loader) auth(n *yaml.Node, key string) {
	l.mapping(n, key, map[string]field{"keys": l.list(l.key)})
}

// key reads a key of clients: the key itself, or a mapping that has the key or its hash,
// and a name and limits. With the hash the file is no secret.
func (l *loader) key(n *yaml.Node, key string) {
	var sums [][sha256.Size]byte
	if n.Kind != yaml.MappingNode {
		l.secret(&sums)(n, key)
		if len(sums) > 0 {
			l.addKey(n.Line, key, proxy.Key{Sum: sums[0]})
		}
		return
	}
	var k proxy.Key
	var perMinute, atOnce int64
	problems := len(l.problems)
	l.mapping(n, key, map[string]field{
		"name":                l.keyName(&k.Name),
		"key":                 l.secret(&sums),
		"sha256":              l.sum(&sums),
		"requests_per_minute": l.between(&perMinute, 1, mostRequests),
		"concurrent":          l.between(&atOnce, 1, mostAtOnce),
		"tokens_per_day":      l.between(&k.TokensPerDay, 1, mostDaily),
	})
	k.RequestsPerMinute, k.Concurrent = int(perMinute), int(atOnce)
	switch {
	case len(sums) > 1:
		l.report(n.Line, key, "the key is given twice: as it is, and as its hash", "remove one")
	case len(sums) == 1:
		k.Sum = sums[0]
		l.addKey(n.Line, key, k)
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

// secret reads a key as clients present it, and adds its hash to sums. No problem shows it.
func (l *loader) secret(sums *[][sha256.Size]byte) field {
	return func(n *yaml.Node, key string) {
		switch s, ok := l.scalar(n, key); {
		case !ok:
		case strings.TrimSpace(s) == "":
			l.report(n.Line, key, "the key is empty", "give a value, or remove the element")
		case len(s) < shortestKey:
			l.report(n.Line, key, fmt.Sprintf("the key has %d characters, which can be guessed: it needs %d", len(s), shortestKey), "make one: openssl rand -hex 24")
		default:
			*sums = append(*sums, proxy.NewKey(s).Sum)
		}
	}
}

// sum reads the SHA-256 of a key, in hexadecimal digits.
func (l *loader) sum(sums *[][sha256.Size]byte) field {
	return func(n *yaml.Node, key string) {
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
			*sums = append(*sums, [sha256.Size]byte(b))
		}
	}
}

// keyName reads what stands for a key in the log and in labels of metrics.
func (l *loader) keyName(dst *string) field {
	return func(n *yaml.Node, key string) {
		switch s, ok := l.scalar(n, key); {
		case !ok:
		case !isName(s) || len(s) > longestName:
			l.report(n.Line, key, fmt.Sprintf("the name cannot stand in the log and the metrics as it is (it has %d bytes)", len(s)),
				fmt.Sprintf("use up to %d letters, digits, “.”, “_” and “-”", longestName))
		default:
			*dst = s
		}
	}
}
