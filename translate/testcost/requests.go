package testcost

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Load is a request for benchmarks.
type Load struct {
	Name string
	Body string // a Messages-API body
}

// Loads returns the requests for benchmarks: a small one with one tool, and two like those of
// coding clients: 12 tools and 12 turns in 71 KB, and 30 tools and 20 turns in 115 KB. The middle
// one has three variants of text: plain, code, and text that is almost only candidates for
// escaping.
func Loads() []Load {
	return []Load{
		{"small", request(1, 1, 200, fillCode)},
		{"71KB/plain", request(12, 12, 4<<10, fillPlain)},
		{"71KB/code", request(12, 12, 4<<10, fillCode)},
		{"71KB/hostile", request(12, 12, 4<<10, fillHostile)},
		{"115KB/code", request(30, 20, 4<<10, fillCode)},
	}
}

// The texts that fill the results of calls.
const (
	fillPlain   = "the quick brown fox jumps over the lazy dog and runs away again "
	fillCode    = "if a < b && c[i] > 0 {\n\treturn fmt.Errorf(\"<%d> café\", i)\n}\n"
	fillHostile = "<div class=\"ü\">&lt;b&gt;</div> <invoke> \"é\" &amp; <\n"
)

// request returns a request with tools, and with turns that each have a call and a result of size
// bytes.
func request(tools, turns, size int, filler string) string {
	fill := strings.Repeat(filler, size/len(filler)+1)[:size]
	for !utf8.ValidString(fill) {
		fill = fill[:len(fill)-1]
	}
	var b strings.Builder
	b.WriteString(`{"model":"m","max_tokens":4096,"system":"You are a careful programmer.","tools":[`)
	for i := range tools {
		fmt.Fprintf(&b, `%s{"name":"write_file_%d","description":"Writes a text file. Use it whenever the user asks for a file to be made or `+
			`changed; do not use it to read one.","input_schema":{"type":"object","properties":{"path":{"type":"string","description":"The path `+
			`of the file, relative to the root."},"content":{"type":"string","description":"The text to write, whole."},"mode":{"type":"string",`+
			`"enum":["create","replace","append"]},"lines":{"type":"array","items":{"type":"integer"}},"opts":{"type":"object","properties":{`+
			`"dry_run":{"type":"boolean"},"depth":{"type":"integer","minimum":0}}}},"required":["path","content"]}}`, comma(i), i)
	}
	b.WriteString(`],"messages":[{"role":"user","content":"Write the program that we spoke of to src/main.go."}`)
	for i := range turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"text","text":"I will do that."},{"type":"tool_use","id":"toolu_%d",`+
			`"name":"write_file_%d","input":{"path":"src/f%d.go","content":"package main\n"}}]},{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"toolu_%d","content":%s}]}`, i, i%tools, i, i, strconv.Quote(fill))
	}
	return b.String() + `]}`
}

// comma returns the text before element i of a list.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
