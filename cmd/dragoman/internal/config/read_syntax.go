package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// syntax adds a problem for an error of the YAML library, with a hint if the line has a common slip.
func (r *reader) syntax(data []byte, err error) {
	lines := strings.Split(string(data), "\n")
	line, cause := syntaxLine(lines, strings.TrimPrefix(err.Error(), "yaml: "))
	fix := "check brackets, quotes, colons and indentation from here on"
	for at := line - 1; at < min(line+1, len(lines)); at++ {
		switch text := strings.TrimLeft(lines[at], " "); {
		case strings.HasPrefix(text, "\t"):
			line, fix = at+1, "indent with spaces: YAML allows no tabs"
		case strings.Contains(text, ": *") || strings.Contains(text, "- *"):
			line, fix = at+1, `quote a name with a wildcard: "*"`
		case !isText(text):
			fix = "save the file as UTF-8 text"
		}
	}
	r.report(line, "", "not YAML: "+cause, fix)
}

// syntaxLine returns the line, counted from 1, and the cause in a message of the YAML library. The library counts from
// 0 if its parser found the error, and from 1 if its scanner did. For bad characters and unknown anchors it gives no
// line.
func syntaxLine(lines []string, message string) (int, string) {
	var line int
	if n, _ := fmt.Sscanf(message, "line %d:", &line); n == 1 {
		_, cause, _ := strings.Cut(message, ": ")
		if slices.Contains(parserErrors, cause) {
			line++
		}
		return min(line, len(lines)), cause
	}
	var anchor string
	fmt.Sscanf(message, "unknown anchor '%s", &anchor)
	anchor = "*" + strings.TrimSuffix(anchor, "'")
	at := slices.IndexFunc(lines, func(s string) bool {
		return !isText(s) || anchor != "*" && strings.Contains(s, anchor)
	})
	return max(at, 0) + 1, message
}

// parserErrors are the causes that the library's parser reports.
var parserErrors = []string{
	"did not find expected <document start>",
	"did not find expected node content",
	"did not find expected '-' indicator",
	"did not find expected key",
	"did not find expected ',' or ']'",
	"did not find expected ',' or '}'",
}

// isText reports whether a line has only characters that YAML allows.
func isText(line string) bool {
	return utf8.ValidString(line) && !strings.ContainsFunc(line, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\r' || c == 0x7f
	})
}
