package upstreamtest

import (
	"fmt"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// rawTemplate is a chat template that the servers of this package can parse (docs/reference/raw-prompts.md
// §4.1).
type rawTemplate struct {
	bos        string // "" if the template has none
	open, name string // the texts around the role: "<|im_start|>user\n"
	end        string // the end of a turn
	next       string // the text between turns
}

// rawTemplates are the known templates. A prompt in any other template becomes one turn of the user.
var rawTemplates = []rawTemplate{
	{"", "<|im_start|>", "\n", "<|im_end|>", "\n"},
	{"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>", ""},
}

// beginnings are the texts of BOS tokens. A prompt may have such a token only once, at its beginning.
var beginnings = []string{"<|begin_of_text|>", "<s>", "<｜begin▁of▁sentence｜>", "<bos>"}

// rawRequest is a request with a raw prompt.
type rawRequest struct {
	text    string // the prompt
	addsBOS bool   // the server adds BOS to the prompt
	prompt  translate.Prompt
}

// read returns the prompt with its turns, or the problem: more than one BOS, or none.
func (r *rawRequest) read() (*translate.Prompt, *malformed) {
	text, p := r.text, &r.prompt
	for _, bos := range beginnings {
		n := strings.Count(text, bos)
		if n > 0 && bos == "<s>" { // Llama 2 has it before each turn
			n = strings.Count(text, bos+bos) + 1
		}
		switch {
		case n == 0:
			continue
		case r.addsBOS && strings.HasPrefix(text, bos), n > 1, !strings.HasPrefix(text, bos) && bos != "<s>":
			return nil, &malformed{text: fmt.Sprintf("prompt: more than one %s, or one in its middle", bos)}
		}
		text = strings.TrimPrefix(text, bos)
	}
	for _, t := range rawTemplates {
		if !strings.Contains(text, t.open) {
			continue
		}
		if t.bos != "" && !r.addsBOS && text == r.text {
			return nil, &malformed{text: "prompt: no " + t.bos + " at its beginning"}
		}
		return p, t.read(text, p)
	}
	p.Turns = []translate.Turn{{Role: messages.RoleUser, Parts: []translate.Part{{Type: translate.PartText, Text: text}}}}
	return p, nil
}

// read reads the turns in a text.
func (t *rawTemplate) read(text string, p *translate.Prompt) *malformed {
	for rest := text; rest != ""; {
		var role, said string
		var opened, named, ended bool
		if rest, opened = strings.CutPrefix(rest, t.open); opened {
			role, rest, named = strings.Cut(rest, t.name)
		}
		if !opened || !named {
			return &malformed{text: fmt.Sprintf("prompt: no turn begins at %.40q", rest)}
		}
		said, rest, ended = strings.Cut(rest, t.end)
		rest = strings.TrimPrefix(rest, t.next)
		switch last := len(p.Turns) - 1; {
		case !ended && role != messages.RoleAssistant:
			return &malformed{text: "prompt: ends within a turn of " + role}
		case !ended && said == "":
		case role == messages.RoleSystem:
			p.System = append(p.System, translate.Text{Text: said})
		case role == "tool" || role == "ipython", last >= 0 && p.Turns[last].Role == role:
			if role != messages.RoleAssistant {
				role = messages.RoleUser
			}
			if last < 0 || p.Turns[last].Role != role {
				p.Turns = append(p.Turns, translate.Turn{Role: role})
				last++
			}
			p.Turns[last].Parts = append(p.Turns[last].Parts, translate.Part{Type: translate.PartText, Text: said})
		default:
			p.Turns = append(p.Turns, translate.Turn{Role: role, Parts: []translate.Part{{Type: translate.PartText, Text: said}}})
		}
	}
	if len(p.Turns) == 0 {
		return &malformed{text: "prompt: has no turns"}
	}
	return nil
}
