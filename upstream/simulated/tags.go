package simulated

import (
	"iter"
	"strings"
)

// Tags of elements and markers, as formats have them around calls and results.

// eachTag ranges over the tags and markers in a text.
func eachTag(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			at := strings.IndexAny(s, "<[")
			if at < 0 {
				return
			}
			s = s[at:]
			tag := firstTag(s)
			if tag != "" && !yield(tag) {
				return
			}
			s = s[max(1, len(tag)):]
		}
	}
}

// firstTag returns the tag, or the marker in brackets, that a text begins with, "" for none.
func firstTag(s string) string {
	end := -1
	switch {
	case strings.HasPrefix(s, "<"):
		if end = 1 + strings.IndexAny(s[1:], "<>"); end == 0 || s[end] == '<' || blank(s[1]) {
			return ""
		}
	case strings.HasPrefix(s, "["):
		const capitals = "/_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		if end = len(s) - len(strings.TrimLeft(s[1:], capitals)); end == len(s) || s[end] != ']' {
			return ""
		}
	}
	if end <= 1 {
		return ""
	}
	return s[:end+1]
}

// closerOf returns the tag that closes what another one opens.
func closerOf(tag string) string {
	switch name, _, _ := strings.Cut(strings.Trim(tag, "<[]>"), "="); {
	case strings.HasPrefix(tag, "["):
		return "[/" + tag[1:]
	case tag == "<|start|>":
		return "<|end|>"
	case strings.HasSuffix(name, "begin|"), strings.HasSuffix(name, "begin｜"):
		return strings.Replace(tag, "begin", "end", 1)
	case strings.HasPrefix(name, "start_"), strings.HasSuffix(name, "_start|"):
		return strings.Replace(tag, "start", "end", 1)
	case strings.HasPrefix(name, "|") && !strings.HasSuffix(name, "|"):
		return "<" + name[1:] + "|>"
	default:
		name, _, _ = strings.Cut(name, " ")
		return "</" + name + ">"
	}
}
