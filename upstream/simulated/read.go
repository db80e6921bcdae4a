package simulated

import (
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// parsedPrompt is what the simulated model understands of a prompt.
type parsedPrompt struct {
	speech   *speech     // how the prompt shows calls
	tools    []shownTool // that the prompt describes; none if it says to call none
	question question    // the last words of a human that are neither results nor instructions
	results  string      // those of tools in the last human turn, with all that is around them; "" if none
	made     int         // how many calls the conversation has had
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
	r.speech = listen(system.String(), p.StopSequences)
	r.tools, rest = readTools(system.String())
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
	r.readTurns(turns, rest)
	return r
}

// readTurns reads all turns but a prefill. system is what the system prompt says behind the
// tools.
func (r *parsedPrompt) readTurns(turns []translate.Turn, system string) {
	last := true
	for _, t := range turns {
		if t.Role == messages.RoleAssistant {
			r.made += strings.Count(words(t), r.speech.mark())
		}
	}
	// From the last turn back: it may hold nothing but results and an instruction, and the
	// question then stands in an earlier one.
	for i, t := range slices.Backward(turns) {
		if t.Role != messages.RoleUser {
			continue
		}
		text := words(t)
		if last {
			text = r.readInstructions(system, text)
		}
		var results string
		if i > 0 && strings.Contains(words(turns[i-1]), r.speech.mark()) {
			results, text = cutResults(text)
		}
		if last {
			r.results, last = results, false
		}
		if text = strings.TrimSpace(text); text != "" {
			r.question = newQuestion(text)
			break
		}
	}
}

// cutResults returns the results of tools in a turn that begins with them, all between such
// tags as the first, and the rest of the turn.
func cutResults(turn string) (results, rest string) {
	opener := firstTag(turn)
	at := strings.LastIndex(turn, closerOf(opener))
	if opener == "" || at < 0 {
		return "", turn
	}
	at += len(closerOf(opener))
	return turn[:at], turn[at:]
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
