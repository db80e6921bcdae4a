package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"dragoman/cmd/dragoman/internal/config"
)

// command is what the first word after the program's name asks for.
type command struct {
	name     string                // the word
	synopsis string                // what may follow the name
	brief    string                // for the overview
	about    string                // for the command's own help: what it does, with examples
	maxArgs  int                   // arguments beside flags
	filter   bool                  // reads an input that may never end: run does not wait for the command when ctx ends
	setup    func(*flagSet) action // declares the flags, and returns what uses their values
}

// action does what a command is for, after its flags have been read. args are the arguments
// that are no flags. It returns a *usageError for arguments that make no sense.
type action func(ctx context.Context, p process, args []string) error

// run reads the flags and does what the command is for. Of a filter it returns when ctx
// ends: a read from a terminal or a pipe cannot be interrupted, and main ends the process.
func (c command) run(ctx context.Context, p process, args []string) error {
	flags := newFlagSet()
	act := c.setup(flags)
	args, err := flags.parse(args, p.getenv)
	if errors.Is(err, flag.ErrHelp) {
		return c.help(p.stdout)
	}
	if err != nil {
		return err
	}
	if len(args) > c.maxArgs {
		return usagef("%s: unexpected argument %q", c.name, args[c.maxArgs])
	}
	if !c.filter {
		return act(ctx, p, args)
	}
	done := make(chan error, 1)
	go func() { done <- act(ctx, p, args) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}

// help prints what the command does and its flags.
func (c command) help(w io.Writer) error {
	flags := newFlagSet()
	c.setup(flags)
	var s strings.Builder
	fmt.Fprintf(&s, "Usage: %s\n\n%s\n", strings.TrimSpace("dragoman "+c.name+" "+c.synopsis), strings.TrimSpace(c.about))
	heading := "\nFlags:\n" // before the first flag, if there is one
	flags.VisitAll(func(f *flag.Flag) {
		s.WriteString(heading)
		heading = ""
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&s, "  %s\n        %s", strings.TrimSpace("--"+f.Name+" "+value), usage)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			fmt.Fprintf(&s, " (default %s)", f.DefValue)
		}
		fmt.Fprintf(&s, " [%s]\n", variable(f.Name))
	})
	_, err := io.WriteString(w, s.String())
	return err
}

// flagSet has the flags of a command, and remembers where each of them was set.
type flagSet struct {
	*flag.FlagSet
	from map[string]string // by the name of the flag: "--listen" or "DRAGOMAN_LISTEN"
}

// newFlagSet returns an empty set. Errors of package flag are returned and not printed.
func newFlagSet() *flagSet {
	fs := &flagSet{flag.NewFlagSet("", flag.ContinueOnError), map[string]string{}}
	fs.SetOutput(io.Discard)
	return fs
}

// variable returns the name of the environment variable of a flag.
func variable(name string) string {
	return "DRAGOMAN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// parse reads the flags, which may stand before, between and after the other arguments,
// and returns the other arguments. Flags that are not given are taken from the
// environment. The error is flag.ErrHelp, a usage error, or config.Problems.
func (fs *flagSet) parse(args []string, getenv func(string) string) ([]string, error) {
	var others []string
	for {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, usagef("%v", err)
		}
		// Package flag stops at the first argument that is no flag. What follows may have
		// flags again, unless -- ended them.
		rest := fs.Args()
		read := len(args) - len(rest)
		if len(rest) == 0 || read > 0 && args[read-1] == "--" {
			others = append(others, rest...)
			break
		}
		others, args = append(others, rest[0]), rest[1:]
	}
	fs.Visit(func(f *flag.Flag) { fs.from[f.Name] = "--" + f.Name })
	return others, fs.environment(getenv)
}

// environment sets the flags that the command line did not set. An empty variable counts
// as one that is not set.
func (fs *flagSet) environment(getenv func(string) string) error {
	var problems config.Problems
	fs.VisitAll(func(f *flag.Flag) {
		name := variable(f.Name)
		value := getenv(name)
		if fs.from[f.Name] != "" || value == "" {
			return
		}
		if err := fs.Set(f.Name, value); err != nil {
			problems = append(problems, config.Problem{
				Where: name, Cause: fmt.Sprintf("%q does not fit --%s: %v", value, f.Name, err), Fix: "change or unset the variable",
			})
		}
		fs.from[f.Name] = name
	})
	if len(problems) > 0 {
		return problems
	}
	return nil
}
