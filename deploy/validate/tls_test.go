package validate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// certificate is a certificate and its key, in PEM, for a name that is not the Service's.
var certificate = sync.OnceValues(func() (cert, key []byte) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "models.example.com"}, DNSNames: []string{"models.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		panic(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
})

// withTLS returns values to add, so that clients connect with TLS.
func withTLS(t *testing.T) string {
	t.Helper()
	cert, key := certificate()
	return fmt.Sprintf(`
config: {tls: {cert: /etc/tls/tls.crt, key: /etc/tls/tls.key}}
extraVolumes: [{name: tls, secret: {secretName: tls}}]
extraVolumeMounts: [{name: tls, mountPath: /etc/tls, readOnly: true}]
extraObjects: [{apiVersion: v1, kind: Secret, metadata: {name: tls}, data: {tls.crt: %s, tls.key: %s}}]
`, base64.StdEncoding.EncodeToString(cert), base64.StdEncoding.EncodeToString(key))
}

// serveModels starts a server that lists models. It answers each request with an error that names the model.
func serveModels(t *testing.T, models string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			fmt.Fprintln(w, models)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, rest, _ := strings.Cut(string(body), `"model": "`)
		name, _, _ := strings.Cut(rest, `"`)
		http.Error(w, fmt.Sprintf("asked for %q", name), http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
