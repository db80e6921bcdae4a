package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
)

// Roots returns the authorities that the system trusts, and those of a file in PEM besides. A
// server of the company's own has a certificate of one that nobody else knows. The error is of
// the file, or says that it holds none.
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
		return nil, errors.New("there is no certificate in it")
	}
	return roots, nil
}

// trusting returns what sets whom a transport believes to be the upstream: one with a certificate
// of these authorities, or of the system's if they are nil. What else says so keeps its meaning:
// AWS_CA_BUNDLE, which the AWS SDK adds, or takes in place of the system's.
func trusting(roots *x509.CertPool) func(*http.Transport) {
	return func(t *http.Transport) {
		if t.TLSClientConfig == nil {
			t.TLSClientConfig = new(tls.Config)
		}
		t.TLSClientConfig.MinVersion = tls.VersionTLS12
		t.TLSClientConfig.RootCAs = roots
	}
}
