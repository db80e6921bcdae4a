package simulated

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// signature begins all prose of the simulated model.
const signature = "[simulated] "

// completion returns everything that the simulated model would write if nothing stopped
// it.
func (r *parsedPrompt) completion() string {
	// Of a prefill with several calls the last may be open.
	if at := strings.LastIndex(r.prefill, r.speech.opens); at >= 0 && !strings.Contains(r.prefill[at:], r.speech.closes) {
		return r.finish(r.prefill[at:])
	}
	if r.asked && len(r.tools) > 0 {
		return r.calls(r.demanded())
	}
	if r.format != "" && (r.returned() || len(r.choose()) == 0) {
		return string(r.question.value(jsontext.Value(r.format), readDefinitions(r.format), 0))
	}
	text := signature + r.proseAnswer()
	// The answer goes on with a prefill in prose as with a sentence.
	if r.prefill != "" && !strings.HasSuffix(r.prefill, "\n") {
		text = " " + text
	}
	return text
}

// returned reports whether the last human turn holds results of tools.
func (r *parsedPrompt) returned() bool { return strings.Contains(r.last, r.speech.resultsStart) }

// proseAnswer returns prose, and after it a call where a tool fits the question.
func (r *parsedPrompt) proseAnswer() string {
	switch {
	case !r.returned():
	case r.speech == &jsonSpeech:
		return reportJSON(r.last)
	default:
		return report(r.last)
	}
	if chosen := r.choose(); len(chosen) > 0 {
		return "I will call " + join(chosen) + ".\n\n" + r.calls(chosen)
	}
	said := "You said: " + r.question.text
	if r.question.text == "" {
		said = "You said nothing in words."
	}
	if len(r.tools) > 0 {
		return "None of the tools fits. " + said
	}
	return said
}

// join returns the names of tools as they stand in a sentence.
func join(tools []shownTool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return strings.Join(names, " and ")
}

// finish returns the rest of a call that the prefill has begun. written is the prefill
// from the tag that opens the call to the end of the prefill. If written has the name of a
// tool, or the beginning of a name, only a tool of that name is called. If written is not
// the beginning of the call that the simulated model would write, finish returns only
// closing tags for what is open.
func (r *parsedPrompt) finish(written string) string {
	candidates := r.tools
	if name, ok := between(written, r.speech.nameBefore, r.speech.nameAfter); ok {
		candidates = []shownTool{{name: name}}
		for _, t := range r.tools {
			if t.name == name {
				candidates[0] = t
			}
		}
	} else if begun := afterLast(written, r.speech.nameBefore); begun != "" {
		candidates = nil
		for _, t := range r.tools {
			if strings.HasPrefix(t.name, strings.TrimSpace(begun)) {
				candidates = append(candidates, t)
			}
		}
	}
	// The call is written anew, and what the prefill has of it is left out.
	if len(candidates) > 0 {
		if rest, ok := remainder(r.calls([]shownTool{r.best(candidates)}), written); ok {
			return rest
		}
	}
	return closeTags(written)
}

// remainder returns what is left of markup once written, which is the beginning of it,
// is there. White space is not compared. It is false if written is no beginning of
// markup.
func remainder(markup, written string) (string, bool) {
	i := 0
	for _, c := range []byte(written) {
		if blank(c) {
			continue
		}
		for i < len(markup) && blank(markup[i]) {
			i++
		}
		if i == len(markup) || markup[i] != c {
			return "", false
		}
		i++
	}
	if blank(written[len(written)-1]) { // the prefill has the line break between two tags already
		return strings.TrimLeft(markup[i:], " \n"), true
	}
	return markup[i:], true
}

// closeTags returns the tags that close the elements which written leaves open, the
// innermost first.
func closeTags(written string) string {
	var open []string
	for {
		tag, ok := between(written, "<", ">")
		if !ok {
			break
		}
		_, written, _ = strings.Cut(written, ">")
		if !strings.HasPrefix(tag, "/") {
			open = append(open, tag)
		} else if n := len(open); n > 0 {
			open = open[:n-1]
		}
	}
	var out strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		out.WriteString("</" + open[i] + ">")
		if i > 0 {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// calls returns calls to the tools, with all that stands around them.
func (r *parsedPrompt) calls(tools []shownTool) string {
	var out strings.Builder
	values := r.question // each value takes its words out of the question
	out.WriteString(r.speech.before)
	for _, t := range tools {
		out.WriteString(r.speech.call(t, &values))
	}
	out.WriteString(r.speech.after)
	return out.String()
}
