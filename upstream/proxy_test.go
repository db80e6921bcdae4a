package upstream

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"dragoman/translate"
)

// The log says why an upstream cannot be reached through a proxy, or with the wrong scheme. It does not quote
// the proxy.
func TestExplainWays(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for want, base := range map[string]string{
		"the connection to the upstream failed: http: server gave HTTP response to HTTPS client":                                            "https://" + at.Host,
		"the connection to the upstream failed: the network's proxy refused the connection with status 407. Check HTTPS_PROXY and NO_PROXY": "https://models.test",
	} {
		transport := newTransport(0)
		defer transport.CloseIdleConnections()
		transport.Proxy = nil
		if base == "https://models.test" {
			transport.Proxy = http.ProxyURL(at)
		}
		up, err := NewAnthropic(ServerOptions{BaseURL: base, APIKey: "sk", HTTPClient: &http.Client{Transport: transport}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range chunksOf(up, t.Context(), Model{ID: "m"}, new(translate.Prompt)) {
			if got := Explain(err); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
