package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// parseCommand returns `dragoman parse`.
func parseCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "parse [flags] [FILE]",
		Short: "read a completion as the message a client would get",
		Long: `Reads the text of a completion from FILE or standard input, and the Messages request that it answers
from the file of --request. It prints the message as JSON, or with --events each event of the stream.
parse uses neither the network nor the configuration, and does not check the names of tools.

--format names the format in which the model was asked. parse reads calls in that format and in legacy,
attribute and json; with any, in every format.

A </think> that nothing opened ends thinking, and calls before it are part of the thinking. --thinking
says how thinking begins: marked (the model opens it), open (the completion begins inside it) or maybe
(either). The default is marked in legacy and attribute, and maybe in the other formats.

--verbose prints on standard error how each call was read: the tool, the outcome and the reason, as the
metric dragoman_tool_calls_total counts them.

With --jsonl each input line is {"request":{…},"completion":"…","stop_reason":…,"stop_sequence":…,
"chunk":N,"format":…,"accept":…,"quoted_calls":…,"thinking":…,"unasked_thinking":…}. request and
completion are required. Each output line is the message, with the outcomes of its calls under
"outcomes", or {"error":{"type":…,"message":…}}. The inspector saves a case as such a line.`,
		Example: `  dragoman parse --request request.json --stop stop_sequence completion.txt
  dragoman parse --request request.json --events --chunk 1 completion.txt
  dragoman parse --jsonl --format glm --thinking marked < completions.jsonl > messages.jsonl`,
		Args:              atMost(1),
		ValidArgsFunction: files(1),
	}
	var f parseFlags
	c.Flags().StringVar(&f.request, "request", "", "the Messages request, in `FILE`")
	oneOf(c, &f.format, "format", translate.Formats()[0], parseFormats(), "the completion is in the format `NAME`")
	oneOf(c, &f.thinking, "thinking", "", thinkings, "`HOW` thinking begins in the completion")
	f.stop.reason = messages.StopEndTurn
	c.Flags().Var(&f.stop, "stop", "why the completion ended: `REASON`; stop_sequence may name its sequence: stop_sequence="+translate.CallsEnd)
	c.Flags().IntVar(&f.chunk, "chunk", 0, "cut the completion into pieces of `N` bytes; 0: do not cut")
	c.Flags().BoolVar(&f.events, "events", false, "print the events, one JSON object a line")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "print on standard error how each call was read")
	c.Flags().BoolVar(&f.lines, "jsonl", false, "read one request and completion a line")
	c.RunE = interruptible(func(c *cobra.Command, args []string) error { return f.run(c.Flags(), p, args) })
	return c
}

// parseFlags are the flags of the command.
type parseFlags struct {
	request          string
	format, thinking string
	stop             stopValue
	chunk            int
	events, lines    bool // --events and --jsonl
	verbose          bool
}

// stopValue is the value of --stop: REASON or REASON=SEQUENCE.
type stopValue struct {
	reason   messages.Stop
	sequence string // "" for none
}

func (v *stopValue) String() string {
	if v.sequence == "" {
		return string(v.reason)
	}
	return string(v.reason) + "=" + v.sequence
}

// Type decides how the help shows a default.
func (v *stopValue) Type() string { return "string" }

// Set reads the value. The error says what does not go together.
func (v *stopValue) Set(s string) (err error) {
	reason, sequence, _ := strings.Cut(s, "=")
	v.reason, v.sequence, err = parseStop(reason, sequence)
	return err
}

// run parses one completion, or with --jsonl one for each line.
func (f *parseFlags) run(flags *pflag.FlagSet, p process, args []string) error {
	if f.lines {
		// Such a flag would have no effect, wherever it was set, also in the environment.
		for _, name := range []string{"request", "stop", "chunk", "events", "verbose"} {
			if from := from(flags, name); from != "" {
				return usagef("%s cannot be used with --jsonl: each line sets this itself", from)
			}
		}
		in, err := p.input(args)
		if err != nil {
			return err
		}
		defer in.Close()
		return eachLine(in, p.stdout, func(n int, line, dst []byte) ([]byte, error) { return f.parseLine(n, line, dst) })
	}
	switch {
	case f.chunk < 0:
		return usagef("--chunk: %d is less than 0", f.chunk)
	case f.request == "":
		return usagef("--request is missing: name the file of the Messages request")
	}
	c := completion{
		cut: f.chunk, stop: f.stop.reason, sequence: f.stop.sequence,
		options: translate.ModelOptions{Format: f.format, Thinking: f.thinking},
	}
	var err error
	if c.request, err = os.ReadFile(f.request); err != nil {
		return err
	}
	text, err := p.readAll(args)
	if err != nil {
		return err
	}
	c.text = string(text)
	return f.print(p, c)
}

// print prints the message of a completion or, with --events, its events. The ids are not random, so the same input
// gives the same output.
func (f *parseFlags) print(p process, c completion) error {
	events, err := c.parse("")
	if err != nil {
		return err
	}
	if f.verbose {
		events = printOutcomes(p.stderr, events)
	}
	if !f.events {
		msg, err := messages.Collect(events)
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(append(msg.AppendJSON(nil), '\n'))
		return err
	}
	var line []byte
	for e, err := range events {
		if err != nil {
			return err
		}
		if e.Type == messages.Pause {
			continue
		}
		line = append(e.AppendJSON(line[:0]), '\n')
		if _, err := p.stdout.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// printOutcomes passes events on, and prints a line for each call about how it was read.
func printOutcomes(w io.Writer, events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		for e, err := range events {
			if err == nil && e.Type == messages.MessageDelta {
				for _, o := range e.Message.Outcomes {
					fmt.Fprintf(w, "%s: %s (%s)\n", cmp.Or(o.Tool, "a call without a name"), o.Kind, o.Reason.String())
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
