package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRequestOf holds that a request has the size that is asked for, but for the digits of its turns.
func TestRequestOf(t *testing.T) {
	for _, size := range growths[0].sizes[:5] {
		s := requestOf(size)
		s.API = messagesAPI
		if n := len(s.body()); n < size-size/50 || n > size+size/50 {
			t.Errorf("%d bytes where %d were asked for", n, size)
		}
	}
}

func TestExponent(t *testing.T) {
	if got := exponent(step{size: 100, cpu: 7}, step{size: 1600, cpu: 7 * 16}); math.Abs(got-1) > 1e-9 {
		t.Errorf("linear is %v", got)
	}
	if got := exponent(step{size: 10, cpu: 3}, step{size: 100, cpu: 300}); math.Abs(got-2) > 1e-9 {
		t.Errorf("quadratic is %v", got)
	}
}

// TestTable holds what a row says of ways that pass on, of ours, and of one that has failed.
func TestTable(t *testing.T) {
	leg := func(us float64) []*result {
		return []*result{{requests: 1000, cpu: time.Duration(us) * time.Millisecond, latency: quantiles{P50: us}}}
	}
	m := measured{workload{name: "2 KB"}, []*target{
		{way: way{name: "direct"}, legs: leg(100)},
		{way: way{name: "ReverseProxy"}, legs: leg(300), child: &child{}},
		{way: way{name: "Dragoman"}, legs: leg(400), child: &child{}},
		{way: way{name: "nginx"}, err: os.ErrNotExist},
	}}
	got := table([]measured{m}, append([]column{figure("p50", "%.0f", p50)}, append(added("added", p50), perRequest...)...))
	want := `| | | p50 | added | × RP | CPU of 1,000 requests, ms | × RP |
| --- | --- | --: | --: | --: | --: | --: |
| 2 KB | direct | 100 |  |  |  |  |
|  | ReverseProxy | 300 | 200 | 1.00 | 300 | 1.00 |
|  | Dragoman | 400 | 300 | 1.50 | 400 | 1.33 |
|  | nginx | failed | failed | failed | failed | failed |
`
	if got != want {
		t.Errorf("%s", got)
	}
}

// TestWriteBlock holds that a block is replaced, and nothing beside it.
func TestWriteBlock(t *testing.T) {
	page := pageFile
	defer func() { pageFile = page }()
	pageFile = filepath.Join(t.TempDir(), "page.md")
	text := "a\n<!-- load: x -->\nold\n<!-- /load -->\nb\n<!-- scale: y -->\n<!-- /scale -->\n"
	if err := os.WriteFile(pageFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeBlock("load", "| $1 |\n\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(pageFile)
	if want := strings.Replace(text, "old", "| $1 |", 1); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if writeBlock("none", "") == nil {
		t.Error("a block that is missing is not missed")
	}
}
