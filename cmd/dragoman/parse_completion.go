package main

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"dragoman/proxy/nearest"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// completion is a text to parse, its request, and how it ended.
type completion struct {
	request  []byte // JSON
	text     string
	stop     messages.Stop
	sequence string // "" for the end of the calls
	cut      int    // bytes of a chunk; 0: one chunk

	// The keys of the model's entry that decide how its answer is read. Format is one of parseFormats. Without Thinking
	// and UnaskedThinking, these are as in most models of the format.
	options translate.ModelOptions
}

// parse returns the events that a client would get. Their ids are made from id, so the same input gives the same
// output. An error in the request is a *messages.InvalidRequestError.
func (c completion) parse(id string) (iter.Seq2[messages.Event, error], error) {
	req, err := messages.Decode(c.request, messages.DecodeOptions{LooseNames: true})
	if err != nil {
		return nil, err
	}
	req.ID = id
	target := translate.Target{ModelOptions: c.options} // no prefill, so the text is the whole answer
	format, accept := c.options.Format, ""
	switch {
	case format == anyFormat:
		target.Format, accept = "", translate.AcceptAll
	case !slices.Contains(translate.Formats(), format): // a format that prompts do not use
		target.Format, accept = translate.FormatJSON, format
	}
	if accept != "" && len(target.Accept) == 0 {
		target.Accept = []string{accept}
	}
	if format != translate.FormatLegacy && format != translate.FormatAttribute { // formats whose models do not think unasked
		target.Thinking, target.UnaskedThinking = cmp.Or(target.Thinking, translate.ThinkingMaybe), cmp.Or(target.UnaskedThinking, translate.UnaskedBlock)
	}
	prompt, err := translate.Render(req, target)
	if err != nil {
		return nil, err
	}
	if c.stop == messages.StopSequence && c.sequence == "" {
		c.sequence = translate.CallsEnd
		if len(prompt.ClientStops()) < len(prompt.StopSequences) {
			c.sequence = prompt.StopSequences[0]
		}
	}
	return translate.Events(req, prompt, c.chunks), nil
}

// chunks returns the completion in pieces of c.cut bytes. Real upstreams cut between characters; here a cut may be
// anywhere, which is harder.
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

// stops are the reasons why a completion can end.
var stops = []messages.Stop{
	messages.StopEndTurn, messages.StopMaxTokens, messages.StopSequence, messages.StopRefusal, messages.StopContextWindow,
}

// stopWords returns the stops as words.
func stopWords() (words []string) {
	for _, stop := range stops {
		words = append(words, string(stop))
	}
	return words
}

// parseStop returns why a completion ended. Without a reason that is end_turn or, with a sequence, stop_sequence. The
// error says what does not go together.
func parseStop(reason, sequence string) (messages.Stop, string, error) {
	stop := messages.Stop(reason)
	switch {
	case reason == "" && sequence == "":
		stop = messages.StopEndTurn
	case reason == "":
		stop = messages.StopSequence
	default:
		if err := checkWord(reason, stopWords()); err != nil {
			return "", "", err
		}
	}
	if stop != messages.StopSequence && sequence != "" {
		return "", "", fmt.Errorf("%s has no stop sequence: with %q, the reason is stop_sequence", stop, sequence)
	}
	return stop, sequence, nil
}

// thinkings are the values of --thinking.
var thinkings = []string{translate.ThinkingMarked, translate.ThinkingMaybe, translate.ThinkingOpen}

// anyFormat is the name for all formats.
const anyFormat = "any"

// parseFormats returns the values of --format.
func parseFormats() []string { return append(translate.AcceptedFormats(), anyFormat) }

// suggest returns the name that a mistyped name probably means; "" if none is near. Case does not matter.
func suggest(name string, names []string) string {
	return cmp.Or(nearest.Word(name, names), nearest.Word(strings.ToLower(name), names))
}
