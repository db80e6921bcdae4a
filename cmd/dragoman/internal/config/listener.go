package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// TLS names the files, in PEM, of a listener with TLS. Without Cert there is none.
type TLS struct {
	Cert     string // the certificate, and those between it and its authority
	Key      string // of the certificate
	ClientCA string // the authorities of the certificates that clients have to show; "" asks for none
}

// Load reads the files. The error names a file and says nothing of what it holds.
func (t TLS) Load() (*tls.Config, error) {
	for _, file := range []struct{ key, path string }{{"cert", t.Cert}, {"key", t.Key}, {"client_ca", t.ClientCA}} {
		if err := regular(file.path); errors.Is(err, errNotRegular) {
			return nil, &fileError{file.key, fmt.Errorf("%s cannot be used: %w", file.path, err)}
		}
	}
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, &fileError{"cert", fmt.Errorf("%s and %s are no pair that can be used: %w", t.Cert, t.Key, bare(err))}
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
			err = errors.New("there is no certificate in it")
		}
		if err != nil {
			return nil, &fileError{"client_ca", fmt.Errorf("%s cannot be used: %w", t.ClientCA, bare(err))}
		}
	}
	return c, nil
}

// fileError is what is wrong with the file of a key below tls.
type fileError struct {
	key string
	error
}

// bare returns an error of the file system without the operation and the path.
func bare(err error) error { return errors.New(reason(err)) }

// tls returns the keys of the files of the listener of clients.
func (l *loader) tls() fields {
	return fields{
		{"cert", "The path of the certificate, and those between it and its authority, in PEM.", l.path(&l.cfg.TLS.Cert)},
		{"key", "The path of the certificate's key, in PEM.", l.path(&l.cfg.TLS.Key)},
		{"client_ca", "The path of the authorities, in PEM, whose certificates clients have to show.", l.path(&l.cfg.TLS.ClientCA)},
	}
}

// checkTLS reports files that are missing or cannot be used, and warns of a certificate that
// is near its end. Who does not listen may not be able to read them.
func (l *loader) checkTLS() {
	t, given := l.cfg.TLS, l.lines["tls"]
	reported := slices.ContainsFunc(l.problems, func(p Problem) bool { return strings.HasPrefix(p.Key, "tls") })
	switch {
	case given == 0 || reported || l.src.Idle:
		return
	case t.Cert == "" || t.Key == "":
		l.report(given, "tls", "there is no certificate without both of its files", "add cert: /path/tls.crt and key: /path/tls.key, or remove tls")
		return
	}
	loaded, err := t.Load()
	var bad *fileError
	if errors.As(err, &bad) {
		key := "tls." + bad.key
		l.report(l.lines[key], key, bad.Error(), "name files in PEM that this user can read")
		return
	}
	if leaf := loaded.Certificates[0].Leaf; expiring(leaf, time.Now()) {
		l.warn(l.lines["tls.cert"], "tls.cert", fmt.Sprintf("the certificate is valid from %s to %s", leaf.NotBefore.Format(time.RFC3339), leaf.NotAfter.Format(time.RFC3339)),
			"renew it: the new files are taken over without a restart")
	}
}

// keepTLS has a listener that is there go on with TLS, or without: other files can take the place of
// those it has, but it takes a restart to begin or to end.
func (l *loader) keepTLS() {
	running := l.src.Running
	if running == nil || (running.TLS.Cert == "") == (l.cfg.TLS.Cert == "") {
		return
	}
	l.cfg.TLS = running.TLS
	for _, key := range []string{"tls.cert", "tls.key", "tls.client_ca"} {
		l.derive(key, "in effect until a restart")
	}
	l.cfg.Waits = append(l.cfg.Waits, "tls")
}

// expiring reports whether a certificate is not valid, or in the last tenth of its life: by
// then one that is renewed by a program should have been.
func expiring(c *x509.Certificate, now time.Time) bool {
	return now.Before(c.NotBefore) || now.After(c.NotAfter.Add(-c.NotAfter.Sub(c.NotBefore)/10))
}

// host reads a name by which clients and operators address the server.
func (l *loader) host(n *yaml.Node, key string) {
	s, ok := l.scalar(n, key)
	name := s
	if host, port, err := net.SplitHostPort(s); err == nil && strings.Trim(port, "0123456789") == "" {
		name = host // whatever the port
	}
	switch {
	case !ok:
	case !isHost(strings.TrimPrefix(strings.Trim(name, "[]"), "*.")):
		l.report(n.Line, key, fmt.Sprintf("%q is not the name of a host", s), `write it as in dragoman.example.com, or "*.example.com" for all below it`)
	default:
		l.cfg.Hosts = append(l.cfg.Hosts, s)
	}
}

// cors returns the keys of what browsers may do.
func (l *loader) cors() fields {
	return fields{{"origins", "Scheme and host of each page, as in https://app.example.com.", l.texts(l.origin, `^[a-z][a-z0-9+.-]*://[^/?#]+$`, &l.cfg.Origins)}}
}

// origin reads an origin, which has to be written as browsers send it: it is compared as a text.
func (l *loader) origin(n *yaml.Node, key string) {
	s, ok := l.scalar(n, key)
	switch sent := originOf(s); {
	case !ok:
	case sent == "":
		l.report(n.Line, key, fmt.Sprintf("%q is not the origin of a page", s), "write scheme and host, as in https://app.example.com")
	case sent != s:
		l.report(n.Line, key, fmt.Sprintf("%q is not how a browser sends the origin", s), "write "+sent)
	default:
		l.cfg.Origins = append(l.cfg.Origins, s)
	}
}

// originOf returns the origin of a URL as a browser sends it: without the scheme's own port, and
// in small letters. It is "" if the URL has none.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || !isHost(u.Hostname()) {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Port() == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+u.Port())
	}
	return u.Scheme + "://" + host
}
