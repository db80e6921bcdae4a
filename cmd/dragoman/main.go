// Command dragoman serves the Messages API with tools in front of models that
// only complete text.
//
// Each command is a value of type [command] and has a file of its own: serve is made by
// [serveCommand] in serve.go. What several commands share:
//
//	main, command, process   the command line: help, flags, exit codes
//	settings                 the flags for a configuration, and what is made of it
//	site, connections        the two listeners of a server, and the drain
//	reload, log              the configuration read again; the lines of standard error
//	input, completion        files and JSON lines; a completion that is parsed
//
// Only this package reads the environment and the command line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"dragoman/cmd/dragoman/internal/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once, unless the command waits for it
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// The exit codes. They are part of the interface: scripts rely on them.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 78 // EX_CONFIG of sysexits.h
)

// run carries out one command line, without the program's name, and returns the exit code.
// It returns early when ctx ends. It touches nothing of the process but its parameters, so
// that tests call it as the shell would.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	p := process{stdin, stdout, stderr, getenv}
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	if name == "-h" || name == "--help" || name == "-help" {
		name = "help"
	}
	for _, c := range append(commands(), helpCommand()) {
		if c.name == name {
			return exitCode(p, c.name, c.run(ctx, p, args))
		}
	}
	return exitCode(p, "help", unknownCommand(name))
}

// commands returns all commands, in the order of the overview.
func commands() []command {
	return []command{
		serveCommand(),
		runCommand(),
		demoCommand(),
		checkCommand(),
		renderCommand(),
		parseCommand(),
		evalCommand(),
		modelsCommand(),
		healthcheckCommand(),
		versionCommand(),
		completionCommand(),
		manCommand(),
		completeCommand(),
	}
}

// shownCommands returns the commands that the help names.
func shownCommands() []command {
	return slices.DeleteFunc(commands(), func(c command) bool { return c.hidden })
}

// helpCommand is `dragoman help`. It is none of commands, whose names are its words.
func helpCommand() command {
	var names []string
	for _, c := range shownCommands() {
		names = append(names, c.name)
	}
	return command{
		name:     "help",
		synopsis: "[COMMAND]",
		about:    "Prints what the program is for and its commands, or what a command does and its flags.",
		maxArgs:  1,
		words:    names,
		setup: func(*flagSet) action {
			return func(_ context.Context, p process, args []string) error { return help(p, args) }
		},
	}
}

// help prints the overview or, if args names a command, its help.
func help(p process, args []string) error {
	if len(args) == 0 {
		return overview(p.stdout)
	}
	i := slices.IndexFunc(shownCommands(), func(c command) bool { return c.name == args[0] })
	return shownCommands()[i].help(p.stdout)
}

// startHere is what to try first.
const startHere = `  dragoman demo                         see one tool call, from request to answer
  dragoman serve --simulated            serve the built-in model: no account, no network
  AWS_REGION=us-east-1 dragoman serve   serve Amazon Bedrock, with your AWS credentials
  dragoman run --simulated -- COMMAND   serve while COMMAND runs, which is pointed here`

// overview prints what the program is for and its commands.
func overview(w io.Writer) error {
	var s strings.Builder
	s.WriteString(`Dragoman serves the Messages API with tools in front of models that only complete text.

Usage: dragoman COMMAND [flags]

`)
	for _, c := range shownCommands() {
		fmt.Fprintf(&s, "  %-12s %s\n", c.name, c.brief)
	}
	s.WriteString(`
Start here:
` + startHere + `

A flag --some-name can be given as the environment variable DRAGOMAN_SOME_NAME.
Flags win over the environment, the environment over the file of --config.
Exit codes: 0 ok, 1 failure while running, 2 usage, 78 configuration.
For one command: dragoman COMMAND -h
`)
	_, err := io.WriteString(w, s.String())
	return err
}

// unknownCommand returns a usage error that suggests the nearest command.
func unknownCommand(name string) error {
	var names []string
	for _, c := range shownCommands() {
		names = append(names, c.name)
	}
	if near := suggest(name, names); near != "" {
		return usagef("unknown command %q; did you mean %q?", name, near)
	}
	return usagef("unknown command %q", name)
}

// exitCode prints an error, with what to do about it, and returns the exit code for it.
// command is the one whose help a usage error points to.
func exitCode(p process, command string, err error) int {
	text := "" // of files and servers, too: a terminal may show it
	if err != nil {
		text = printableLines(err.Error())
	}
	var usage *usageError
	var problems config.Problems
	var logged *loggedError
	var ended *exitStatus
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		more := "dragoman " + command + " -h"
		if command == "help" {
			more = "dragoman help"
		}
		fmt.Fprintf(p.stderr, "dragoman: %s\nFor the usage: %s\n", text, more)
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
