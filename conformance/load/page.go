package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// pageFile and chartFile are written by the commands with -update.
var (
	pageFile  = filepath.Join("..", "..", "docs", "benchmarks.md")
	chartFile = filepath.Join("..", "..", "docs", "benchmarks.svg")
)

// writeBlock puts a text between the comments of this name on the page.
func writeBlock(name, text string) error {
	page, err := os.ReadFile(pageFile)
	if err != nil {
		return err
	}
	block := regexp.MustCompile(`(?s)(<!-- ` + name + `: [^\n]* -->\n).*?(<!-- /` + name + ` -->)`)
	if !block.Match(page) {
		return fmt.Errorf("%s has no block %s", pageFile, name)
	}
	page = block.ReplaceAllFunc(page, func(old []byte) []byte {
		parts := block.FindSubmatch(old)
		return fmt.Appendf(nil, "%s%s\n%s", parts[1], strings.TrimRight(text, "\n"), parts[2])
	})
	return os.WriteFile(pageFile, page, 0o644)
}

// measuredOn says when, of what, and on what machine a text is that a command writes. Versions are those
// of other programs.
func measuredOn(versions ...string) string {
	return fmt.Sprintf("Measured %s on %d processors (%s), Linux %s, with %s; Dragoman of commit %s.\n\n", time.Now().UTC().Format(time.DateOnly),
		runtime.NumCPU(), processor(), kernel(), strings.Join(append([]string{runtime.Version()}, versions...), ", "), commit())
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, after, _ := strings.Cut(string(text), "model name")
	name, _, _ := strings.Cut(strings.TrimLeft(after, "\t :"), "\n")
	if name == "" {
		return runtime.GOARCH
	}
	return name
}

// kernel is the release without what a distributor or a host has added.
func kernel() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "of an unknown release"
	}
	release, _, _ := strings.Cut(unix.ByteSliceToString(name.Release[:]), "-")
	return release
}

func commit() string { return firstLine("git", "rev-parse", "--short", "HEAD") }

// firstLine is the first line of what a command prints, or "unknown".
func firstLine(name string, args ...string) string {
	output, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(output), "\n")
	return strings.TrimSpace(line)
}

// aim is a row of the summary: a figure, and what it is to be of ReverseProxy's at most.
type aim struct {
	name, section string
	load          int // which of the section's
	format        string
	of            func(m measured, t *target) float64
	most          float64
}

func ofLegs(of func(*result) float64) func(measured, *target) float64 {
	return func(_ measured, t *target) float64 { return t.median(of) }
}

func addedBy(of func(*result) float64) func(measured, *target) float64 {
	return func(m measured, t *target) float64 { return m.added(t, of) }
}

var aims = []aim{
	{"whole answer, added p50, µs", whole, 1, "%.0f", addedBy(p50), 2},
	{"whole answer, CPU of a request, µs", whole, 1, "%.0f", ofLegs((*result).cpuRequest), 2},
	{"stream, added p50, µs", streams, 1, "%.0f", addedBy(p50), 1.1},
	{"stream, CPU of an event, µs", streams, 1, "%.1f", ofLegs((*result).cpuEvent), 1.1},
	{"stream, added to the first delta, µs", streams, 1, "%.0f", addedBy(firstP50), 2},
	{"small request, added p50, µs", whole, 0, "%.0f", addedBy(p50), 1.1},
	{"small request, CPU of a request, µs", whole, 0, "%.0f", ofLegs((*result).cpuRequest), 1.2},
	{"memory of an open stream, KiB", opened, 5, "%.0f", measured.perStream, 1},
	{"memory before the first request, MiB", whole, 1, "%.1f", func(_ measured, t *target) float64 { return float64(t.idle) / (1 << 20) }, 0},
}

// summarize is the table of the figures that there are aims for. Those of whole answers and streams are
// of the request of 71 KB.
func summarize(results map[string][]measured) string {
	var out strings.Builder
	list := results[whole][1].programs()
	out.WriteString("| |")
	for _, t := range list {
		fmt.Fprintf(&out, " %s |", t.name)
	}
	out.WriteString(" × ReverseProxy | aim |\n| ---" + strings.Repeat(" | --:", len(list)+2) + " |\n")
	for _, a := range aims {
		m := results[a.section][a.load]
		fmt.Fprintf(&out, "| %s |", a.name)
		for _, t := range m.programs() {
			value := "failed"
			if t.err == nil {
				value = fmt.Sprintf(a.format, a.of(m, t))
			}
			fmt.Fprintf(&out, " %s |", value)
		}
		most := ""
		if a.most > 0 {
			most = fmt.Sprintf("≤ %.1f", a.most)
		}
		times := m.times(m.find("Dragoman"), func(t *target) float64 { return a.of(m, t) })
		fmt.Fprintf(&out, " %s | %s |\n", times, most)
	}
	out.WriteString("| ready after, ms |")
	for _, t := range list {
		fmt.Fprintf(&out, " %.0f |", ready(results, t.name))
	}
	return out.String() + " | |\n\n"
}

// ready is the median, in milliseconds, of how long a program took from its start until it took
// connections.
func ready(results map[string][]measured, name string) float64 {
	var list []time.Duration
	for _, section := range results {
		for _, m := range section {
			if t := m.find(name); t != nil && t.child != nil {
				list = append(list, t.child.ready)
			}
		}
	}
	slices.Sort(list)
	return list[len(list)/2].Seconds() * 1e3
}

// programs are the targets that are processes.
func (m measured) programs() (list []*target) {
	for _, t := range m.targets {
		if t.child != nil {
			list = append(list, t)
		}
	}
	return list
}
