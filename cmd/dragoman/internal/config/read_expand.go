package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxSecret limits a file in a value: a credential is small, and some device files never end.
const maxSecret = 64 << 10

// expand returns a value with ${VAR} and ${VAR:-default} replaced from the environment. An empty variable counts as not
// set, as in a shell's ":-". If the value has the form file:/path, expand returns the content of the file without its
// last line ending.
//
// The form is checked before the expansion, so that no variable can turn a value into a file name. If a value only
// looks like a file reference, expand returns an error: otherwise the name itself would be used as the secret.
func expand(value string, getenv func(string) string) (string, *fault) {
	fromFile := strings.HasPrefix(value, "file:/")
	if !fromFile && len(value) >= len("file:") && strings.EqualFold(value[:len("file:")], "file:") {
		return "", &fault{"file: is not followed by an absolute path", "write file:/ and the rest of the path, as in file:/run/secrets/key; no variable can stand at its beginning"}
	}
	value, bad := expandVariables(value, getenv)
	if bad != nil || !fromFile {
		return value, bad
	}
	return readSecret(strings.TrimPrefix(value, "file:"))
}

// expandVariables replaces each ${VAR} and ${VAR:-default}. It does not expand the values of variables again.
func expandVariables(value string, getenv func(string) string) (s string, bad *fault) {
	s = eachVariable(value, func(inner string, closed bool) string {
		name, fallback, hasFallback := strings.Cut(inner, ":-")
		set := getenv(name)
		switch {
		case bad != nil: // the first problem is enough
		case !closed:
			bad = &fault{"a ${ is not closed", "write ${VAR} or ${VAR:-default}"}
		case !isVariable(name):
			bad = &fault{fmt.Sprintf("${%s} does not name a variable", inner), "write ${VAR} or ${VAR:-default}"}
		case set == "" && !hasFallback:
			bad = &fault{fmt.Sprintf("the environment variable %s is not set", name), fmt.Sprintf("set it, or give a default: ${%s:-default}", name)}
		}
		return cmp.Or(set, fallback)
	})
	return s, bad
}

// eachVariable returns a value with each ${…} replaced by the result of f for its content.
func eachVariable(value string, f func(inner string, closed bool) string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(value, "${")
		if out.WriteString(before); !found {
			return out.String()
		}
		inner, after, closed := strings.Cut(rest, "}")
		out.WriteString(f(inner, closed))
		value = after
	}
}

// variables returns the names of the variables in a value.
func variables(value string) (names []string) {
	eachVariable(value, func(inner string, _ bool) string {
		name, _, _ := strings.Cut(inner, ":-")
		names = append(names, name)
		return ""
	})
	return names
}

// isVariable reports whether s can be the name of a shell variable.
func isVariable(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// readSecret returns the content of a file without a final line ending, which editors and `echo` add. It follows links,
// because Kubernetes mounts secrets as links. It opens only regular files: a pipe would block until somebody writes to
// it.
func readSecret(path string) (string, *fault) {
	if err := regular(path); errors.Is(err, errNotRegular) {
		return "", &fault{path + " is no regular file", "name a file that holds the value alone"}
	} else if err != nil {
		return "", unreadable(path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", unreadable(path, err)
	}
	if len(b) > maxSecret {
		return "", &fault{fmt.Sprintf("%s is larger than %d bytes", path, maxSecret), "name a file that holds the value alone"}
	}
	s := strings.TrimSuffix(string(b), "\n")
	return strings.TrimSuffix(s, "\r"), nil
}

// unreadable returns the error for a file that cannot be read.
func unreadable(path string, err error) *fault {
	return &fault{fmt.Sprintf("%s cannot be read: %s", path, reason(err)), "check the path and its permissions"}
}

var errNotRegular = errors.New("it is no regular file")

// regular returns an error if a path is not a regular file. Reading a pipe might block for ever: a reload of the
// configuration, and everybody who waits for it.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}
