package upstream

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

const (
	callsStart   = "<function_calls>"
	callsEnd     = translate.CallsEnd
	resultsStart = "<function_results>"
	resultsEnd   = "</function_results>"
	signature    = "[simulated] "
)

// How a prompt asks for a call, for one at a time, and for an answer in JSON.
const (
	askTool = "Answer with a call to the tool "
	askAny  = "Answer with a call to one of the tools"
	askOne  = "at most one tool"
	askOnce = "at most one call"
	askJSON = "It fits this JSON Schema:\n"
)

// reading is what the simulated model makes of a prompt.
type reading struct {
	speech   *speech
	tools    []simulatedTool
	question question // the last words of the human that are not instructions
	last     string   // the last human turn, whole
	asked    string   // the instruction to call a tool, from its first word on; "" if none
	single   bool     // at most one call
	format   string   // the JSON Schema that the answer has to fit; "" if none
	prefill  string
}

// read reads a prompt. A spelled tag in it is markup: untrusted text has the '<'
// of our names written as an entity.
func read(p *translate.Prompt) reading {
	var r reading
	var system strings.Builder
	for _, t := range p.System {
		system.WriteString(t.Text)
		system.WriteByte('\n')
	}
	var rest string
	r.speech, r.tools, rest = listen(system.String())
	if _, schema, asked := strings.Cut(system.String(), askJSON); asked {
		r.format, _, _ = strings.Cut(schema, "\n")
	}

	turns := p.Turns
	if n := len(turns); n > 0 && turns[n-1].Role == messages.RoleAssistant {
		r.prefill = words(turns[n-1])
		turns = turns[:n-1]
	}
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role != messages.RoleUser {
			continue
		}
		text := words(turns[i])
		if r.last == "" {
			r.last = text
			told := rest + text
			r.single = strings.Contains(told, askOne) || strings.Contains(told, askOnce)
			for _, ask := range []string{askTool, askAny} {
				if at := strings.LastIndex(text, ask); at >= 0 {
					r.asked, text = text[at:], text[:at]
				}
			}
		}
		if text = strings.TrimSpace(afterLast(text, r.speech.resultsEnd)); text != "" {
			r.question = newQuestion(text)
			break
		}
	}
	return r
}

// completion is everything the model would write if nothing stopped it.
func (r *reading) completion() string {
	if at := strings.LastIndex(r.prefill, r.speech.opens); at >= 0 && !strings.Contains(r.prefill[at:], r.speech.closes) {
		return r.finish(r.prefill[at:])
	}
	if r.asked != "" && len(r.tools) > 0 {
		return r.calls(r.demanded())
	}
	if r.format != "" && (r.returned() || len(r.choose()) == 0) {
		return string(r.question.value(jsontext.Value(r.format), definitions(r.format), 0))
	}
	text := signature + r.answer()
	if r.prefill != "" && !strings.HasSuffix(r.prefill, "\n") {
		text = " " + text
	}
	return text
}

// returned tells whether the last human turn holds results.
func (r *reading) returned() bool { return strings.Contains(r.last, r.speech.resultsStart) }

// answer is prose, and a call where one fits.
func (r *reading) answer() string {
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

func join(tools []simulatedTool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return strings.Join(names, " and ")
}

// demanded returns the tool that the instruction names, else those that fit the
// question, else the first.
func (r *reading) demanded() []simulatedTool {
	var best simulatedTool
	if named, ok := strings.CutPrefix(r.asked, askTool); ok {
		for _, t := range r.tools {
			if len(t.name) > len(best.name) && startsWithWord(named, t.name) {
				best = t
			}
		}
	}
	if best.name != "" {
		return []simulatedTool{best}
	}
	if chosen := r.choose(); len(chosen) > 0 {
		return chosen
	}
	return r.tools[:1]
}

// finish goes on exactly where an assistant turn that opened a call broke off.
func (r *reading) finish(written string) string {
	candidates := r.tools
	if name, ok := between(written, r.speech.nameBefore, r.speech.nameAfter); ok {
		candidates = []simulatedTool{{name: name}}
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
	if len(candidates) > 0 {
		if rest, ok := remainder(r.calls([]simulatedTool{r.best(candidates)}), written); ok {
			return rest
		}
	}
	return closing(written)
}

// remainder returns what is left of markup behind what is written of it already;
// white space between the two need not agree.
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
	if blank(written[len(written)-1]) {
		return strings.TrimLeft(markup[i:], " \n"), true
	}
	return markup[i:], true
}

// closing closes the elements that are open at the end of a call which the model
// would have written in another way.
func closing(written string) string {
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

// report tells what the tools returned.
func report(turn string) string {
	results, _, _ := strings.Cut(afterLast(turn, resultsStart), resultsEnd)
	var lines []string
	for {
		result, failure := strings.Index(results, "<result>"), strings.Index(results, "<error>")
		if result < 0 && failure < 0 {
			break
		}
		text, end := results, "</result>"
		if result >= 0 && (failure < 0 || result < failure) {
			text = results[result:]
		} else {
			text, end = results[failure:], "</error>" // an error of no tool in particular
		}
		text, results, _ = strings.Cut(text, end)
		lines = append(lines, reportOne(text))
	}
	if len(lines) == 0 {
		return "The tools returned nothing."
	}
	return strings.Join(lines, "\n")
}

// reportOne tells what one element of the results says.
func reportOne(s string) string {
	name, _ := between(s, "<tool_name>", "</tool_name>")
	tool := strings.TrimSuffix("The tool "+name, " ")
	if _, text, failed := strings.Cut(s, "<error>"); failed {
		text, _, _ = strings.Cut(text, "</error>")
		return tool + " failed: " + strings.TrimSpace(text)
	}
	if text, _ := between(s, "<stdout>", "</stdout>"); text != "" {
		return tool + " returned: " + text
	}
	return tool + " returned nothing."
}

// between returns what stands between the first start and the end that follows
// it, without the white space around.
func between(s, start, end string) (string, bool) {
	_, s, ok := strings.Cut(s, start)
	if !ok {
		return "", false
	}
	s, _, ok = strings.Cut(s, end)
	return strings.TrimSpace(s), ok
}

// afterLast returns what follows the last sep, all of s if there is none.
func afterLast(s, sep string) string {
	if at := strings.LastIndex(s, sep); at >= 0 {
		return s[at+len(sep):]
	}
	return s
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
