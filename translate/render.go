package translate

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"fmt"
	"strings"
)

// What Render says to the model in its own words, and to the client.
const (
	instructSingle   = "Call at most one tool at a time: one call, then wait for its result."
	instructThinking = "Think first: begin every answer with your reasoning between <thinking> and </thinking>. What follows is your answer, or a call to a tool."
	instructFormat   = "Your answer, when it is not a call to a tool, is one JSON value and nothing else: no words before or after it, no code fence. It fits this JSON Schema:\n"
	instructTool     = "Answer with a call to the tool %s now, and write nothing before it."
	instructAny      = "Answer with a call to one of the tools now, and write nothing before it."
	prefillRefused   = "This model does not support assistant message prefill. The conversation must end with a user message."
	firstNotUser     = `first message must use the "user" role`
	noMessages       = "at least one message is required"
	unexpectedBlock  = "a %s block cannot stand in a message of the role %s"
)

// Render returns what a model without a tool API is asked, for a request: the
// tools and past calls as markup (reference/legacy-format.md §2, §5, §7),
// everything else as it is. No text of the client can spell markup of ours:
// escape.go has the policy.
//
// The error is an [*InvalidRequestError], except for a format that does not
// exist. A request that [Decode] accepted fails in one case alone: it ends with
// a prefill and the target takes none.
func Render(req *messages.Request, target Target) (*Prompt, error) {
	return RenderContext(context.Background(), req, target)
}

// RenderContext is Render for a client that may leave: it ends with the cause of ctx
// once that has ended.
func RenderContext(ctx context.Context, req *messages.Request, target Target) (*Prompt, error) {
	f, err := formatOf(target.Format)
	if err != nil {
		return nil, err
	}
	r := renderer{
		ctx:    ctx,
		req:    req,
		target: target,
		format: f,
		escape: markup.Escaper{TurnMarkers: target.TextWire, Tags: f.tags},
		prompt: &Prompt{
			StopSequences: stopSequences(req, f),
			format:        f,
			ours:          req.OffersTools(),
			MaxTokens:     req.MaxTokens,
			Temperature:   req.Temperature,
			TopP:          req.TopP,
			TopK:          req.TopK,
			continues:     target.Prefill,
			holdsValues:   target.HoldValues,
		},
	}
	for _, step := range []func() error{r.system, r.turns, r.choice} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.prompt.escaped = r.escape.Used
	if target.MaxTokens > 0 {
		r.prompt.MaxTokens = min(r.prompt.MaxTokens, target.MaxTokens)
	}
	return r.prompt, nil
}

// renderer makes one prompt of one request.
type renderer struct {
	ctx    context.Context
	req    *messages.Request
	target Target
	format *format
	escape markup.Escaper
	prompt *Prompt

	// markup is text of ours around text of the client's, not yet a part.
	markup []byte

	schemas map[string]*toolSchema // by name of the tool: what its arguments are written by
	calls   map[string]pastCall    // of the assistant turn before, by id
}

// pastCall is a call that the turn after it answers.
type pastCall struct {
	order int
	name  string
}

// stopSequences returns ours, if the answer may hold a call, and the client's.
func stopSequences(req *messages.Request, f *format) []string {
	stops := make([]string, 0, 1+len(req.StopSequences))
	seen := make(map[string]bool, cap(stops))
	add := func(s string) {
		if !seen[s] {
			seen[s] = true
			stops = append(stops, s)
		}
	}
	if req.OffersTools() {
		add(f.stop)
	}
	for _, s := range req.StopSequences {
		add(s)
	}
	return stops
}

// choice ends the prompt as tool_choice asks: a forced call is opened in a
// prefill, or asked for in words where the model takes no prefill.
func (r *renderer) choice() error {
	turns := r.prompt.Turns
	last := &turns[len(turns)-1]
	if last.Role == messages.RoleAssistant && !r.target.Prefill {
		return &messages.InvalidRequestError{Message: prefillRefused}
	}
	choice := r.req.ToolChoice
	if !r.req.OffersTools() || choice.Type != messages.ChoiceAny && choice.Type != messages.ChoiceTool {
		return nil
	}
	name := choice.Name
	if choice.Type == messages.ChoiceAny && len(r.req.Tools) == 1 {
		name = r.req.Tools[0].Name
	}
	if !r.target.Prefill {
		last.Parts = append(last.Parts, Part{Type: PartText, Text: r.instruction(name)})
		return nil
	}
	r.prompt.opening = r.opening(name)
	if last.Role == messages.RoleUser {
		r.prompt.Turns = append(turns, Turn{Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: r.prompt.opening}}})
		return nil
	}
	text := emptyLine(last.Parts) + r.prompt.opening
	last.Parts = append(last.Parts, Part{Type: PartText, Text: text})
	return nil
}

// opening is the beginning of a call to the named tool, or to any if name is "".
func (r *renderer) opening(name string) string {
	return r.format.open(r.escape.Text(name))
}

// instruction asks for a call to the named tool, or to any if name is "".
func (r *renderer) instruction(name string) string {
	if name == "" {
		return instructAny
	}
	return fmt.Sprintf(instructTool, r.escape.Text(name))
}

// emptyLine returns the newlines that, written after parts, leave one empty
// line after their text.
func emptyLine(parts []Part) string {
	if len(parts) == 0 || parts[len(parts)-1].Type != PartText {
		return ""
	}
	text := parts[len(parts)-1].Text
	end := text[len(strings.TrimRight(text, " \t\r\n")):]
	return "\n\n"[min(2, strings.Count(end, "\n")):]
}
