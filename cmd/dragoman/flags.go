package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"dragoman/cmd/dragoman/internal/config"
)

// flagSet has the flags of a command, and remembers where each of them was set.
type flagSet struct {
	*flag.FlagSet
	from map[string]string // by the name of the flag: "--listen" or "DRAGOMAN_LISTEN"
}

// newFlagSet returns an empty set. Nothing is printed by package flag.
func newFlagSet() *flagSet {
	fs := &flagSet{flag.NewFlagSet("", flag.ContinueOnError), map[string]string{}}
	fs.SetOutput(io.Discard)
	return fs
}

// variable returns the name of the environment variable of a flag.
func variable(name string) string {
	return "DRAGOMAN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// parse reads the flags, which may stand before, between and after the other arguments, and
// returns the other arguments; with wrapping, all from the first that is no flag on. Flags that
// are not given are taken from the environment. The error is flag.ErrHelp, a usage error, or
// config.Problems.
//
// The syntax is that of package flag, which stops at the first argument that is no flag, and whose
// errors do not tell which flag was meant.
func (fs *flagSet) parse(args []string, wrapping bool, getenv func(string) string) (others []string, err error) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(others, args...), fs.environment(getenv)
		case len(arg) > 1 && arg[0] == '-':
			if args, err = fs.take(arg, args); err != nil {
				return nil, err
			}
		case wrapping:
			return append(append(others, arg), args...), fs.environment(getenv)
		default:
			others = append(others, arg)
		}
	}
	return others, fs.environment(getenv)
}

// take sets the flag of an argument. Its value may be the first of rest: take returns those that
// are left of them. The error is flag.ErrHelp or a usage error.
func (fs *flagSet) take(arg string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	f := fs.Lookup(name)
	switch {
	case f == nil && (name == "h" || name == "help"):
		return nil, flag.ErrHelp
	case f == nil:
		return nil, fs.unknown(name)
	case !given && isBool(f):
		value = "true"
	case !given && len(rest) == 0:
		placeholder, _ := flag.UnquoteUsage(f)
		return nil, usagef("--%s needs a value: %s", name, placeholder)
	case !given:
		value, rest = rest[0], rest[1:]
	}
	if err := fs.set(f, value); err != nil {
		return nil, usagef("--%s: %v", name, err)
	}
	fs.from[name] = "--" + name
	return rest, nil
}

// unknown returns a usage error that suggests the nearest flag.
func (fs *flagSet) unknown(name string) error {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := suggest(name, names); near != "" {
		return usagef("unknown flag --%s; did you mean --%s?", name, near)
	}
	return usagef("unknown flag --%s", name)
}

// isBool reports whether a flag is true without a value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// set sets a flag. The error says of the value what is wrong with it.
func (fs *flagSet) set(f *flag.Flag, value string) error {
	err := fs.Set(f.Name, value)
	if getter, ok := f.Value.(flag.Getter); ok && err != nil {
		switch getter.Get().(type) {
		case bool:
			return fmt.Errorf("%q is neither true nor false", value)
		case int:
			return fmt.Errorf("%q is not a whole number", value)
		}
	}
	return err
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
		if err := fs.set(f, value); err != nil {
			problems = append(problems, config.Problem{
				Where: name, Key: "--" + f.Name, Cause: err.Error(), Fix: "change or unset the variable",
			})
		}
		fs.from[f.Name] = name
	})
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// oneOf declares a flag whose value is one of words.
func (fs *flagSet) oneOf(value *string, name, byDefault string, words []string, usage string) {
	*value = byDefault
	fs.Var(choice{value, words}, name, usage)
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

// Set sets the value. The error suggests a word.
func (c choice) Set(s string) error {
	if err := checkWord(s, c.words); err != nil {
		return err
	}
	*c.value = s
	return nil
}

// wordsOf returns the values that a flag can have, nil if they are not listed.
func wordsOf(f *flag.Flag) []string {
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

// someOf declares a flag whose value is some of words, with commas between. By default it is the first
// few of them.
func (fs *flagSet) someOf(values *[]string, name string, words []string, few int, usage string) {
	*values = words[:few]
	fs.Var(choices{values, words}, name, usage)
}

// choices is the value of a flag that is some of words.
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

// Set sets the values. One that is named twice is there once.
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

// checkWord returns an error for a word that is not among words, with a suggestion.
func checkWord(s string, words []string) error {
	if slices.Contains(words, s) {
		return nil
	}
	if near := suggest(s, words); near != "" {
		return fmt.Errorf("%q is none; did you mean %q?", s, near)
	}
	return fmt.Errorf("%q is none; there are: %s", s, strings.Join(words, ", "))
}
