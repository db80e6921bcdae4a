package config

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Problem is one mistake in a configuration.
type Problem struct {
	Where string // "dragoman.yaml:7", "--listen" or "DRAGOMAN_LISTEN"
	Key   string // "models[0].upstream"; "" for all of Where
	Cause string
	Fix   string // what to do about it

	line int // line of Where, for sorting; 0 if Where is not in the file
}

// String returns the problem on one line: "where: key: cause; fix".
func (p Problem) String() string {
	var parts []string
	for _, s := range []string{p.Where, p.Key, p.Cause} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ": ")
	if p.Fix != "" {
		s += "; " + p.Fix
	}
	return s
}

// Problems is the error of [Load], with everything that is wrong.
type Problems []Problem

// Error returns one line for each problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// oneOf returns words in a sentence: "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return fmt.Sprintf("%s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
}

// reason returns the text of a file system error without the path, which our messages already have.
func reason(err error) string {
	var bad *fs.PathError
	if errors.As(err, &bad) {
		return bad.Err.Error()
	}
	return err.Error()
}
