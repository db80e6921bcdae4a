package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"
)

// Load reads the files. The error names a file, and quotes nothing from it.
func (t TLS) Load() (*tls.Config, error) {
	for _, file := range []struct{ key, path string }{{"cert", t.Cert}, {"key", t.Key}, {"client_ca", t.ClientCA}} {
		if err := regular(file.path); errors.Is(err, errNotRegular) {
			return nil, &fileError{file.key, fmt.Errorf("%s cannot be used: %w", file.path, err)}
		}
	}
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, &fileError{"cert", fmt.Errorf("%s and %s are not a usable certificate and key: %w", t.Cert, t.Key, bare(err))}
	}
	c := &tls.Config{
		Certificates: []tls.Certificate{pair},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2", "http/1.1"},
	}
	if t.ClientCA != "" {
		authorities, err := os.ReadFile(t.ClientCA)
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if err == nil && !c.ClientCAs.AppendCertsFromPEM(authorities) {
			err = errors.New("it contains no certificate")
		}
		if err != nil {
			return nil, &fileError{"client_ca", fmt.Errorf("%s cannot be used: %w", t.ClientCA, bare(err))}
		}
	}
	return c, nil
}

// fileError is a problem with the file of a key below tls.
type fileError struct {
	key string
	error
}

// bare returns a file system error without the operation and the path.
func bare(err error) error { return errors.New(reason(err)) }

// checkTLS reports missing or unusable files, and warns about a certificate that expires soon. A command that does not
// listen may not be able to read them.
func (l *loader) checkTLS() {
	defer l.keepTLS()
	t := l.cfg.TLS
	switch {
	case l.lines["tls"] == 0 || l.reported("tls") || l.src.Idle:
		return
	case t.Cert == "" || t.Key == "":
		l.reportAt("tls", "a certificate needs both of its files", "add cert: /path/tls.crt and key: /path/tls.key, or remove tls")
		return
	}
	loaded, err := t.Load()
	var bad *fileError
	if errors.As(err, &bad) {
		key := "tls." + bad.key
		l.reportAt(key, bad.Error(), "name files in PEM that this user can read")
		return
	}
	if leaf := loaded.Certificates[0].Leaf; expiring(leaf, time.Now()) {
		l.warn("tls.cert", fmt.Sprintf("the certificate is valid from %s to %s", leaf.NotBefore.Format(time.RFC3339), leaf.NotAfter.Format(time.RFC3339)),
			"renew it: the new files are taken over without a restart")
	}
}

// keepTLS keeps an existing listener with or without TLS: its files can change, but turning TLS on or off needs a
// restart.
func (l *loader) keepTLS() {
	running := l.running.TLS
	if l.src.Running == nil || (running.Cert == "") == (l.cfg.TLS.Cert == "") {
		return
	}
	l.cfg.TLS = running
	for _, key := range []string{"tls.cert", "tls.key", "tls.client_ca"} {
		l.derive(key, "in effect until a restart")
	}
	l.cfg.Waits = append(l.cfg.Waits, "tls")
}

// expiring reports whether a certificate is invalid, or in the last tenth of its life: a program that renews
// certificates would have done so by then.
func expiring(c *x509.Certificate, now time.Time) bool {
	return now.Before(c.NotBefore) || now.After(c.NotAfter.Add(-c.NotAfter.Sub(c.NotBefore)/10))
}
