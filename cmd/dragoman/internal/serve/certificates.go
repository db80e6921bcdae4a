package serve

import (
	"crypto/tls"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
)

// lookEvery is how long the files of a certificate are taken to be what they were.
const lookEvery = time.Second

// certificates is how a listener shows who it is, and knows who its clients are. It follows its
// files: a certificate is renewed, and its secret mounted anew, while the server goes on.
type certificates struct {
	files config.TLS
	log   zerolog.Logger

	mu      sync.Mutex
	looked  time.Time
	seen    []os.FileInfo // of the files when they were last read
	current *tls.Config
}

// clientTLS returns what the listener of clients has for TLS; nil if it has none.
func clientTLS(files config.TLS, log zerolog.Logger) (*certificates, error) {
	if files.Cert == "" {
		return nil, nil
	}
	return newCertificates(files, log)
}

// newCertificates reads the files. The error names the one that cannot be used.
func newCertificates(files config.TLS, log zerolog.Logger) (*certificates, error) {
	c := &certificates{files: files, log: log, looked: time.Now()}
	c.seen = c.look()
	var err error
	c.current, err = files.Load()
	return c, err
}

// forHandshake returns the configuration for a connection: see [tls.Config.GetConfigForClient].
// Files that cannot be used, as while a key is there and its certificate is not yet, leave the
// ones before in use. They are read again once they have changed again.
func (c *certificates) forHandshake(*tls.ClientHelloInfo) (*tls.Config, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < lookEvery {
		return c.current, nil
	}
	c.looked = time.Now()
	now := c.look() // before they are read, so that a change meanwhile is seen next time
	if slices.EqualFunc(now, c.seen, isSame) {
		return c.current, nil
	}
	c.seen = now
	changed, err := c.files.Load()
	if err != nil {
		c.log.Error().Str("error", err.Error()).Str("event", "certificate_unusable").Str("msg", "the files of tls have changed and cannot be used; the certificate is the one before").Send()
		return c.current, nil
	}
	c.current = changed
	c.log.Info().Time("expires", changed.Certificates[0].Leaf.NotAfter).Str("msg", "the files of tls have changed and are in use").Send()
	return c.current, nil
}

// use has connections from now on use other files, as next has read them. One that has changed since is
// read again.
func (c *certificates) use(next *certificates) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files, c.current, c.looked, c.seen = next.files, next.current, next.looked, next.seen
}

// nameFor returns the name of the server for clients on other machines, which verify it: its address, if the
// certificate has that, else the first name there. A certificate without either is for this machine alone.
func (c *certificates) nameFor(address string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	leaf := c.current.Certificates[0].Leaf
	if leaf.VerifyHostname(address) == nil {
		return address
	}
	for _, name := range leaf.DNSNames {
		if name != "localhost" && !strings.Contains(name, "*") {
			return name
		}
	}
	return loopback
}

// look returns what the file system says of each file; nil for one that is not there. Links are
// followed: Kubernetes mounts a secret anew by moving one.
func (c *certificates) look() []os.FileInfo {
	var infos []os.FileInfo
	for _, path := range []string{c.files.Cert, c.files.Key, c.files.ClientCA} {
		info, err := os.Stat(path)
		if err != nil {
			info = nil
		}
		infos = append(infos, info)
	}
	return infos
}

// isSame reports whether a file is the one that it was.
func isSame(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
