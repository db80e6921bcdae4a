package fidelity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// This file compares the calls that a model meant with those that the client gets.

// RoundTrip makes the instance of a seed, writes it as a model would or renders it as history, and lets
// translate read the text. For every second seed, it also tests an instance in another maker's format. It
// returns an error if the result is not what was meant.
func RoundTrip(seed uint64) error {
	if err := roundTrip(seeded(seed)); err != nil || seed%2 > 0 {
		return err
	}
	foreign := seeded(^seed)
	foreign.foreign = true
	return roundTrip(foreign)
}

// roundTrip does what [RoundTrip] does, for the instance that c makes.
func roundTrip(c chance) error {
	inst := newInstance(c)
	req := inst.Request()
	prompt, text, prose, sequence := &translate.Prompt{}, "", "", ""
	if !c.foreign && c.oneIn(3) {
		var err error
		if prompt, text, err = renderHistory(inst, req, pick(c, translate.Formats())); err != nil {
			return err
		}
		sequence = strings.Join(prompt.StopSequences, "") // the prompt has at most one
	} else {
		w := write(c, inst, pick(c, tripFormats[c.foreign]))
		var err error
		if prompt, err = w.prompt(); err != nil {
			return err
		}
		text, prose, sequence = w.Text(), w.prose, w.stop()
	}
	a := endedAnswer(text)
	if sequence != "" && c.oneIn(2) {
		a = stoppedAnswer(text, sequence)
	}
	m, err := translateAnswer(req, prompt, a, pieceLengths(c))
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	r, err := receive(m)
	if err != nil {
		return err
	}
	if !sameCalls(r.calls, inst.Calls) || r.stop != messages.StopToolUse || strings.TrimSpace(r.text) != prose {
		return fmt.Errorf("tools\n%v\nmeant\n%s\nwritten for %s\n%q\nread\n%s", req.Tools, showCalls(inst.Calls), prompt.Declared.Name, text, r)
	}
	return nil
}

// tripFormats are the formats of round trips: ours and json, or those of other makers in which a model is asked.
var tripFormats = map[bool][]string{false: formatsIn(ours | inBlocks), true: slices.DeleteFunc(formatsIn(makers|inLists), func(name string) bool {
	return !slices.Contains(translate.Formats(), name)
})}

// formatsIn returns the formats of these groups.
func formatsIn(groups group) []string {
	return slices.DeleteFunc(slices.Clone(formats), func(name string) bool { return forms[name][0].group&groups == 0 })
}

// memo is shared by all calls. It does not change their results.
var memo = translate.NewMemo()

// renderHistory renders the calls as history. It returns the calls as the model sees them, and the prompt
// that they are in. format is one of translate.Formats.
func renderHistory(inst *Instance, req *messages.Request, format string) (*translate.Prompt, string, error) {
	answer := messages.MessageParam{Role: messages.RoleAssistant}
	results := messages.MessageParam{Role: messages.RoleUser}
	for i, call := range inst.Calls {
		id := fmt.Sprint("toolu_", i)
		answer.Content = append(answer.Content, messages.BlockParam{Type: messages.BlockToolUse, ID: id, Name: call.Name,
			Input: jsontext.Value(call.Input.JSON())})
		results.Content = append(results.Content, messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: id,
			Content: []messages.BlockParam{{Type: messages.BlockText, Text: "done"}}})
	}
	with := *req
	with.Messages = append(with.Messages[:1:1], answer, results)
	prompt, err := translate.Render(&with, translate.Target{ModelOptions: translate.ModelOptions{Format: format}, Memo: memo})
	if err != nil {
		return nil, "", err
	}
	var b strings.Builder
	for _, part := range prompt.Turns[1].Parts {
		b.WriteString(part.Text)
	}
	return prompt, b.String(), nil
}
