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

// lookEvery is the shortest time between two looks at the files of a certificate.
const lookEvery = time.Second

// certificates are a listener's certificate and the authorities of its clients. It follows its files, so that a
// certificate can be renewed and a secret remounted while the server runs.
type certificates struct {
	files config.TLS
	log   zerolog.Logger

	mu      sync.Mutex
	looked  time.Time
	seen    []os.FileInfo // state of the files when they were last read
	current *tls.Config
}

// clientTLS returns the certificates of the client listener; nil if it has no TLS.
func clientTLS(files config.TLS, log zerolog.Logger) (*certificates, error) {
	if files.Cert == "" {
		return nil, nil
	}
	return newCertificates(files, log)
}

// newCertificates reads the files. The error names the unusable file.
func newCertificates(files config.TLS, log zerolog.Logger) (*certificates, error) {
	c := &certificates{files: files, log: log, looked: time.Now()}
	c.seen = c.look()
	var err error
	c.current, err = files.Load()
	return c, err
}

// forHandshake returns the configuration for a connection: see [tls.Config.GetConfigForClient]. If the files cannot be
// used, for example because a key is there before its certificate, the previous ones stay in use. The files are read
// again after their next change.
func (c *certificates) forHandshake(*tls.ClientHelloInfo) (*tls.Config, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < lookEvery {
		return c.current, nil
	}
	c.looked = time.Now()
	now := c.look() // before reading, so that a change in between is noticed next time
	if slices.EqualFunc(now, c.seen, isSame) {
		return c.current, nil
	}
	c.seen = now
	changed, err := c.files.Load()
	if err != nil {
		c.log.Error().Str("error", err.Error()).Str("event", "certificate_unusable").Str("msg", "the files of tls have changed, but cannot be used; the previous certificate stays in use").Send()
		return c.current, nil
	}
	c.current = changed
	c.log.Info().Time("expires", changed.Certificates[0].Leaf.NotAfter).Str("msg", "the files of tls have changed and are in use").Send()
	return c.current, nil
}

// use switches later connections to the files that next has read. A file that has changed since then is read again.
func (c *certificates) use(next *certificates) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files, c.current, c.looked, c.seen = next.files, next.current, next.looked, next.seen
}

// nameFor returns the server's name for clients on other machines, which verify it: the address if the certificate has
// it, else the first name in the certificate. A certificate with neither is only for this machine.
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

// look returns the state of each file; nil for a missing one. It follows links: Kubernetes remounts a secret by moving
// a link.
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

// isSame reports whether a file has not changed.
func isSame(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
