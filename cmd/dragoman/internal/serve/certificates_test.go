package serve

import (
	"bytes"
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/upstream/upstreamtest"
)

func newAuthority(t *testing.T) *upstreamtest.Authority {
	t.Helper()
	a, err := upstreamtest.NewAuthority("company")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// putPair replaces the files by a new certificate of the authority.
func putPair(t *testing.T, files config.TLS, a *upstreamtest.Authority) {
	t.Helper()
	cert, key, err := a.Issue("dragoman.example", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, files.Cert, string(cert))
	replace(t, files.Key, string(key))
}

// The files are checked at most once a second, and read only if one has changed.
func TestCertificatesAreKept(t *testing.T) {
	authority := newAuthority(t)
	files := config.TLS{Cert: filepath.Join(t.TempDir(), "tls.crt"), Key: filepath.Join(t.TempDir(), "tls.key")}
	putPair(t, files, authority)
	synctest.Test(t, func(t *testing.T) {
		c, err := newCertificates(files, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		current := func() *tls.Config {
			t.Helper()
			got, err := c.forHandshake(nil)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		first := current()
		time.Sleep(time.Minute)
		if current() != first {
			t.Error("the files were read again, and had not changed")
		}
		putPair(t, files, authority)
		if current() != first {
			t.Error("the files were looked at twice in a second")
		}
		time.Sleep(lookEvery)
		second := current()
		if second == first {
			t.Error("the files were not read again")
		}
		if err := os.Remove(files.Key); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			time.Sleep(lookEvery)
			if current() != second {
				t.Error("without a key, the certificate was changed")
			}
		}
	})
}

// If the files change after a reload has read them and before it puts them in effect, they are read again.
func TestCertificatesAfterAReload(t *testing.T) {
	authority := newAuthority(t)
	dir := t.TempDir()
	before := config.TLS{Cert: filepath.Join(dir, "before.crt"), Key: filepath.Join(dir, "before.key")}
	after := config.TLS{Cert: filepath.Join(dir, "after.crt"), Key: filepath.Join(dir, "after.key")}
	putPair(t, before, authority)
	putPair(t, after, authority)
	synctest.Test(t, func(t *testing.T) {
		c, err := newCertificates(before, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		next, err := newCertificates(after, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		read := next.current
		putPair(t, after, authority)
		c.use(next)
		time.Sleep(lookEvery)
		got, err := c.forHandshake(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(got.Certificates[0].Certificate[0], read.Certificates[0].Certificate[0]) {
			t.Error("the certificate is still the one that the reload has read")
		}
	})
}
