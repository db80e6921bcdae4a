package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/proxy"
	"dragoman/proxy/inspector"
	"dragoman/upstream/simulated"
)

// inspect serves with the arguments until the test ends. It returns the inspector's URL, which is all of standard
// output, and the log so far.
func inspect(t *testing.T, env map[string]string, args ...string) (url, log string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, stdout := io.Pipe()
	logged, stderr := io.Pipe()
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, args, strings.NewReader(""), stdout, stderr, func(name string) string { return env[name] })
		stdout.Close()
		stderr.Close()
	}()
	read := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines := bufio.NewScanner(logged); lines.Scan(); {
			all.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), `"inspector_url"`) {
				read <- all.String()
			}
		}
	}()
	log = <-read
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("there is no URL")
	}
	t.Cleanup(func() {
		stop()
		if code := <-code; code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	url, found := strings.CutPrefix(lines.Text(), "Inspector: ")
	if !found {
		t.Fatal(lines.Text())
	}
	return url, log
}

// The printed URL opens the inspector. The log does not have the token.
func TestInspect(t *testing.T) {
	const models = "upstreams: {sim: {kind: simulated}}\nmodels: [{name: claude-2.1, upstream: sim}]\n"
	file := write(t, "inspect.yaml", "inspector: true\n"+models)
	sized := write(t, "sized.yaml", "inspector: {enabled: true, exchanges: 5, bytes: 1MiB}\n"+models)
	for name, how := range map[string]struct {
		env  map[string]string
		args []string
	}{
		"flag":        {nil, []string{"--simulated", "--inspect"}},
		"environment": {map[string]string{"DRAGOMAN_INSPECT": "true"}, []string{"--simulated"}},
		"file":        {nil, []string{"--config", file}},
		"sizes":       {nil, []string{"--config", sized}},
	} {
		t.Run(name, func(t *testing.T) {
			url, log := inspect(t, how.env, how.args...)
			page, token, _ := strings.Cut(url, "#token=")
			if len(token) < 26 || strings.Contains(log, token) {
				t.Errorf("url %s, log %s", url, log)
			}
			if got := status(t, page); got != http.StatusOK {
				t.Errorf("the page: %d", got)
			}
			for given, want := range map[string]int{token: http.StatusOK, "x": http.StatusUnauthorized} {
				r, err := http.NewRequest("GET", page+"api/exchanges", nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+given)
				response, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				if response.StatusCode != want {
					t.Errorf("status %d, want %d", response.StatusCode, want)
				}
			}
		})
	}
}

// The inspector is off by default.
func TestInspectorIsOff(t *testing.T) {
	server := start(t, nil, "--simulated")
	for _, path := range []string{"", "api/exchanges", "app.js"} {
		if got := status(t, server.admin+inspector.Path+path); got != http.StatusNotFound {
			t.Errorf("%s: %d", path, got)
		}
		if got := status(t, server.url+inspector.Path+path); got != http.StatusNotFound {
			t.Errorf("%s for clients: %d", path, got)
		}
	}
}

// A case that the inspector saves is a line that parse --jsonl and eval can read.
func TestInspectorCase(t *testing.T) {
	in := inspector.New(inspector.DefaultLimits)
	server, err := proxy.New(proxy.Options{
		Routes:    []proxy.Route{{Name: "*", UpstreamModel: proxy.UpstreamModel{Upstream: "sim"}}},
		Upstreams: map[string]proxy.Upstream{"sim": simulated.New()},
		Observe:   []proxy.Observe{in.Observe}, Inspector: in, Loopback: true, AdminLoopback: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := httptest.NewRecorder()
	server.Handler().ServeHTTP(asked, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/messages", strings.NewReader(weatherRequest)))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, inspector.Path+"api/exchanges/"+asked.Header().Get("Request-Id")+"/case", nil)
	r.Header.Set("Authorization", "Bearer "+strings.TrimPrefix(in.Fragment(), "#token="))
	saved := httptest.NewRecorder()
	in.ServeHTTP(saved, r)
	if saved.Code != http.StatusOK || strings.Count(saved.Body.String(), "\n") != 1 {
		t.Fatalf("%d %s", saved.Code, saved.Body)
	}
	parsed := invocation{stdin: saved.Body.String()}.run(t, "parse", "--jsonl")
	if parsed.code != 0 || !strings.Contains(parsed.stdout, `"type":"tool_use"`) || !strings.Contains(parsed.stdout, `"outcomes":[{"kind":"clean"`) {
		t.Errorf("parse says %+v", parsed)
	}
	graded := invocation{}.run(t, "eval", "--simulated", "--out", t.TempDir(), write(t, "case.jsonl", saved.Body.String()))
	if graded.code != 0 || !strings.Contains(graded.stdout, "\nlegacy     1          1      100.0 %") {
		t.Errorf("eval says %+v", graded)
	}
}
