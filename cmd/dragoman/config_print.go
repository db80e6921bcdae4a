package main

import (
	"context"
	"fmt"

	"dragoman/cmd/dragoman/internal/config"
)

// configPrintCommand is `dragoman config print`.
func configPrintCommand() command {
	return command{
		name:     "config print",
		synopsis: "[--config FILE] [--listen ADDRESS] [--admin-listen ADDRESS] [--simulated]",
		brief:    "print the configuration in effect, and where each value comes from",
		about: `
Prints the configuration that serve would have in effect, as a file: every value, and behind it where
it comes from: a flag or its variable, file and line, another variable, or the default. What is secret
is printed as the file refers to it (${VAR}, file:/path), and else masked. What is printed can be the
file of another server; the first line has the hash by which /readyz and the metrics name it.

  dragoman config print --config dragoman.yaml
  AWS_REGION=us-east-1 dragoman config print`,
		setup: func(fs *flagSet) action {
			s := newSettings(fs).withServing()
			return func(_ context.Context, p process, _ []string) error { return printConfig(p, s) }
		},
	}
}

// printConfig prints what serve would have in effect on this machine.
func printConfig(p process, s *settings) error {
	cfg, err := loadFor(p, s.loadBeside, limitMemory(hostRoot(), p.getenv), nil)
	if err != nil {
		return err
	}
	text, err := cfg.Print()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "# config %s\n%s", cfg.Hash(), text)
	return err
}

// configSchemaCommand is `dragoman config schema`.
func configSchemaCommand() command {
	return command{
		name:  "config schema",
		brief: "print the JSON Schema of the configuration file",
		about: `
Prints the JSON Schema (draft 2020-12) of the configuration file, by which editors complete and check
it while it is written. check knows more: what depends on other values, on files and on variables.

  dragoman config schema > dragoman.schema.json`,
		setup: func(*flagSet) action {
			return func(_ context.Context, p process, _ []string) error {
				_, err := p.stdout.Write(config.Schema())
				return err
			}
		},
	}
}
