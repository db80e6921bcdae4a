package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
)

// Roots returns the authorities that the system trusts, and those in a PEM file. Companies sign their own
// servers with an authority that only they know. The error says that the file cannot be read, or has no
// certificate.
func Roots(path string) (*x509.CertPool, error) {
	own, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(own) {
		return nil, errors.New("the file has no certificate in PEM form")
	}
	return roots, nil
}

// trusting returns a function that sets the authorities of a transport; nil for the system's. AWS_CA_BUNDLE
// still works: the AWS SDK adds its authorities, or uses them instead of the system's.
func trusting(roots *x509.CertPool) func(*http.Transport) {
	return func(t *http.Transport) {
		if t.TLSClientConfig == nil {
			t.TLSClientConfig = new(tls.Config)
		}
		t.TLSClientConfig.MinVersion = tls.VersionTLS12
		t.TLSClientConfig.RootCAs = roots
	}
}
