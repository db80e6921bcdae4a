// Command dragoman serves the Messages API with tools in front of models that
// only complete text.
//
// Each command is a value of type [command] and has a file of its own: serve is made by
// [serveCommand] in serve.go. What several commands share:
//
//	main, command, process   the command line: commands, help, exit codes
//	flags                    what flags are given, and what they can be
//	settings                 the flags for a configuration, and what is made of it
//	live, fleet              the server that answers new requests, and its upstreams
//	site, connections        the two listeners of a server, and the drain
//	reload, log              the configuration read again; the lines of standard error
//	terminal                 what people see: colours, and texts of others without control characters
//	shell, man               the commands and flags for shells to complete, and as a manual page
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
	switch c, rest, found := find(args); {
	case found:
		return exitCode(p, c.name, c.run(ctx, p, rest))
	case len(args) == 0:
		return exitCode(p, "help", help(p, nil))
	case isHelp(args[0]):
		return exitCode(p, "help", help(p, args[1:]))
	case isGroup(args[0]) && (len(args) == 1 || isHelp(args[1])):
		return exitCode(p, "help", help(p, args[:1]))
	}
	return exitCode(p, "help", unknownCommand(args))
}

// find returns the command that the first words name, and the words after those.
func find(args []string) (c command, rest []string, found bool) {
	for _, c := range append(commands(), helpCommand()) {
		if words := strings.Fields(c.name); len(words) <= len(args) && slices.Equal(words, args[:len(words)]) {
			return c, args[len(words):], true
		}
	}
	return command{}, nil, false
}

func isHelp(word string) bool { return slices.Contains([]string{"-h", "--help", "-help"}, word) }

// isGroup reports whether a word is the first of several commands, such as config.
func isGroup(word string) bool { return len(inGroup(word)) > 0 }

// inGroup returns the commands whose first of two words is this.
func inGroup(word string) []command {
	return slices.DeleteFunc(shownCommands(), func(c command) bool { return !strings.HasPrefix(c.name, word+" ") })
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
		formatsCommand(),
		configPrintCommand(),
		configSchemaCommand(),
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

// helpCommand is `dragoman help`. It is none of commands, which it is about.
func helpCommand() command {
	return command{
		name:     "help",
		synopsis: "[COMMAND]",
		about:    "Prints what the program is for and its commands, or what a command does and its flags.",
		maxArgs:  2,
		setup: func(*flagSet) action {
			return func(_ context.Context, p process, args []string) error { return help(p, args) }
		},
	}
}

// help prints the overview or, if args name a command or the first word of several, its help.
func help(p process, args []string) error {
	if len(args) == 0 {
		return overview(p.stdout)
	}
	if c, rest, found := find(args); found && len(rest) == 0 {
		return c.help(p.stdout)
	}
	if len(args) > 1 || !isGroup(args[0]) {
		return unknownCommand(args)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "Usage: dragoman %s COMMAND [flags]\n\n", args[0])
	for _, c := range inGroup(args[0]) {
		fmt.Fprintf(&s, "  %-14s %s\n", c.name, c.brief)
	}
	_, err := io.WriteString(p.stdout, s.String())
	return err
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
		fmt.Fprintf(&s, "  %-14s %s\n", c.name, c.brief)
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
func unknownCommand(args []string) error {
	name := args[0]
	if isGroup(name) && len(args) > 1 {
		name += " " + args[1]
	}
	var names []string
	for _, c := range shownCommands() {
		first, _, _ := strings.Cut(c.name, " ")
		names = append(names, c.name, first)
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
