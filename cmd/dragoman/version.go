package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// The linker sets version and revision: -ldflags "-X main.version=1.2.3".
var version, revision string

// buildInfo is the JSON form of `dragoman version`.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, with "+dirty" if it was changed
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// build returns the version of the program: from the linker or, if that set none, from what the Go tool recorded.
func build() buildInfo {
	b := buildInfo{Version: version, Revision: revision, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if b.Version == "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if b.Revision != "" {
		b.Revision += dirty
	}
	return b
}

// String returns the version as one line of text.
func (b buildInfo) String() string {
	return fmt.Sprintf("dragoman %s (%s, %s/%s)", b.Version, b.Go, b.OS, b.Arch)
}

// versionCommand returns `dragoman version`.
func versionCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Long:    `Prints the version of the program and what it was built with.`,
		Example: `  dragoman version --json`,
		Args:    atMost(0),
	}
	asJSON := c.Flags().Bool("json", false, "print a JSON object")
	c.RunE = func(_ *cobra.Command, _ []string) error {
		b := build()
		if *asJSON {
			return json.NewEncoder(p.stdout).Encode(b)
		}
		_, err := fmt.Fprintln(p.stdout, b)
		return err
	}
	return c
}
