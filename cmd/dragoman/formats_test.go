package main

import (
	"strings"
	"testing"

	"dragoman/translate"
)

// Every format is listed with its name and a call, in the order in which others list them.
func TestListFormats(t *testing.T) {
	got := invocation{}.run(t, "formats")
	if got.code != 0 {
		t.Fatal(got.stderr)
	}
	out := got.stdout
	from := 0
	for _, f := range translate.AboutFormats() {
		at := strings.Index(out[from:], f.Name+" (")
		if at < 0 {
			t.Fatalf("%s is not listed behind those before it:\n%s", f.Name, out)
		}
		from += at
		first, _, _ := strings.Cut(f.Example, "\n")
		if !strings.Contains(out[from:], "    "+first) {
			t.Errorf("%s is listed without its call:\n%s", f.Name, out[from:])
		}
	}
}
