package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/proxy/nearest"
	"dragoman/translate"
)

func parseCommand() command {
	return command{
		name:     "parse",
		synopsis: "--request FILE [--format NAME] [--stop REASON[=SEQUENCE]] [--chunk N] [--events] [FILE]\n       dragoman parse --jsonl [--format NAME] [FILE]",
		brief:    "read a completion as the message a client would get",
		about: `
Reads the text of a completion from FILE or standard input, and the Messages request it answers from
the file of --request, and prints the message as JSON, or with --events each event of the stream.
The network and the configuration are not used. The names of tools are not checked. A call is read
whichever format it is written in; that of --format is what the model was asked in.

With --jsonl each line is
{"request":{…},"completion":"…","stop_reason":…,"stop_sequence":…,"chunk":N,"format":…}, of which the
first two are needed, and each line out its message, or {"error":{"type":…,"message":…}}.

  dragoman parse --request request.json --stop stop_sequence completion.txt
  dragoman parse --request request.json --events --chunk 1 completion.txt`,
		maxArgs: 1,
		filter:  true,
		setup: func(fs *flagSet) action {
			var f parseFlags
			fs.StringVar(&f.request, "request", "", "the Messages request, in `FILE`")
			fs.StringVar(&f.format, "format", translate.Formats()[0], "the completion is in the format `NAME`: "+strings.Join(parseFormats(), ", "))
			fs.StringVar(&f.stop, "stop", "end_turn", "why the completion ended: `REASON` is end_turn, max_tokens, refusal,\n        model_context_window_exceeded, or stop_sequence, which may name its sequence: stop_sequence="+translate.CallsEnd)
			fs.IntVar(&f.chunk, "chunk", 0, "cut the completion into pieces of `N` bytes; 0: do not cut")
			fs.BoolVar(&f.events, "events", false, "print the events, one JSON object a line")
			fs.BoolVar(&f.lines, "jsonl", false, "read one request and completion a line")
			return func(_ context.Context, p process, args []string) error { return f.run(fs, p, args) }
		},
	}
}

type parseFlags struct {
	request, stop, format string
	chunk                 int
	events, lines         bool
}

// anyFormat stands for all formats.
const anyFormat = "any"

// parseFormats returns the names by which a format can be asked for.
func parseFormats() []string { return append(translate.Formats(), anyFormat) }

// checkFormat returns an error for a name that is none of them.
func checkFormat(name string) error {
	names := parseFormats()
	if slices.Contains(names, name) {
		return nil
	}
	if near := suggest(name, names); near != "" {
		return fmt.Errorf("%q is none; did you mean %q?", name, near)
	}
	return fmt.Errorf("%q is none; there are: %s", name, strings.Join(names, ", "))
}

// suggest returns the name that is meant, whatever its case, "" if none is near.
func suggest(name string, names []string) string {
	return cmp.Or(nearest.Word(name, names), nearest.Word(strings.ToLower(name), names))
}

func (f *parseFlags) run(fs *flagSet, p process, args []string) error {
	if err := checkFormat(f.format); err != nil {
		return usagef("parse: --format: %v", err)
	}
	if f.lines {
		for _, name := range []string{"request", "stop", "chunk", "events"} {
			if from := fs.from[name]; from != "" {
				return usagef("parse: %s does not go with --jsonl: each line says for itself", from)
			}
		}
		in, err := p.input(args)
		if err != nil {
			return err
		}
		defer in.Close()
		return eachLine(in, p.stdout, func(n int, line, dst []byte) ([]byte, error) { return parseLine(n, line, dst, f.format) })
	}
	c := completion{cut: f.chunk, format: f.format}
	var err error
	reason, sequence, _ := strings.Cut(f.stop, "=")
	if c.stop, c.sequence, err = parseStop(reason, sequence); err != nil {
		return usagef("parse: --stop: %v", err)
	}
	switch {
	case f.chunk < 0:
		return usagef("parse: --chunk: %d is less than 0", f.chunk)
	case f.request == "":
		return usagef("parse: --request is missing: the file of the Messages request")
	}
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

func (f *parseFlags) print(p process, c completion) error {
	events, err := c.parse("")
	if err != nil {
		return err
	}
	if !f.events {
		msg, err := translate.Collect(events)
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
		line = append(e.AppendJSON(line[:0]), '\n')
		if _, err := p.stdout.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// completion is a text to parse, and the request it answers.
type completion struct {
	request  []byte // JSON
	text     string
	stop     translate.Stop
	sequence string // "" for the end of the calls
	format   string // a name of parseFormats
	cut      int    // bytes of a chunk; 0: one chunk
}

// parse reads the completion as events. The id of the request seeds theirs.
func (c completion) parse(id string) (iter.Seq2[translate.Event, error], error) {
	req, err := translate.Decode(c.request, translate.DecodeOptions{LooseNames: true})
	if err != nil {
		return nil, err
	}
	req.ID = id
	var target translate.Target // no prefill: the text is the whole answer
	if c.format != anyFormat {
		target.Format = c.format
	}
	prompt, err := translate.Render(req, target)
	if err != nil {
		return nil, err
	}
	if c.stop == translate.StopSequence && c.sequence == "" {
		c.sequence = translate.CallsEnd
		if len(prompt.ClientStops()) < len(prompt.StopSequences) {
			c.sequence = prompt.StopSequences[0]
		}
	}
	return translate.Events(req, prompt, c.chunks), nil
}

// chunks is the completion as an upstream might have sent it, though a real one
// cuts between characters.
func (c completion) chunks(*translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		size := c.cut
		if size == 0 {
			size = max(1, len(c.text))
		}
		for text := c.text; text != ""; {
			n := min(size, len(text))
			if !yield(translate.Chunk{Text: text[:n]}, nil) {
				return
			}
			text = text[n:]
		}
		yield(translate.Chunk{Stop: c.stop, StopSequence: c.sequence}, nil)
	}
}

// stopOf checks why a completion ended. No reason is end_turn, or stop_sequence
// where a sequence is given.
func parseStop(reason, sequence string) (translate.Stop, string, error) {
	stops := []translate.Stop{
		translate.StopEndTurn, translate.StopMaxTokens, translate.StopSequence, translate.StopRefusal, translate.StopContextWindow,
	}
	stop := translate.Stop(reason)
	switch {
	case reason == "" && sequence == "":
		stop = translate.StopEndTurn
	case reason == "":
		stop = translate.StopSequence
	case !slices.Contains(stops, stop):
		return "", "", fmt.Errorf("%q is not a reason: use one of %s", reason, strings.Trim(fmt.Sprint(stops), "[]"))
	}
	if stop != translate.StopSequence && sequence != "" {
		return "", "", fmt.Errorf("%s has no stop sequence: the reason for %q is stop_sequence", stop, sequence)
	}
	return stop, sequence, nil
}

// parsedLine is a line of `parse --jsonl`. Null counts as absent.
type parsedLine struct {
	Request      jsontext.Value            `json:"request"`
	Completion   *string                   `json:"completion"`
	StopReason   string                    `json:"stop_reason"`
	StopSequence string                    `json:"stop_sequence"`
	Chunk        int                       `json:"chunk"`
	Format       *string                   `json:"format"`
	Others       map[string]jsontext.Value `json:",embed"` // slips
}

// parseLine appends the message of line n to dst. The format is for a line that names
// none.
func parseLine(n int, line, dst []byte, format string) ([]byte, error) {
	c, err := readCompletion(line, format)
	if err != nil {
		return dst, err
	}
	events, err := c.parse(fmt.Sprintf("msg_%024d", n))
	if err != nil {
		return dst, asLineError(err)
	}
	msg, err := translate.Collect(events)
	if err != nil {
		return dst, &lineError{"api_error", err.Error()}
	}
	return msg.AppendJSON(dst), nil
}

func readCompletion(line []byte, format string) (completion, error) {
	var l parsedLine
	if len(line) == 0 {
		return completion{}, badLine("the line is empty")
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return completion{}, badLine("the line cannot be read: %v", err)
	}
	names := []string{"request", "completion", "stop_reason", "stop_sequence", "chunk", "format"}
	if others := slices.Sorted(maps.Keys(l.Others)); len(others) > 0 {
		if near := suggest(others[0], names); near != "" {
			return completion{}, badLine("%s: unknown name; did you mean %q?", others[0], near)
		}
		return completion{}, badLine("%s: unknown name; the names here are %s", others[0], strings.Join(names, ", "))
	}
	if l.Format == nil { // null
		l.Format = &format
	}
	switch {
	case l.Request == nil || l.Request.Kind() == 'n':
		return completion{}, badLine("request: missing")
	case l.Completion == nil:
		return completion{}, badLine("completion: missing")
	case l.Chunk < 0:
		return completion{}, badLine("chunk: %d is less than 0", l.Chunk)
	}
	stop, sequence, err := parseStop(l.StopReason, l.StopSequence)
	if err != nil {
		return completion{}, badLine("stop_reason: %v", err)
	}
	if err := checkFormat(*l.Format); err != nil {
		return completion{}, badLine("format: %v", err)
	}
	return completion{l.Request, *l.Completion, stop, sequence, *l.Format, l.Chunk}, nil
}
