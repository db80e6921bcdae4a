package simulated

import (
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// parsedPrompt is what the simulated model understands of a prompt.
type parsedPrompt struct {
	speech   *speech     // how the prompt shows calls and results
	tools    []shownTool // that the prompt describes; none if it says to call none
	question question    // the last words of a human that are neither results nor instructions
	last     string      // the last human turn, whole
	asked    bool        // to call a tool
	named    string      // what stands behind the words that ask for one tool, its name first; "" if any tool will do
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
		system.WriteString(t.Text.String())
		system.WriteByte('\n')
	}
	var rest string
	r.speech, r.tools, rest = listen(system.String())
	for _, ask := range instructions {
		if strings.Contains(rest, ask.CallNoTool) {
			r.tools = nil
		}
		if _, schema, asked := strings.Cut(system.String(), ask.AnswerInJSON); asked {
			r.format, _, _ = strings.Cut(schema, "\n")
		}
	}

	turns := p.Turns
	if n := len(turns); n > 0 && turns[n-1].Role == messages.RoleAssistant {
		r.prefill = words(turns[n-1])
		turns = turns[:n-1]
	}
	// From the last turn back: it may hold nothing but results and an instruction, and the
	// question then stands in an earlier one.
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role != messages.RoleUser {
			continue
		}
		text := words(turns[i])
		if r.last == "" {
			r.last = text
			text = r.readInstructions(rest, text)
		}
		if text = strings.TrimSpace(afterLast(text, r.speech.resultsEnd)); text != "" {
			r.question = newQuestion(text)
			break
		}
	}
	return r
}

// instructions are how a prompt asks for a call, for one call at a time, for none, and for
// JSON, in each language: in words that package translate writes, and that a model reads too.
var instructions = translate.AllInstructions()

// readInstructions reads what the system prompt says behind the tools, and the last human
// turn, which ends in the instruction to call a tool if there is one. It returns the turn
// up to there.
func (r *parsedPrompt) readInstructions(system, turn string) string {
	for _, ask := range instructions {
		r.single = r.single || strings.Contains(system, ask.OneCall) || strings.Contains(turn, ask.OneCall)
		for _, sentence := range []string{ask.CallTool, ask.CallAnyTool} {
			at := strings.LastIndex(turn, sentence)
			if at < 0 {
				continue
			}
			r.asked = true
			if sentence == ask.CallTool {
				r.named = turn[at+len(sentence):]
			}
			turn = turn[:at]
		}
	}
	return turn
}
