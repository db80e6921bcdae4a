package main

import (
	"net/http"
	"strings"
	"testing"
)

// Both listeners reject headers above 64 KB, and read slightly smaller ones.
func TestHugeHeaders(t *testing.T) {
	server := start(t, nil, "--config", keyed(t, ""))
	for _, url := range []string{server.url + "/", server.admin + "/healthz"} {
		for size, want := range map[int]int{60 << 10: http.StatusOK, 80 << 10: http.StatusRequestHeaderFieldsTooLarge} {
			r, err := http.NewRequest(http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Long", strings.Repeat("a", size))
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("%s with %d bytes: %d, want %d", url, size, res.StatusCode, want)
			}
		}
	}
	server.stop()
	if code := <-server.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
