package main

import (
	"fmt"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
)

// configPrintCommand returns `dragoman config print`.
func configPrintCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "print",
		Short: "print the configuration in effect, and where each value comes from",
		Long: `Prints the configuration that serve would have in effect, as a file: every value, and behind it where
it comes from: a flag or its variable, file and line, another variable, or the default. A secret is
printed as the file refers to it (${VAR}, file:/path). If the file holds the secret itself, a mark is
printed (masked-…), which serve rejects. Without marks, what is printed can be the file of another
server. The first line has the hash by which /readyz and the metrics name it.`,
		Example: `  dragoman config print --config dragoman.yaml
  AWS_REGION=us-east-1 dragoman config print`,
		Args: atMost(0),
	}
	s := newSettings(c).withServing()
	c.RunE = func(_ *cobra.Command, _ []string) error { return printConfig(p, s) }
	return c
}

// printConfig prints the configuration that serve would use on this machine.
func printConfig(p process, s *settings) error {
	cfg, err := s.load(p)
	if err != nil {
		return err
	}
	serve.Bound(cfg, serve.LimitMemory(memlimit.FromCgroup, p.getenv))
	text, err := cfg.Print()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "# config %s\n%s", cfg.Hash(), text)
	return err
}

// configSchemaCommand returns `dragoman config schema`.
func configSchemaCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of the configuration file",
		Long: `Prints the JSON Schema (draft 2020-12) of the configuration file, by which editors complete and check
it while it is written. check knows more: what depends on other values, on files and on variables.`,
		Example: `  dragoman config schema > dragoman.schema.json`,
		Args:    atMost(0),
	}
	c.RunE = func(_ *cobra.Command, _ []string) error {
		_, err := p.stdout.Write(config.Schema())
		return err
	}
	return c
}
