package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// manCommand returns `dragoman man`.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "write the manual pages",
		Long: `Writes the help of each command as a page for man(1) into the folder DIR. The date of the pages is
SOURCE_DATE_EPOCH, or now.`,
		Example: `  dragoman man /usr/local/share/man/man1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("the folder is missing: dragoman man DIR")
			}
			return atMost(1)(nil, args)
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // all may read it
				return err
			}
			asMarkdown(c.Root())
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Source: "dragoman " + build().Version, Manual: "User Commands"}, args[0])
		},
	}
}

// asMarkdown turns the texts of a command and its subcommands into the Markdown that package doc reads.
func asMarkdown(c *cobra.Command) {
	escape := strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "{", `\{`, "[", `\[`).Replace
	c.Long = escape(c.Long)
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = escape(f.Usage) })
	for _, below := range c.Commands() {
		asMarkdown(below)
	}
}
