package inspector

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// whyNoCall explains why one completion has no call, why its text is not a call, or why the model is stuck, and what may
// change that.
type whyNoCall struct {
	Asked    int           `json:"asked"` // the number of the prompt
	Outcomes []saidOutcome `json:"outcomes,omitzero"`
	Prose    string        `json:"prose,omitzero"` // without outcomes: what the model wrote instead of a call
	Changes  []offered     `json:"changes"`
}

// saidOutcome is an outcome with its explanation in one sentence.
type saidOutcome struct {
	outcome
	Why string `json:"why"`
}

// offered is a change that may lead to calls: one of keys, members and a command, or only words.
type offered struct {
	Keys    string         `json:"keys,omitzero"`    // in the form of a model's entry
	Members jsontext.Value `json:"members,omitzero"` // of the request, as a JSON merge patch
	Command string         `json:"command,omitzero"` // for a shell
	Why     string         `json:"why"`
	File    string         `json:"file,omitzero"`   // the configuration with the keys; "" if it is unknown
	Change  *change        `json:"change,omitzero"` // nil if only the model itself can try it
	Calls   []string       `json:"calls,omitzero"`  // the tools that are called under the change
}

// why answers why the completions of an exchange have no calls, or too few.
func (in *Inspector) why(w http.ResponseWriter, r *http.Request) error {
	x, err := in.opened(r)
	if err != nil {
		return err
	}
	answer := struct {
		Completions []whyNoCall `json:"completions"`
		Flags       []string    `json:"flags,omitzero"` // see [Server]
	}{Completions: []whyNoCall{}}
	x.mu.Lock()
	prompts, line := slices.Clone(x.prompts), x.line
	x.mu.Unlock()
	for i, p := range prompts {
		x.mu.Lock()
		y := whyNoCall{Asked: i}
		for _, o := range p.outcomes {
			if o.isLost() || o.Kind == string(messages.OutcomeIncomplete) || o.Kind == string(messages.OutcomeEmpty) {
				y.Outcomes = append(y.Outcomes, saidOutcome{o, o.sentence()})
			}
		}
		if i+1 < len(prompts) && prompts[i+1].again == translate.ReasonRepeated {
			repeated := outcome{Kind: string(messages.OutcomeClean), Reason: messages.ReasonRepeated}
			y.Outcomes = append(y.Outcomes, saidOutcome{repeated, repeated.sentence()})
		}
		mended := p.remedies(y.Outcomes)
		x.mu.Unlock()
		if y.Outcomes == nil {
			continue
		}
		a, err := x.answered(r.Context(), int64(i), asItIs)
		if err == nil && len(a.text) <= mostSearched {
			y.Changes = a.changes(r.Context())
		}
		y.Changes = append(y.Changes, mended...)
		answer.Completions = append(answer.Completions, y)
	}
	s := in.current()
	if line.mark() == MarkNoCall && len(prompts) > 0 {
		y, err := x.whyProse(r.Context(), len(prompts)-1, s)
		if err != nil {
			return err
		}
		answer.Completions = append(answer.Completions, y)
	}
	if s != nil && s.FileWith != nil {
		answer.Flags = s.Flags
		for _, y := range answer.Completions {
			s.addFiles(y.Changes, line, prompts[y.Asked].model)
		}
	}
	respond(w, http.StatusOK, answer)
	return nil
}

// remedies returns changes that may help the model to write correct calls. Only the model itself can show whether they
// do.
func (p *prompt) remedies(outcomes []saidOutcome) []offered {
	var out []offered
	cut := p.stop == string(messages.StopMaxTokens)
	if cut && len(outcomes) > 0 {
		out = append(out, offered{
			Keys: fmt.Sprintf("max_tokens: %d", 2*p.most),
			Why:  fmt.Sprintf("The answer was cut after max_tokens: %d. Raise it in the request or, if it is lower there, in the model's entry.", p.most),
		})
	}
	refused := slices.ContainsFunc(outcomes, func(o saidOutcome) bool { return o.Kind == string(messages.OutcomeRefused) })
	if refused && !cut && !p.repairs {
		out = append(out, offered{Keys: "repair: 1", Why: "The model is shown its call and what is wrong with it, once, and makes the call again."})
	}
	stuck := slices.ContainsFunc(outcomes, func(o saidOutcome) bool {
		return o.Kind == string(messages.OutcomeEmpty) || o.Reason == messages.ReasonRepeated
	})
	if stuck {
		out = append(out, offered{Keys: "result_note: on", Why: "A sentence then follows the results of every turn, and the model needs no second request to go on."})
	}
	quoted := slices.ContainsFunc(outcomes, func(o saidOutcome) bool { return o.Reason == messages.ReasonQuoted })
	if quoted && p.format == translate.FormatJSON {
		out = append(out, offered{Keys: "format: " + translate.FormatLegacy, Why: "The model is then asked for calls in tags instead of JSON."})
	}
	return out
}

// changes returns the changes that make more calls readable: single ones or, if no single one does, all of them
// together.
func (a *answered) changes(ctx context.Context) (out []offered) {
	now, err := a.parse(ctx, change{}, max(len(a.text), 1))
	if err != nil {
		return nil
	}
	try := func(c change, why string) bool {
		read, err := a.parse(ctx, c, max(len(a.text), 1))
		if err != nil || len(read.calls()) <= len(now.calls()) {
			return false
		}
		out = append(out, offered{Keys: c.keys(a.target), Why: why, Change: &c, Calls: read.calls()})
		return true
	}
	if a.target.QuotedCalls != translate.QuotedRead {
		try(change{QuotedCalls: translate.QuotedRead}, "A call that fills a Markdown code fence then counts as a call.")
	}
	if a.target.ToolAPI && !a.target.Rescues() {
		try(change{Rescue: true}, "Calls that the server leaves in the text of the answer are then read.")
	}
	read := append(slices.Clip(a.target.Accept), translate.FormatLegacy, translate.FormatAttribute, translate.FormatJSON, a.format)
	for _, name := range translate.AcceptedFormats() {
		if slices.Contains(read, translate.AcceptAll) || slices.Contains(read, name) {
			continue
		}
		if try(change{Accept: name}, "Calls in this format are then read, too.") && slices.Contains(translate.Formats(), name) {
			try(change{Format: name}, "The model is then asked for calls in the format that it writes.")
		}
	}
	for _, how := range thinkings {
		if how != cmp.Or(a.target.Thinking, translate.ThinkingMarked) {
			try(change{Thinking: how}, "The call is then outside of the thinking that the model's server opens.")
		}
	}
	for _, how := range unaskedThinkings {
		if how != a.target.UnaskedThinking {
			try(change{UnaskedThinking: how}, "Thinking that nobody asked for then no longer holds the call.")
		}
	}
	if len(out) == 0 {
		try(acceptAll, "Calls are then read in every format, in code fences, and in thinking that the model's server opens.")
	}
	return out
}

// keys returns the change in the form of a model's entry.
func (c change) keys(t translate.Target) string {
	var lines []string
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, key+": "+value)
		}
	}
	add("format", c.Format)
	if accept := c.target(t).Accept; c.Accept == translate.AcceptAll {
		add("accept", c.Accept)
	} else if c.Accept != "" {
		add("accept", "["+strings.Join(accept, ", ")+"]")
	}
	add("quoted_calls", c.QuotedCalls)
	if c.Thinking != cmp.Or(t.Thinking, translate.ThinkingMarked) {
		add("thinking", c.Thinking)
	}
	add("unasked_thinking", c.UnaskedThinking)
	if c.Rescue && t.ToolAPI {
		add("rescue", "true")
	}
	return strings.Join(lines, "\n")
}

// sentence returns why the call was read in this way.
func (o outcome) sentence() string {
	return cmp.Or(o.Reason.About(), kindSentences[o.Kind])
}

// kindSentences explain kinds whose reason adds nothing.
var kindSentences = map[string]string{
	string(messages.OutcomeRefused):    "The model wrote the call to its end, and Dragoman cannot read it.",
	string(messages.OutcomeLeaked):     "The text has the shape of a call, and Dragoman was not told to read such text as a call here.",
	string(messages.OutcomeIncomplete): "The answer ends within the call.",
	string(messages.OutcomeEmpty):      "The model ended its answer without text and without a call.",
}
