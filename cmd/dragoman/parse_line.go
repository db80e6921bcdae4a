package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// parsedLine is one line of `parse --jsonl`. A null field counts as missing.
type parsedLine struct {
	Request      jsontext.Value            `json:"request"`
	Completion   *string                   `json:"completion"`
	StopReason   string                    `json:"stop_reason"`
	StopSequence string                    `json:"stop_sequence"`
	Chunk        int                       `json:"chunk"`
	Format       *string                   `json:"format"`
	Accept       string                    `json:"accept"`
	QuotedCalls  string                    `json:"quoted_calls"`
	Thinking     *string                   `json:"thinking"`
	Unasked      string                    `json:"unasked_thinking"`
	ID           jsontext.Value            `json:"id"`       // for eval
	Expected     jsontext.Value            `json:"expected"` // for eval
	Others       map[string]jsontext.Value `json:",embed"`   // unknown fields: each is an error
}

// parseLine appends to dst the message for line n, with a field for the outcomes of its calls. The error is a
// *lineError, or an error of the program itself. The flags apply where the line does not decide.
func (f *parseFlags) parseLine(n int, line, dst []byte) ([]byte, error) {
	c, err := f.readCompletion(line)
	if err != nil {
		return dst, err
	}
	events, err := c.parse(fmt.Sprintf("msg_%024d", n))
	if err != nil {
		return dst, asLineError(err)
	}
	msg, err := messages.Collect(events)
	if err != nil {
		return dst, &lineError{messages.ErrorAPI, err.Error()}
	}
	dst = msg.AppendJSON(dst)
	dst = messages.AppendOutcomes(append(dst[:len(dst)-1], `,"outcomes":`...), msg.Outcomes)
	return append(dst, '}'), nil
}

// readCompletion returns the completion of a line. The error is a *lineError.
func (f *parseFlags) readCompletion(line []byte) (completion, error) {
	var l parsedLine
	if len(line) == 0 {
		return completion{}, badLine("the line is empty")
	}
	var misplaced *json.SemanticError
	if err := json.Unmarshal(line, &l); errors.As(err, &misplaced) && misplaced.GoType != nil { // the error's own text names the Go type
		at := cmp.Or(strings.TrimPrefix(string(misplaced.JSONPointer), "/"), "the line cannot be read")
		return completion{}, badLine("%s: this should not be of the kind %s", at, misplaced.JSONKind)
	} else if err != nil {
		return completion{}, badLine("the line cannot be read: %v", err)
	}
	names := []string{"request", "completion", "stop_reason", "stop_sequence", "chunk", "format", "accept", "quoted_calls", "thinking", "unasked_thinking", "id", "expected"}
	if others := slices.Sorted(maps.Keys(l.Others)); len(others) > 0 {
		if near := suggest(others[0], names); near != "" {
			return completion{}, badLine("%s: unknown name; did you mean %q?", others[0], near)
		}
		return completion{}, badLine("%s: unknown name; the names here are %s", others[0], strings.Join(names, ", "))
	}
	if l.Format == nil { // null
		l.Format = &f.format
	}
	if l.Thinking == nil {
		l.Thinking = &f.thinking
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
	if err := checkWord(*l.Format, parseFormats()); err != nil {
		return completion{}, badLine("format: %v", err)
	}
	if *l.Thinking != "" {
		if err := checkWord(*l.Thinking, thinkings); err != nil {
			return completion{}, badLine("thinking: %v", err)
		}
	}
	for _, key := range []struct {
		name, value string
		values      []string
	}{
		{"quoted_calls", l.QuotedCalls, []string{translate.QuotedText, translate.QuotedRead}},
		{"unasked_thinking", l.Unasked, []string{translate.UnaskedBlock, translate.UnaskedText, translate.UnaskedHide}},
	} {
		if key.value == "" {
			continue
		}
		if err := checkWord(key.value, key.values); err != nil {
			return completion{}, badLine("%s: %v", key.name, err)
		}
	}
	options := translate.ModelOptions{Format: *l.Format, Thinking: *l.Thinking, QuotedCalls: l.QuotedCalls, UnaskedThinking: l.Unasked}
	if l.Accept != "" {
		options.Accept = strings.Split(l.Accept, ",")
	}
	return completion{request: l.Request, text: *l.Completion, stop: stop, sequence: sequence, cut: l.Chunk, options: options}, nil
}
