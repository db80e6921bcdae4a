package simulated

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// signature begins all prose of the simulated model.
const signature = "[simulated] "

// completion returns everything that the simulated model would write if nothing stopped
// it.
func (r *parsedPrompt) completion() string {
	// Of a prefill with several calls the last may be open.
	if at := strings.LastIndex(r.prefill, r.speech.opens); at >= 0 && !r.speech.closed(r.prefill[at:]) {
		return r.finish(r.prefill[at:])
	}
	if r.asked && len(r.tools) > 0 {
		return r.calls(r.demanded())
	}
	if r.format != "" && (r.results != "" || len(r.choose()) == 0) {
		return string(r.question.value(jsontext.Value(r.format), readDefinitions(r.format), 0))
	}
	text := signature + r.proseAnswer()
	// The answer goes on with a prefill in prose as with a sentence.
	if r.prefill != "" && !strings.HasSuffix(r.prefill, "\n") {
		text = " " + text
	}
	return text
}

// proseAnswer returns prose, and after it a call where a tool fits the question.
func (r *parsedPrompt) proseAnswer() string {
	if r.results != "" {
		return report(r.results)
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
// from where the call begins to the end of the prefill. If written has the name of a tool,
// or the beginning of a name, only a tool of that name is called. If written is not the
// beginning of the call that the simulated model would write, finish returns only what
// closes all that is open.
func (r *parsedPrompt) finish(written string) string {
	candidates := r.tools
	if name, whole := r.speech.named(written); name != "" {
		candidates = nil
		for _, t := range r.tools {
			if t.name == name {
				candidates = []shownTool{t}
				break
			}
			if !whole && strings.HasPrefix(t.name, name) {
				candidates = append(candidates, t)
			}
		}
		if whole && candidates == nil {
			candidates = []shownTool{{name: name}}
		}
	}
	// The call is written anew, and what the prefill has of it is left out.
	if len(candidates) > 0 {
		if rest, ok := remainder(r.calls([]shownTool{r.best(candidates)}), written); ok {
			return rest
		}
	}
	if r.speech.elements {
		return closeTags(written)
	}
	return closeBrackets(written) + strings.TrimLeft(r.speech.tail+r.speech.after, "})]")
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
	for tag := range eachTag(written) {
		if !strings.HasPrefix(tag, "</") {
			open = append(open, closerOf(tag))
		} else if n := len(open); n > 0 {
			open = open[:n-1]
		}
	}
	slices.Reverse(open)
	return strings.Join(open, "\n")
}

// closeBrackets returns what closes the string and the brackets that written leaves open.
func closeBrackets(written string) string {
	var open []byte
	inString := false
	for i := 0; i < len(written); i++ {
		switch c := written[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			open = append(open, c+2)
		case c == '(':
			open = append(open, ')')
		case len(open) > 0 && c == open[len(open)-1]:
			open = open[:len(open)-1]
		}
	}
	if slices.Reverse(open); inString {
		return `"` + string(open)
	}
	return string(open)
}

// calls returns calls to the tools, with all that stands around them.
func (r *parsedPrompt) calls(tools []shownTool) string {
	texts := make([]string, len(tools))
	values := r.question // each value takes its words out of the question
	for i, t := range tools {
		texts[i] = r.speech.call(t, r.made+i, &values)
	}
	return r.speech.before + strings.Join(texts, r.speech.between) + r.speech.after
}
