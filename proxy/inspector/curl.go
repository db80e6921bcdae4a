package inspector

import (
	"net/http"
	"strings"
)

// curl answers with the command that sends the request again.
func (in *Inspector) curl(w http.ResponseWriter, r *http.Request) error {
	x, err := in.opened(r)
	if err != nil {
		return err
	}
	base := "http://127.0.0.1:8484"
	if s := in.current(); s != nil {
		base = s.URL
	}
	x.mu.Lock()
	text, err := x.curl(base)
	x.mu.Unlock()
	if err != nil {
		return err
	}
	respondText(w, []byte(text))
	return nil
}

// curl returns the command, for a POSIX shell. The key is not kept, so the command takes it from the shell's
// environment, if a key is needed. The caller holds the lock.
func (x *keptExchange) curl(base string) (string, error) {
	if x.body.size == mostBody {
		return "", errTooLong
	}
	lines := []string{"curl -sS --no-buffer -X " + quoted(x.line.Method) + " " + quoted(base+x.line.Path)}
	for _, h := range x.header {
		lines = append(lines, "-H "+quoted(strings.ToLower(h.Name)+": "+h.Value))
	}
	lines = append(lines, `${ANTHROPIC_API_KEY:+-H "x-api-key: $ANTHROPIC_API_KEY"}`)
	if x.body.size > 0 {
		lines = append(lines, "--data-binary "+quoted(string(x.body.all())))
	}
	return strings.Join(lines, " \\\n  ") + "\n", nil
}

// errTooLong is for functions that need the whole request.
var errTooLong = &problem{http.StatusConflict, "the request is too long: the inspector kept only a part of it"}

// shellWord returns a text as one word for a shell, quoted only if it must be.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@+=,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return quoted(s)
}

// quoted returns a text, quoted as one word for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
