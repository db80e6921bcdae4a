package simulated

import (
	"strings"

	"dragoman/translate"
)

// parsedPrompt is what the simulated model understands of a prompt.
type parsedPrompt struct {
	speech   *speech     // how the prompt shows calls and results
	tools    []shownTool // that the prompt describes
	question question    // the last words of a human that are neither results nor instructions
	last     string      // the last human turn, whole
	asked    string      // the instruction to call a tool, from its first word on; "" if none
	single   bool        // at most one call
	format   string      // the JSON Schema that the answer has to fit; "" if none
	prefill  string      // the last turn, if it is the assistant's
}

// parsePrompt reads a prompt. Tags are taken as markup wherever they stand: in text that
// is not trusted, translate has written the '<' of their names as an entity.
func parsePrompt(p *translate.Prompt) parsedPrompt {
	var r parsedPrompt
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
	if n := len(turns); n > 0 && turns[n-1].Role == translate.RoleAssistant {
		r.prefill = words(turns[n-1])
		turns = turns[:n-1]
	}
	// From the last turn back: it may hold nothing but results and an instruction, and the
	// question then stands in an earlier one.
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role != translate.RoleUser {
			continue
		}
		text := words(turns[i])
		if r.last == "" {
			r.last = text
			told := rest + text // both places can ask for one call at a time
			r.single = strings.Contains(told, askOne) || strings.Contains(told, askOnce)
			for _, ask := range []string{askTool, askAny} {
				if at := strings.LastIndex(text, ask); at >= 0 { // the instruction ends the turn
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

// How a prompt asks for a call, for one call at a time, and for an answer in JSON: in
// words that package translate writes, and that a model reads too.
const (
	askTool = "Answer with a call to the tool "
	askAny  = "Answer with a call to one of the tools"
	askOne  = "at most one tool"
	askOnce = "at most one call"
	askJSON = "It fits this JSON Schema:\n"
)
