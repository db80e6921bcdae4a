package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the help into testdata")

// TestHelpTexts fixes the help of every command, because scripts and pages quote it.
func TestHelpTexts(t *testing.T) {
	archive := &txtar.Archive{Comment: []byte("The help of the program, and of each command. To have it written: go test ./cmd/dragoman -run TestHelpTexts -update\n\n")}
	for _, c := range ourCommands() {
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		archive.Files = append(archive.Files, txtar.File{Name: c.CommandPath(), Data: []byte(succeed(t, args...))})
	}
	hold(t, filepath.Join("testdata", "help.txtar"), string(txtar.Format(archive)))
}

// ourCommands returns the program and its commands, except those with cobra's own help.
func ourCommands() (all []*cobra.Command) {
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" {
			return
		}
		all = append(all, c)
		for _, below := range c.Commands() {
			add(below)
		}
	}
	add(rootCommand(process{}, nil))
	return all
}

// TestManual checks that each command has a manual page with its flags, that no text is taken for markup, and that the
// formatter has no warnings.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	succeed(t, "man", dir)
	for _, c := range ourCommands() {
		path := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(string(page), "--"+f.Name) || !strings.Contains(string(page), variable(f.Name)) {
				t.Errorf("%s has no --%s", path, f.Name)
			}
		})
		if strings.Contains(c.Long, "</think>") && !strings.Contains(string(page), "</think>") {
			t.Errorf("%s lacks a tag", path)
		}
		if _, err := exec.LookPath("groff"); err != nil {
			continue
		}
		if out, err := exec.Command("groff", "-ww", "-Kutf8", "-man", "-Tutf8", "-z", path).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v\n%s", err, out)
		}
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

// Every flag has an example, and every example is a valid command line.
func TestExamples(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range ourCommands() {
		for line := range strings.Lines(c.Example) {
			_, line, _ := strings.Cut(line, "dragoman ")
			line, _, _ = strings.Cut(line, "   ") // remove its description
			var words []string
			for _, word := range strings.Fields(line) {
				if strings.ContainsAny(word, "<>|") {
					break
				}
				words = append(words, word)
			}
			named, rest, err := rootCommand(process{}, nil).Find(words)
			if err == nil {
				err = named.ParseFlags(rest)
			}
			if err == nil {
				err = named.ValidateArgs(named.Flags().Args())
			}
			if err != nil {
				t.Errorf("dragoman %q: %v", words, err)
			}
			named.Flags().Visit(func(f *pflag.Flag) { shown[f.Name] = true })
		}
	}
	for _, c := range ourCommands() {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !shown[f.Name] {
				t.Errorf("no example has --%s of %s", f.Name, c.Name())
			}
		})
	}
}
