package main

import (
	"context"
	_ "embed"
	"io"
	"maps"
	"slices"
)

// The scripts with which shells complete command lines. They ask `dragoman __complete`, so that what
// they propose is what the program has.
var (
	//go:embed shell/dragoman.bash
	bashScript string
	//go:embed shell/dragoman.zsh
	zshScript string
	//go:embed shell/dragoman.fish
	fishScript string
)

// completionCommand is `dragoman completion`.
func completionCommand() command {
	scripts := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	return command{
		name:     "completion",
		synopsis: "bash|zsh|fish",
		brief:    "print what makes a shell complete commands and flags",
		about: `
Prints a script for the shell. Commands, flags, their values, files and the names of models in the file
of --config are completed, by asking the program.

  source <(dragoman completion bash)                  # in ~/.bashrc
  source <(dragoman completion zsh)                   # in ~/.zshrc, behind compinit
  dragoman completion fish > ~/.config/fish/completions/dragoman.fish`,
		maxArgs: 1,
		words:   slices.Sorted(maps.Keys(scripts)),
		setup: func(*flagSet) action {
			return func(_ context.Context, p process, args []string) error {
				if len(args) == 0 {
					return usagef("completion: which shell? bash, fish or zsh")
				}
				_, err := io.WriteString(p.stdout, scripts[args[0]])
				return err
			}
		},
	}
}
