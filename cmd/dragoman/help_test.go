package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the help into testdata, and the manual page into docs")

// TestHelpTexts holds what people read of every command: scripts and pages quote it.
func TestHelpTexts(t *testing.T) {
	archive := &txtar.Archive{Comment: []byte("The help of the program, and of each command. To have it written: go test ./cmd/dragoman -run TestHelpTexts -update\n\n")}
	archive.Files = append(archive.Files, txtar.File{Name: "dragoman", Data: []byte(succeed(t, "--help"))})
	for _, c := range shownCommands() {
		archive.Files = append(archive.Files, txtar.File{Name: "dragoman " + c.name, Data: []byte(succeed(t, append(strings.Fields(c.name), "--help")...))})
	}
	hold(t, filepath.Join("testdata", "help.txtar"), string(txtar.Format(archive)))
}

// TestManual holds that the manual page in docs is what `dragoman man` prints.
func TestManual(t *testing.T) {
	page := succeed(t, "man")
	hold(t, filepath.Join("..", "..", "docs", "dragoman.1"), page)
	for _, want := range []string{".SS \"dragoman serve\"", "DRAGOMAN_ADMIN_LISTEN", ".SH \"EXIT STATUS\""} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(page, "__complete") {
		t.Error("it names a command that is hidden")
	}
}

// hold compares a text with a file, or with -update writes the file.
func hold(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // all may read it
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), to be written with -update:\n%s", path, diff)
	}
}

// What formats manual pages has nothing to say of ours.
func TestManualIsClean(t *testing.T) {
	path := write(t, "dragoman.1", manual())
	for _, command := range [][]string{
		{"mandoc", "-T", "lint", "-W", "style", path},
		{"groff", "-ww", "-Kutf8", "-man", "-Tutf8", "-z", path},
	} {
		t.Run(command[0], func(t *testing.T) {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skip(command[0] + " is not installed")
			}
			if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// Every flag has an example, and every example is a command line that can be read.
func TestExamples(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range shownCommands() {
		for line := range strings.Lines(c.about + "\n" + startHere) {
			_, line, _ := strings.Cut(line, "dragoman ")
			line, _, _ = strings.Cut(line, "   ") // what it is for
			args, is := strings.CutPrefix(line, c.name+" ")
			if !is {
				continue
			}
			var words []string
			for _, word := range strings.Fields(strings.ReplaceAll(args, ")", " #")) {
				if strings.ContainsAny(word, "<>|#") {
					break
				}
				words = append(words, word)
			}
			flags := newFlagSet()
			c.setup(flags)
			others, err := flags.parse(words, c.wrapping, func(string) string { return "" })
			if err == nil {
				err = c.check(others)
			}
			if err != nil {
				t.Errorf("dragoman %s %q: %q, %v", c.name, words, others, err)
			}
			flags.Visit(func(f *flag.Flag) { shown[f.Name] = true })
		}
	}
	for _, c := range shownCommands() {
		flags := newFlagSet()
		c.setup(flags)
		flags.VisitAll(func(f *flag.Flag) {
			if !shown[f.Name] {
				t.Errorf("no example has --%s of %s", f.Name, c.name)
			}
			shown[f.Name] = true
		})
	}
}
