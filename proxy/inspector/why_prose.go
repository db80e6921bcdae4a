package inspector

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// whyProse explains an answer without a call or text in the shape of a call: what the model could call, and what to try,
// the cheapest first. n is the number of the prompt; s may be nil.
func (x *keptExchange) whyProse(ctx context.Context, n int, s *Server) (whyNoCall, error) {
	x.mu.Lock()
	body, err := x.messagesBody(ctx)
	p, line := x.prompts[n], x.line
	guides, model := p.guides, p.model
	x.mu.Unlock()
	if err != nil {
		return whyNoCall{}, err
	}
	req, err := decoded(body)
	if err != nil {
		return whyNoCall{}, err
	}
	y := whyNoCall{Asked: n, Prose: "The model answered in words. It was offered " + namesOf(req.Tools) + ". Nothing in its answer has the shape of a call."}
	if req.MustCall() {
		y.Prose = "The request forces a call, and the model did not make it. It was offered " + namesOf(req.Tools) + "."
	} else {
		y.Changes = append(y.Changes, offered{
			Members: forcesCall(line.Dialect),
			Why:     "A forced call shows whether the model can make calls at all. If it can, it chose to answer in words.",
		})
	}
	if s != nil {
		y.Changes = append(y.Changes, offered{
			Command: s.evalCommand(line.Model, model),
			Why:     "The model may call better in another format. eval asks it in several, and prints an entry with the best one.",
		})
	}
	if guides {
		y.Changes = append(y.Changes, offered{
			Keys: "constrain: try",
			Why:  "If the request forces a call, the model's server then lets the model write nothing else. llama.cpp, vLLM and others can do this.",
		})
	}
	y.Changes = append(y.Changes, offered{Why: "Try a larger model: small ones often answer in words. Replay takes the name of another model."})
	return y, nil
}

// namesOf returns the names of tools, or of the first ones.
func namesOf(tools []messages.Tool) string {
	var names []string
	for _, t := range tools[:min(len(tools), mostTools)] {
		names = append(names, clip(t.Name))
	}
	if more := len(tools) - len(names); more > 0 {
		return fmt.Sprintf("%s and %d more tools", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// forcesCall returns the members of a request that force a call, in a client's API.
func forcesCall(dialect string) jsontext.Value {
	switch dialect {
	case "bedrock_converse":
		return jsontext.Value(`{"toolConfig": {"toolChoice": {"any": {}, "auto": null}}}`)
	case "chat":
		return jsontext.Value(`{"tool_choice": "required"}`)
	}
	return jsontext.Value(`{"tool_choice": {"type": "any"}}`)
}

// evalCommand returns the command that finds the best format for a model, which clients and the upstream may know by
// different names.
func (s *Server) evalCommand(asked, model string) string {
	words := append([]string{"dragoman", "eval"}, s.Flags...)
	if slices.Contains(s.Flags, "--base-url") {
		asked = model
	}
	words = append(words, "--model", asked)
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// addFiles adds to the changes of keys the configuration with these keys. model is the upstream's name. A change without keys, and a configuration
// that has since lost the model's entry, get none.
func (s *Server) addFiles(changes []offered, line Line, model string) {
	for i := range changes {
		if changes[i].Keys == "" {
			continue
		}
		if file, err := s.FileWith(line.Route, line.Model, model, changes[i].Keys); err == nil {
			changes[i].File = file
		}
	}
}
