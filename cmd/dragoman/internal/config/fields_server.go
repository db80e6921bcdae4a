package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"dragoman/proxy"
)

// TLS has the PEM files of a listener with TLS. Without Cert, the listener has no TLS.
type TLS struct {
	// The certificate and its intermediate certificates, in PEM.
	Cert string `yaml:"cert" required:"true" is:"path" example:"/etc/dragoman/tls.crt"`

	// The key of the certificate, in PEM.
	Key string `yaml:"key" required:"true" is:"path" example:"/etc/dragoman/tls.key"`

	// Certificate authorities, in PEM. Clients must show a certificate of one of them. Without this key, clients need
	// no certificate.
	ClientCA string `yaml:"client_ca" is:"path" example:"/etc/dragoman/clients.pem"`
}

// CORS are the pages that may call the API.
type CORS struct {
	// The origin of each page: its scheme and host.
	Origins []string `yaml:"origins" is:"origin" pattern:"^[a-z][a-z0-9+.-]*://[^/?#]+$" example:"[\"https://app.example.com\"]"`
}

// Log is what is logged, and in which form.
type Log struct {
	// The form of a line. `console`: for people. `json`: for programs. `auto`: `console` on a terminal, else `json`.
	// The flag is `--log-format`.
	LogFormat string `yaml:"format" default:"auto" list:"log formats" example:"json"`

	// The lowest level that Dragoman logs. The flag is `--log-level`.
	LogLevel string `yaml:"level" default:"info" list:"log levels" example:"warn"`
}

// The forms of a log line.
const (
	LogAuto    = "auto" // console on a terminal, json elsewhere
	LogConsole = "console"
	LogJSON    = "json"
)

// LogFormats returns the values of log.format.
func LogFormats() []string { return []string{LogAuto, LogConsole, LogJSON} }

// LogLevels returns the values of log.level. Lines below the level are not logged.
func LogLevels() []string { return []string{"debug", "info", "warn", "error"} }

// Auth is what clients must send.
type Auth struct {
	// The keys of clients. Each is a text, or a mapping with a name and limits. A key or a name that appears twice is
	// an error. Without keys, Dragoman listens only on loopback, unless you set `tls.client_ca` or start with
	// `--insecure`.
	Keys []Key `yaml:"keys" example:"[\"${DRAGOMAN_KEY}\"]" see:"reference/routes.md#credentials"`
}

// Key is a client key.
type Key struct {
	// The name of the key in the log and the metrics, where it is `key_id`: up to 64 letters, digits, `.`, `_` and `-`.
	Name string `yaml:"name" is:"name" pattern:"^[A-Za-z0-9._-]{1,64}$" usually:"the first 8 digits of the hash of the key" example:"ci"`

	// The key itself, of at least 16 bytes. `${VAR}` or `file:/path` keep it out of the file. To make one, run
	// `openssl rand -hex 24`.
	Secret secretSum `yaml:"key" alone:"true" is:"secret" example:"${CI_KEY}"`

	// The SHA-256 of the key in 64 hexadecimal digits, instead of `key`. Then the file holds no secret. Compute it with
	// `printf %s "$DRAGOMAN_KEY" | sha256sum`.
	Sum keySum `yaml:"sha256" pattern:"^[0-9A-Fa-f]{64}$" example:"8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"`

	// The most requests with this key in a minute. A client can send all of them at once, and then one at a
	// time: with 600, one every 0.1 seconds.
	RequestsPerMinute int64 `yaml:"requests_per_minute" min:"1" max:"1000000" usually:"no limit" example:"600"`

	// The most requests with this key at the same time.
	Concurrent int64 `yaml:"concurrent" min:"1" max:"100000" usually:"no limit" example:"8"`

	// The most tokens with this key in a day (UTC): input, output and cached tokens, as the upstreams count them.
	// Dragoman adds the tokens when an answer ends, for whatever reason. If a client leaves, only the tokens count that
	// the upstream has reported by then. With `on_disconnect: drain`, all of them count.
	TokensPerDay int64 `yaml:"tokens_per_day" min:"1" max:"1099511627776" usually:"no limit" example:"5000000"`
}

// proxy returns the key in the proxy's form.
func (k Key) proxy() proxy.Key {
	p := proxy.Key{Name: k.Name, RequestsPerMinute: int(k.RequestsPerMinute), Concurrent: int(k.Concurrent), TokensPerDay: k.TokensPerDay}
	hex.Decode(p.Sum[:], []byte(k.sum()))
	return p
}

// sum returns the SHA-256 of the key; "" without a key.
func (k Key) sum() string { return cmp.Or(string(k.Sum), string(k.Secret)) }

// keySum is the SHA-256 of a key, in hexadecimal digits as in the file.
type keySum string

func (s *keySum) text() string { return string(*s) }

func (s *keySum) set(text string) *fault {
	b, err := hex.DecodeString(text)
	switch {
	case err != nil || len(b) != sha256.Size:
		return &fault{"not a SHA-256 in 64 hexadecimal digits", "take the digits of: printf %s \"$DRAGOMAN_KEY\" | sha256sum"}
	case [sha256.Size]byte(b) == proxy.NewKey("").Sum:
		return &fault{"the hash is that of an empty key", "give that of a key: openssl rand -hex 24"}
	}
	*s = keySum(hex.EncodeToString(b))
	return nil
}

// secretSum is the SHA-256 of a key that the file has in plain text. No problem quotes the key.
type secretSum string

func (s *secretSum) text() string { return string(*s) }

// shortestKey is the minimal length of a client key, in bytes. A shorter key can be guessed, and is mostly an example
// that somebody forgot to replace.
const shortestKey = 16

func (s *secretSum) set(text string) *fault {
	switch {
	case strings.TrimSpace(text) == "":
		return &fault{"the key is empty", "give a value, or remove the element"}
	case len(text) < shortestKey:
		return &fault{fmt.Sprintf("the key has %d bytes, which can be guessed: it needs %d", len(text), shortestKey), "make one: openssl rand -hex 24"}
	}
	*s = secretSum(fmt.Sprintf("%x", proxy.NewKey(text).Sum))
	return nil
}
