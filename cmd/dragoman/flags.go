package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dragoman/cmd/dragoman/internal/config"
)

// variable returns the name of a flag's environment variable.
func variable(name string) string {
	return "DRAGOMAN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// fromVariable is the annotation of a flag that the environment has set.
const fromVariable = "variable"

// from returns where a flag was set: "--listen" or "DRAGOMAN_LISTEN"; "" if it was not set.
func from(flags *pflag.FlagSet, name string) string {
	switch f := flags.Lookup(name); {
	case f == nil || !f.Changed:
		return ""
	case f.Annotations[fromVariable] != nil:
		return variable(name)
	}
	return "--" + name
}

// environment sets the flags that the command line did not set. An empty variable counts as not set. The error is
// config.Problems.
func environment(flags *pflag.FlagSet, getenv func(string) string) error {
	var problems config.Problems
	flags.VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value := getenv(name)
		if f.Changed || value == "" || f.Name == "help" || f.Name == "version" {
			return
		}
		if err := f.Value.Set(value); err != nil {
			problems = append(problems, config.Problem{
				Where: name, Key: "--" + f.Name, Cause: valueError(f, value, err).Error(), Fix: "change or unset the variable",
			})
		}
		f.Changed, f.Annotations = true, map[string][]string{fromVariable: {name}}
	})
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// flagError turns an error of pflag into a usage error that suggests the nearest flag.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch words := c.Flags().Args(); {
	case c.HasSubCommands() && len(words) > 0: // an unknown command, with flags
		return unknownCommand(c, words[0])
	case errors.As(err, &unknown):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name = "-" + letters
		}
		return usagef("unknown flag %s%s", name, meant(name, names))
	case errors.As(err, &missing):
		f := missing.GetFlag()
		placeholder, _ := pflag.UnquoteUsage(f)
		return usagef("--%s needs a value: %s", f.Name, placeholder)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return usagef("--%s: %v", f.Name, valueError(f, invalid.GetValue(), errors.Unwrap(invalid)))
	}
	return usagef("%v", err)
}

// valueError returns the error for a value that a flag does not accept.
func valueError(f *pflag.Flag, value string, err error) error {
	switch f.Value.Type() {
	case "bool":
		return fmt.Errorf("%q is neither true nor false", value)
	case "int":
		return fmt.Errorf("%q is not a whole number", value)
	}
	return err
}

// describeFlags adds values and variables to the usage of flags, for a command and all its subcommands, and sets how
// shells complete them.
func describeFlags(p process, c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if complete := completer(p, f); complete != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // fails if it is called twice
		}
		if words := wordsOf(f); words != nil {
			f.Usage += ": " + strings.Join(words, ", ")
		}
		f.Usage += " [" + variable(f.Name) + "]"
	})
	for _, below := range c.Commands() {
		describeFlags(p, below)
	}
}

// atMost returns a usage error for more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("unexpected argument %q", args[n])
		}
		return nil
	}
}

// oneOf declares a flag whose value is one of words.
func oneOf(c *cobra.Command, value *string, name, byDefault string, words []string, usage string) {
	*value = byDefault
	c.Flags().Var(choice{value, words}, name, usage)
}

// choice is the value of a flag that is one of words.
type choice struct {
	value *string
	words []string
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type decides how the help shows a default.
func (c choice) Type() string { return "string" }

// Set sets the value. The error suggests a word.
func (c choice) Set(s string) error {
	if err := checkWord(s, c.words); err != nil {
		return err
	}
	*c.value = s
	return nil
}

// wordsOf returns the values that a flag can have; nil if any value is allowed.
func wordsOf(f *pflag.Flag) []string {
	switch value := f.Value.(type) {
	case choice:
		return value.words
	case choices:
		return value.words
	case *stopValue:
		return stopWords()
	}
	return nil
}

// someOf declares a flag whose value is a comma-separated list of words. The default is the first few of them.
func someOf(c *cobra.Command, values *[]string, name string, words []string, few int, usage string) {
	*values = words[:few]
	c.Flags().Var(choices{values, words}, name, usage)
}

// choices is the value of a flag that is a list of words.
type choices struct {
	values *[]string
	words  []string
}

func (c choices) String() string {
	if c.values == nil {
		return ""
	}
	return strings.Join(*c.values, ",")
}

// Type decides how the help shows a default.
func (c choices) Type() string { return "string" }

// Set sets the values, without duplicates.
func (c choices) Set(s string) error {
	var values []string
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		if err := checkWord(word, c.words); err != nil {
			return err
		}
		if !slices.Contains(values, word) {
			values = append(values, word)
		}
	}
	*c.values = values
	return nil
}

// checkWord returns an error for a word that is not in words, with a suggestion.
func checkWord(s string, words []string) error {
	if slices.Contains(words, s) {
		return nil
	}
	if near := meant(s, words); near != "" {
		return fmt.Errorf("unknown value %q%s", s, near)
	}
	return fmt.Errorf("unknown value %q; use one of: %s", s, strings.Join(words, ", "))
}

// meant returns a question that suggests the nearest of words; "" if none is near.
func meant(word string, words []string) string {
	if near := suggest(word, words); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
