// Command dragoman serves the Messages API with tools in front of models that only complete text.
//
// Each command has a file of its own: [serveCommand] in serve.go makes serve. Several commands share:
//
//	main, process            the command line: commands, help, exit codes
//	flags                    which flags are given, and which values they can have
//	shell                    completion in shells
//	settings                 the flags for a configuration, and loading it
//	base_url                 the server of --base-url: its models and its problems
//	signals                  signals that end a drain, or reload the configuration
//	input                    files and JSON lines
//	internal/config          the configuration
//	internal/serve           serving, replacing and draining a configuration
//	internal/logging         the log on standard error
//	internal/terminal        colours, and foreign texts without control characters
//	internal/eval            questions, grades and reports
//
// Only this package reads the environment and the command line.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once, unless the command handles it
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// The exit codes. They are part of the interface: scripts rely on them.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 78 // EX_CONFIG of sysexits.h
)

// run runs one command line, without the program's name, and returns the exit code. It returns early when ctx ends. It
// uses nothing of the process but its parameters, so that tests can call it like a shell.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	p := process{stdin, stdout, stderr, getenv}
	out := &output{Writer: stdout}
	root := rootCommand(p, out)
	root.SetArgs(append([]string{}, args...)) // with nil, cobra would use the process's arguments
	c, err := root.ExecuteContextC(ctx)
	return exitCode(p, c, cmp.Or(err, out.err))
}

// output is where cobra prints. It keeps the error of a write, which cobra drops, and that of a help.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (n int, err error) {
	n, err = o.Writer.Write(p)
	o.err = cmp.Or(o.err, err)
	return n, err
}

// rootCommand returns the program with all its commands. Help goes to out.
func rootCommand(p process, out *output) *cobra.Command {
	root := group("dragoman", "serves the Messages API with tools in front of models that only complete text",
		serveCommand(p), runCommand(p), demoCommand(p), checkCommand(p), renderCommand(p), constrainCommand(p), parseCommand(p), evalCommand(p), modelsCommand(p), formatsCommand(p),
		group("config", "print the configuration, or its schema", configPrintCommand(p), configSchemaCommand(p)),
		healthcheckCommand(p), versionCommand(p), manCommand())
	root.Long = overview
	root.Example = startHere
	root.SilenceErrors, root.SilenceUsage, root.DisableAutoGenTag = true, true, true
	root.SetOut(out)
	root.SetErr(io.Discard) // exitCode prints errors
	root.SetUsageTemplate(usageTemplate)
	root.Version = build().String() // --version and -v
	root.SetVersionTemplate("{{.Version}}\n")
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if words := c.Flags().Args(); c.HasSubCommands() && len(words) > 0 {
			out.err = unknownCommand(c, words[0])
			return
		}
		help(c, args)
	})
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return environment(c.Flags(), p.getenv) }
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "print the help of a command"
			c.Args = func(_ *cobra.Command, args []string) error {
				if c, rest, _ := root.Find(args); len(rest) > 0 {
					return unknownCommand(c, rest[0])
				}
				return nil
			}
		case "completion":
			c.Short = "print the script with which a shell completes commands and flags"
			asGroup(c)
			for _, shell := range c.Commands() {
				shell.Args = atMost(0)
			}
		}
	}
	describeFlags(p, root)
	return root
}

// group returns a command whose subcommands do the work.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name + " COMMAND", Short: short}
	c.AddCommand(commands...)
	return asGroup(c)
}

// asGroup makes a command print its help, and reject unknown subcommands.
func asGroup(c *cobra.Command) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(c, args[0])
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

// unknownCommand returns a usage error that suggests the nearest command.
func unknownCommand(c *cobra.Command, name string) error {
	if name == "explain" { // a route has this name
		return usagef("unknown command %q; run `dragoman render` to see the prompt of a request, or ask a running server: POST /explain on its admin listener", name)
	}
	var names []string
	for _, c := range c.Commands() {
		names = append(names, c.Name())
	}
	return usagef("unknown command %q%s", name, meant(name, names))
}

// interruptible makes a command end with its context, although its input may never end. A read from a terminal or a
// pipe cannot be interrupted; it ends with the process.
func interruptible(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		done := make(chan error, 1)
		go func() { done <- run(c, args) }()
		select {
		case err := <-done:
			return err
		case <-c.Context().Done():
			return errors.New("interrupted")
		}
	}
}

// usageTemplate is the part of a command's help that follows its description.
const usageTemplate = `Usage: {{.UseLine}}
{{if .HasAvailableSubCommands}}
Commands:{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasExample}}
Examples:
{{.Example}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsagesWrapped 120}}{{end}}`

const overview = `Dragoman serves the Messages API with tools in front of models that only complete text.

A flag --some-name can be given as the environment variable DRAGOMAN_SOME_NAME.
Flags win over the environment, the environment over the file of --config.
Exit codes: 0 ok, 1 failure while running, 2 usage, 78 configuration.`

// startHere lists what to try first.
const startHere = `  dragoman demo                         see one tool call, from request to answer
  dragoman serve --simulated            serve the built-in model: no account, no network
  dragoman serve --base-url URL         serve a local server: llama.cpp, Ollama, vLLM, …
  dragoman eval --base-url URL          find out which format its model calls tools best in
  AWS_REGION=us-east-1 dragoman serve   serve Amazon Bedrock, with your AWS credentials
  dragoman run --simulated -- COMMAND   serve while COMMAND runs, which is pointed here`

// exitCode prints a command's error, with what to do about it, and returns the exit code.
func exitCode(p process, c *cobra.Command, err error) int {
	text := "" // the error may quote files and servers, and a terminal may show it
	if err != nil {
		text = terminal.PrintableLines(err.Error())
	}
	var usage *usageError
	var problems config.Problems
	var logged *loggedError
	var ended *exitStatus
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "%s: %s\nFor the usage: %[1]s -h\n", c.CommandPath(), text)
		return exitUsage
	case errors.As(err, &problems):
		fmt.Fprintf(p.stderr, "dragoman: the configuration cannot be used\n%s\n", text)
		return exitConfig
	case errors.As(err, &ended):
		if text != "" {
			fmt.Fprintf(p.stderr, "dragoman: %s\n", text)
		}
		return ended.code
	case errors.As(err, &logged):
		return exitFailed
	default:
		fmt.Fprintf(p.stderr, "dragoman: %s\n", text)
		return exitFailed
	}
}
