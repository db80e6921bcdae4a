package main

import (
	"bytes"
	"errors"
)

var errJSON = errors.New("the body is not a JSON object")

// members calls f for each member of the JSON object in b. Values are skipped and not decoded, so that
// a large request costs the fake upstream little.
func members(b []byte, f func(key string, value []byte)) error {
	at := skipSpace(b, 0)
	if at >= len(b) || b[at] != '{' {
		return errJSON
	}
	for at++; ; {
		at = skipSpace(b, at)
		if at < len(b) && b[at] == '}' {
			return nil
		}
		if at >= len(b) || b[at] != '"' {
			return errJSON
		}
		end := stringEnd(b, at)
		if end < 0 {
			return errJSON
		}
		key := string(b[at+1 : end-1])
		if at = skipSpace(b, end); at >= len(b) || b[at] != ':' {
			return errJSON
		}
		at = skipSpace(b, at+1)
		if end = valueEnd(b, at); end < 0 {
			return errJSON
		}
		f(key, b[at:end])
		if at = skipSpace(b, end); at < len(b) && b[at] == ',' {
			at++
		}
	}
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\n' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at
}

// stringEnd is the index after the string whose quote is b[at], or -1.
func stringEnd(b []byte, at int) int {
	for at++; ; {
		quote := bytes.IndexByte(b[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		escapes := 0
		for i := at - 1; i >= 0 && b[i] == '\\'; i-- {
			escapes++
		}
		if at++; escapes%2 == 0 {
			return at
		}
	}
}

// valueEnd is the index after the value that begins at b[at], or -1.
func valueEnd(b []byte, at int) int {
	for depth := 0; at < len(b); at++ {
		switch b[at] {
		case '"':
			if at = stringEnd(b, at) - 1; at < 0 {
				return -1
			}
			if depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return at
			}
		}
	}
	return -1
}
