package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// command is what the first word after the program's name asks for.
type command struct {
	name     string                // the word
	synopsis string                // what may follow the name
	brief    string                // for the overview
	about    string                // for the command's own help: what it does, with examples
	maxArgs  int                   // arguments beside flags
	argument string                // what the arguments are, for shells to complete: FILE or COMMAND; "" for neither
	words    []string              // that the first of them may be; nil: any
	wrapping bool                  // the arguments are a command line of their own: its flags are not ours
	hidden   bool                  // it is for our own scripts, and no help names it
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
	args, err := flags.parse(args, c.wrapping, p.getenv)
	if errors.Is(err, flag.ErrHelp) {
		return c.help(p.stdout)
	}
	if err == nil {
		err = c.check(args)
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return usagef("%s: %v", c.name, err)
	}
	if err != nil {
		return err
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

// check returns a usage error for arguments that are too many, or not among the words.
func (c command) check(args []string) error {
	if len(args) > c.maxArgs && !c.wrapping {
		return usagef("unexpected argument %q", args[c.maxArgs])
	}
	if len(args) > 0 && c.words != nil {
		if err := checkWord(args[0], c.words); err != nil {
			return usagef("%v", err)
		}
	}
	return nil
}

// help prints what the command does and its flags.
func (c command) help(w io.Writer) error {
	flags := newFlagSet()
	c.setup(flags)
	var s strings.Builder
	fmt.Fprintf(&s, "Usage: %s\n\n%s\n", strings.TrimSpace("dragoman "+c.name+" "+c.synopsis), strings.TrimSpace(c.about))
	heading := "\nFlags:\n" // before the first flag, if there is one
	flags.VisitAll(func(f *flag.Flag) {
		name, usage := describe(f)
		fmt.Fprintf(&s, "%s  %s\n        %s\n", heading, name, usage)
		heading = ""
	})
	_, err := io.WriteString(w, s.String())
	return err
}

// describe returns a flag with its placeholder, and what it is for: its values, its default and its
// variable.
func describe(f *flag.Flag) (name, usage string) {
	value, usage := flag.UnquoteUsage(f)
	if words := wordsOf(f); words != nil {
		usage += ": " + strings.Join(words, ", ")
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return strings.TrimSpace("--" + f.Name + " " + value), usage + " [" + variable(f.Name) + "]"
}
