package inspector

import (
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"dragoman/upstream/simulated"
)

// Without the token, only the files of the page are served. The token counts only in its header. Requests for another
// host, or from another origin's page, get nothing at all.
func TestToken(t *testing.T) {
	w := watch(t, simulated.New())
	w.ask(question)
	id := w.ended(1)[0].ID
	one := "exchanges/" + id
	endpoints := map[string]string{ // path to method
		"exchanges": "GET", one: "GET", one + "/text?part=request": "GET", one + "/text?part=prompt": "GET", one + "/events": "GET",
		one + "/spans": "GET", one + "/curl": "GET", one + "/case": "GET", one + "/why": "GET", one + "/reparse": "POST", "search": "GET", one + "/replay": "POST", "choices": "GET", "live": "GET", "nothing": "GET",
		"exchanges?all": "DELETE",
	}
	without := func(r *http.Request) { r.Header.Del("Authorization") }
	bad := map[string]struct {
		status int
		change func(r *http.Request)
	}{
		"no token":         {401, without},
		"wrong token":      {401, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+strings.Repeat("A", len(w.in.token))) }},
		"part of it":       {401, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+w.in.token[1:]) }},
		"empty token":      {401, func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }},
		"another scheme":   {401, func(r *http.Request) { r.Header.Set("Authorization", "Basic "+w.in.token) }},
		"in the query":     {401, func(r *http.Request) { without(r); r.URL.RawQuery += "&token=" + w.in.token }},
		"in a cookie":      {401, func(r *http.Request) { without(r); r.AddCookie(&http.Cookie{Name: "token", Value: w.in.token}) }},
		"another host":     {403, func(r *http.Request) { r.Host = "attacker.example:8485" }},
		"another origin":   {403, func(r *http.Request) { r.Header.Set("Origin", "http://attacker.example") }},
		"no origin at all": {403, func(r *http.Request) { r.Header.Set("Origin", "null") }},
		"from a page":      {403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		"from a neighbour": {403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }},
	}
	for path, method := range endpoints {
		for name, b := range bad {
			r := w.request(method, path, "{}")
			b.change(r)
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != b.status {
				t.Errorf("%s %s, %s: status %d, want %d", method, path, name, res.StatusCode, b.status)
			}
		}
	}
	if lines := w.ended(1); !lines[0].Kept {
		t.Error("somebody without the token has changed something")
	}
}

// The files of the page need no token, restrict the browser, and are not sent twice.
func TestAssets(t *testing.T) {
	w := watch(t, simulated.New())
	fetch := func(method, path, tag string) *http.Response {
		r, err := http.NewRequest(method, w.admin.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("If-None-Match", tag)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	for path, typ := range map[string]string{
		"/inspector": "text/html; charset=utf-8", "/inspector/": "text/html; charset=utf-8", "/inspector/app.js": "text/javascript; charset=utf-8",
		"/inspector/inspector.css": "text/css; charset=utf-8", "/inspector/icon.svg": "image/svg+xml",
	} {
		res := fetch("GET", path, "")
		policy := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != typ || res.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: %d %v", path, res.StatusCode, res.Header)
		}
		if again := fetch("GET", path, res.Header.Get("Etag")); path != "/inspector" && again.StatusCode != 304 {
			t.Errorf("%s is sent again: %d", path, again.StatusCode)
		}
	}
	for _, path := range []string{"/inspector/app.ts", "/inspector/../inspector.go", "/inspector/page/app.js", "/inspector/%2e%2e/inspector.go"} {
		if res := fetch("GET", path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	if res := fetch("POST", "/inspector/", ""); res.StatusCode != 404 {
		t.Errorf("POST: %d", res.StatusCode)
	}
}

// The page has its own scripts and styles: none inside the HTML, and none from elsewhere.
func TestPageIsClosed(t *testing.T) {
	err := fs.WalkDir(page, "page", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := page.ReadFile(name)
		if err != nil {
			return err
		}
		text := string(data)
		for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "javascript:", "<style", " style=", " onclick=", "https://", "document.cookie", "localStorage"} {
			if strings.Contains(text, forbidden) {
				t.Errorf("%s has %s", name, forbidden)
			}
		}
		if n := strings.Count(text, "<script"); n != strings.Count(text, `<script type="module" src="`) {
			t.Errorf("%s has a script of its own", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
