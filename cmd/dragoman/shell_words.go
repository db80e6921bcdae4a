package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"dragoman/cmd/dragoman/internal/config"
)

// completeCommand is `dragoman __complete`, which the scripts of `dragoman completion` call.
func completeCommand() command {
	return command{
		name:     "__complete",
		hidden:   true,
		wrapping: true,
		setup: func(*flagSet) action {
			return func(_ context.Context, p process, args []string) error {
				if len(args) == 0 {
					args = []string{""}
				}
				return complete(p, args).write(p.stdout)
			}
		},
	}
}

// proposals are what the last word of a command line can become.
type proposals struct {
	words []word
	kind  string // the shell itself knows them: ":files", ":folders" or ":commands"; "" otherwise
}

// word is one word that is proposed.
type word struct{ text, about string }

// write writes a line for each word, with a tab before what it is about; or the kind.
func (ps proposals) write(w io.Writer) error {
	var s strings.Builder
	for _, p := range ps.words {
		fmt.Fprintf(&s, "%s\t%s\n", p.text, p.about)
	}
	if ps.kind != "" {
		s.WriteString(ps.kind + "\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// complete proposes what the last of args, which may be empty, can become. The program's name is not
// among them.
func complete(p process, args []string) proposals {
	last := args[len(args)-1]
	switch c, before, found := find(args[:len(args)-1]); {
	case found && c.name == helpCommand().name:
		return proposals{words: beginning(last, "", commandWords(before))}
	case found && !c.hidden:
		return c.complete(p, before, last)
	case len(args) == 1:
		return proposals{words: beginning(last, "", append([]word{{"help", "print the help of a command"}}, commandWords(nil)...))}
	}
	return proposals{words: beginning(last, "", commandWords(args[:len(args)-1]))}
}

// commandWords returns what the names of commands go on with behind these words.
func commandWords(before []string) []word {
	var words []word
	for _, c := range shownCommands() {
		name := strings.Fields(c.name)
		if len(name) <= len(before) || !slices.Equal(name[:len(before)], before) {
			continue
		}
		w := word{name[len(before)], c.brief}
		if len(name) > len(before)+1 {
			w.about = "dragoman " + w.text + " COMMAND"
		}
		if !slices.ContainsFunc(words, func(other word) bool { return other.text == w.text }) {
			words = append(words, w)
		}
	}
	return words
}

// complete proposes what the last argument of a command can become behind the others.
func (c command) complete(p process, before []string, last string) proposals {
	flags := newFlagSet()
	c.setup(flags)
	line := c.scan(flags, before)
	name, value, given := strings.Cut(strings.TrimLeft(last, "-"), "=")
	switch f := flags.Lookup(name); {
	case line.open != nil:
		return line.value(p, line.open, "", last)
	case line.ended || !strings.HasPrefix(last, "-"):
		return c.argumentOf(line.others, last)
	case given && f != nil:
		return line.value(p, f, strings.TrimSuffix(last, value), value)
	case given:
		return proposals{}
	}
	var words []word
	flags.VisitAll(func(f *flag.Flag) {
		_, usage := flag.UnquoteUsage(f)
		words = append(words, word{"--" + f.Name, usage})
	})
	return proposals{words: beginning(last, "", words)}
}

// argumentOf proposes what an argument that is no flag can become behind so many others.
func (c command) argumentOf(others int, last string) proposals {
	switch {
	case c.words != nil && others == 0:
		return proposals{words: beginning(last, "", plainWords(c.words))}
	case c.argument == "COMMAND" && others == 0:
		return proposals{kind: ":commands"}
	case c.argument == "COMMAND", c.argument == "FILE" && others == 0:
		return proposals{kind: ":files"}
	}
	return proposals{}
}

// scanned is the beginning of a command line.
type scanned struct {
	open   *flag.Flag        // the last argument is this flag, and its value comes next; nil if it is not
	ended  bool              // what follows is no flag
	others int               // arguments that are no flags
	given  map[string]string // values of flags
}

// scan reads the arguments before the one that is completed, which may make no sense.
func (c command) scan(flags *flagSet, args []string) scanned {
	s := scanned{given: map[string]string{}}
	for _, arg := range args {
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch f := flags.Lookup(name); {
		case s.open != nil:
			s.given[s.open.Name], s.open = arg, nil
		case s.ended:
			s.others++
		case arg == "--":
			s.ended = true
		case !strings.HasPrefix(arg, "-") || arg == "-":
			s.others++
			s.ended = c.wrapping
		case f != nil && given:
			s.given[name] = value
		case f != nil && !isBool(f):
			s.open = f
		}
	}
	return s
}

// value proposes the value of a flag. before is what stands before it in its word: "--name=".
func (s scanned) value(p process, f *flag.Flag, before, last string) proposals {
	if list, ok := f.Value.(choices); ok { // the last of those with commas between
		done := last[:strings.LastIndex(last, ",")+1]
		return proposals{words: beginning(last[len(done):], before+done, plainWords(list.words))}
	}
	if words := wordsOf(f); words != nil {
		return proposals{words: beginning(last, before, plainWords(words))}
	}
	switch placeholder, _ := flag.UnquoteUsage(f); {
	case isBool(f):
		return proposals{words: beginning(last, before, plainWords([]string{"true", "false"}))}
	case placeholder == "FILE":
		return proposals{kind: ":files"}
	case placeholder == "DIR":
		return proposals{kind: ":folders"}
	case placeholder == "MODEL":
		return proposals{words: beginning(last, before, plainWords(s.models(p)))}
	}
	return proposals{}
}

// models returns the names of models that the configuration serves, none if it cannot be read.
func (s scanned) models(p process) []string {
	file := s.given["config"]
	if file == "" {
		file = p.getenv(variable("config"))
	}
	if file == "" {
		return nil
	}
	cfg, err := config.Load(config.Source{File: file, Idle: true, Getenv: p.getenv})
	if err != nil {
		return nil
	}
	return modelNames(cfg)
}

func plainWords(texts []string) []word {
	words := make([]word, len(texts))
	for i, text := range texts {
		words[i].text = text
	}
	return words
}

// beginning returns the words that begin as typed, with what stands before them.
func beginning(typed, before string, words []word) []word {
	var found []word
	for _, w := range words {
		if strings.HasPrefix(w.text, typed) {
			found = append(found, word{before + w.text, w.about})
		}
	}
	return found
}
