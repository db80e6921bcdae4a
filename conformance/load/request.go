package main

import (
	"fmt"
	"strings"

	"dragoman/translate/testcost"
)

// load returns the request with this name from the requests of all benchmarks, or "".
func load(name string) string {
	for _, l := range testcost.Loads() {
		if l.Name == name {
			return l.Body
		}
	}
	return ""
}

// requestOf returns a request of about size bytes: one tool, and turns of 4 KB.
func requestOf(size int) string {
	turn := fmt.Sprintf(`,{"role":"assistant","content":"I will do that."},{"role":"user","content":%s}`, quote(filler(4<<10)))
	return `{"model":"m","max_tokens":4096,"tools":[{"name":"write_file_0","description":"Writes a text file.","input_schema":{"type":"object",` +
		`"properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}}],` +
		`"messages":[{"role":"user","content":"Write the program that we spoke of."}` + strings.Repeat(turn, max(0, size-400)/len(turn)) + `]}`
}

// streamed returns the request with streaming turned on.
func streamed(body string) string { return `{"stream":true,` + body[1:] }
