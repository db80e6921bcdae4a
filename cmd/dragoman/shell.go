package main

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
)

// completer returns the function that completes a flag's value; nil if there is none.
func completer(p process, f *pflag.Flag) cobra.CompletionFunc {
	placeholder, _ := pflag.UnquoteUsage(f)
	switch words := wordsOf(f); {
	case words != nil:
		return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			if _, several := f.Value.(choices); !several {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
			done := typed[:strings.LastIndex(typed, ",")+1] // of several values, the last one is completed
			var lists []string
			for _, word := range words {
				lists = append(lists, done+word)
			}
			return lists, cobra.ShellCompDirectiveNoFileComp
		}
	case placeholder == "FILE":
		return files(math.MaxInt)
	case placeholder == "DIR":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case placeholder == "MODEL":
		return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return servedModels(p, c.Flags().Lookup("config").Value.String()), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil
}

// files completes up to most arguments as file names.
func files(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// programs completes a command line of its own: a program from PATH, and then files.
func programs(p process) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) (found []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		for _, dir := range filepath.SplitList(p.getenv("PATH")) {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), typed) {
					found = append(found, e.Name())
				}
			}
		}
		slices.Sort(found)
		return slices.Compact(found), cobra.ShellCompDirectiveDefault
	}
}

// servedModels returns the names of the models that a configuration serves; none if it cannot be read.
func servedModels(p process, file string) []string {
	file = cmp.Or(file, p.getenv(variable("config")))
	if file == "" {
		return nil
	}
	cfg, err := config.Load(config.Source{File: file, Idle: true, Getenv: p.getenv})
	if err != nil {
		return nil
	}
	return serve.ModelNames(cfg)
}
