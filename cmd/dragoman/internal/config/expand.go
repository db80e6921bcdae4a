package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxSecret bounds a file that a value names: a credential is small, and some device files
// never end.
const maxSecret = 64 << 10

// expandError says why a value cannot be expanded, and what to do about it.
type expandError struct{ cause, fix string }

func (e *expandError) Error() string { return e.cause + "; " + e.fix }

// expand returns a value with ${VAR} and ${VAR:-default} replaced from the environment. An
// empty variable counts as one that is not set, as in a shell's ":-". For a value that is
// written as file:/path, expand then returns what the file holds, without its last line
// ending. The error is an *expandError.
//
// Whether a value names a file is decided before the expansion, so that no variable can
// turn a value into the name of a file. A value that looks as if it were meant to name one,
// but does not, is an error: the name would be taken for the secret itself.
func expand(value string, getenv func(string) string) (string, error) {
	fromFile := strings.HasPrefix(value, "file:/")
	if !fromFile && len(value) >= len("file:") && strings.EqualFold(value[:len("file:")], "file:") {
		return "", &expandError{"file: is not followed by an absolute path", "write file:/ and the rest of the path, as in file:/run/secrets/key; no variable can stand at its beginning"}
	}
	value, err := expandVariables(value, getenv)
	if err != nil || !fromFile {
		return value, err
	}
	return readSecret(strings.TrimPrefix(value, "file:"))
}

// expandVariables replaces each ${VAR} and ${VAR:-default}. What a variable holds is not
// expanded again. The error is an *expandError.
func expandVariables(value string, getenv func(string) string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(value, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", &expandError{"a ${ is not closed", "write ${VAR} or ${VAR:-default}"}
		}
		name, fallback, hasFallback := strings.Cut(inner, ":-")
		if !isVariable(name) {
			return "", &expandError{fmt.Sprintf("${%s} does not name a variable", inner), "write ${VAR} or ${VAR:-default}"}
		}
		set := getenv(name)
		switch {
		case set != "":
			out.WriteString(set)
		case hasFallback:
			out.WriteString(fallback)
		default:
			return "", &expandError{
				fmt.Sprintf("the environment variable %s is not set", name),
				fmt.Sprintf("set it, or give a default: ${%s:-default}", name),
			}
		}
		value = after
	}
}

// isVariable reports whether s can be the name of a variable in a shell.
func isVariable(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// readSecret returns what a file holds, without a line ending at its end: editors and
// `echo` add one. A link is followed, as Kubernetes mounts secrets. What is no regular file
// is not opened: a pipe would have the program wait for its other end. The error is an
// *expandError.
func readSecret(path string) (string, error) {
	if err := regular(path); errors.Is(err, errNotRegular) {
		return "", &expandError{path + " is no regular file", "name a file that holds the value alone"}
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
		return "", &expandError{fmt.Sprintf("%s is larger than %d bytes", path, maxSecret), "name a file that holds the value alone"}
	}
	s := strings.TrimSuffix(string(b), "\n")
	return strings.TrimSuffix(s, "\r"), nil
}

// unreadable returns the error for a file that cannot be read.
func unreadable(path string, err error) error {
	return &expandError{fmt.Sprintf("%s cannot be read: %s", path, reason(err)), "check the path and its permissions"}
}

var errNotRegular = errors.New("it is no regular file")

// regular returns an error for a path that cannot be read like a file. A pipe would be waited for without
// end: by a server that reads its configuration again, and by whoever waits for that.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}
