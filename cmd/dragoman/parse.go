package main

import (
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
		synopsis: "--request FILE [--stop REASON[=SEQUENCE]] [--chunk N] [--events] [FILE]\n       dragoman parse --jsonl [FILE]",
		brief:    "read a completion as the message a client would get",
		about: `
Reads the text of a completion from FILE or standard input, and the Messages request it answers from
the file of --request, and prints the message as JSON, or with --events each event of the stream.
The network and the configuration are not used. The names of tools are not checked.

With --jsonl each line is {"request":{…},"completion":"…","stop_reason":…,"stop_sequence":…,"chunk":N},
of which the first two are needed, and each line out its message, or {"error":{"type":…,"message":…}}.

  dragoman parse --request request.json --stop stop_sequence completion.txt
  dragoman parse --request request.json --events --chunk 1 completion.txt`,
		maxArgs: 1,
		filter:  true,
		setup: func(fs *flagSet) action {
			var f parseFlags
			fs.StringVar(&f.request, "request", "", "the Messages request, in `FILE`")
			fs.StringVar(&f.stop, "stop", "end_turn", "why the completion ended: `REASON` is end_turn, max_tokens, refusal,\n        model_context_window_exceeded, or stop_sequence, which may name its sequence: stop_sequence="+translate.CallsEnd)
			fs.IntVar(&f.chunk, "chunk", 0, "cut the completion into pieces of `N` bytes; 0: do not cut")
			fs.BoolVar(&f.events, "events", false, "print the events, one JSON object a line")
			fs.BoolVar(&f.lines, "jsonl", false, "read one request and completion a line")
			return func(_ context.Context, p process, args []string) error { return f.run(fs, p, args) }
		},
	}
}

type parseFlags struct {
	request, stop string
	chunk         int
	events, lines bool
}

func (f *parseFlags) run(fs *flagSet, p process, args []string) error {
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
		return eachLine(in, p.stdout, parseLine)
	}
	c := completion{cut: f.chunk}
	var err error
	reason, sequence, _ := strings.Cut(f.stop, "=")
	if c.stop, c.sequence, err = stopOf(reason, sequence); err != nil {
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
	sequence string
	cut      int // bytes of a chunk; 0: one chunk
}

// parse reads the completion as events. The id of the request seeds theirs.
func (c completion) parse(id string) (iter.Seq2[translate.Event, error], error) {
	req, err := translate.Decode(c.request, translate.DecodeOptions{LooseNames: true})
	if err != nil {
		return nil, err
	}
	req.ID = id
	prompt, err := translate.Render(req, translate.Target{}) // no prefill: the text is the whole answer
	if err != nil {
		return nil, err
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
// where a sequence is given; no sequence is the end of the calls.
func stopOf(reason, sequence string) (translate.Stop, string, error) {
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
	switch {
	case stop != translate.StopSequence && sequence != "":
		return "", "", fmt.Errorf("%s has no stop sequence: the reason for %q is stop_sequence", stop, sequence)
	case stop == translate.StopSequence && sequence == "":
		sequence = translate.CallsEnd
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
	Others       map[string]jsontext.Value `json:",embed"` // the user's own, but for slips
}

// parseLine appends the message of line n to dst.
func parseLine(n int, line, dst []byte) ([]byte, error) {
	c, err := completionOf(line)
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

func completionOf(line []byte) (completion, error) {
	var l parsedLine
	if len(line) == 0 {
		return completion{}, badLine("the line is empty")
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return completion{}, badLine("the line cannot be read: %v", err)
	}
	names := []string{"request", "completion", "stop_reason", "stop_sequence", "chunk"}
	for _, name := range slices.Sorted(maps.Keys(l.Others)) {
		if near := nearest.Word(name, names); near != "" {
			return completion{}, badLine("%s: unknown name; did you mean %q?", name, near)
		}
	}
	switch {
	case l.Request == nil || l.Request.Kind() == 'n':
		return completion{}, badLine("request: missing")
	case l.Completion == nil:
		return completion{}, badLine("completion: missing")
	case l.Chunk < 0:
		return completion{}, badLine("chunk: %d is less than 0", l.Chunk)
	}
	stop, sequence, err := stopOf(l.StopReason, l.StopSequence)
	if err != nil {
		return completion{}, badLine("stop_reason: %v", err)
	}
	return completion{l.Request, *l.Completion, stop, sequence, l.Chunk}, nil
}
