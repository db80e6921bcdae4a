package proxy

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"dragoman/proxy/nearest"
	"dragoman/translate"
	"dragoman/upstream"
)

// Model maps a name that clients ask for to a model of an upstream.
type Model struct {
	Name     string // what clients ask for; each * in it stands for any characters
	Upstream string // its name in the configuration
	Wire     string // how the upstream is asked; "" for the upstream's own choice by the model's id
	Model    string // the id that the upstream knows; "" for the name asked for
	Format   string // the prompting convention; "" for the default
	Prefill  *bool  // whether the model continues an assistant turn; nil: by the family of its id
}

// The wires of a [Model].
const (
	WireMessages = "messages" // the body of the Messages API
	WireText     = "text"     // text completions: the whole prompt is one text
)

// Via is the key of the model's upstream in [Options]: the upstream's name and,
// where the model asks for a wire, that behind a slash, which no name holds.
func (m Model) Via() string {
	if m.Wire == "" {
		return m.Upstream
	}
	return m.Upstream + "/" + m.Wire
}

// As returns the model for one name that it covers: with the id that the
// upstream knows.
func (m Model) As(name string) Model {
	m.Model = cmp.Or(m.Model, name)
	return m
}

// Target is what a prompt for the model has to heed. A model that completes text
// goes on with an assistant turn whatever its family (reference/wire.md, finding 23).
func (m Model) Target() translate.Target {
	text := m.Wire == WireText
	t := translate.Target{Format: m.Format, TextWire: text}
	if m.Prefill != nil {
		t.Prefill = *m.Prefill
	} else {
		t.Prefill = text || upstream.Prefills(m.Model)
	}
	return t
}

// Covers reports whether the model is the one meant by a name that a client
// asks for. It takes time linear in the name for each * at most.
func (m Model) Covers(name string) bool {
	head, pattern, wild := strings.Cut(m.Name, "*")
	if !wild {
		return m.Name == name
	}
	rest, ok := strings.CutPrefix(name, head)
	for ok {
		var piece string
		if piece, pattern, wild = strings.Cut(pattern, "*"); !wild {
			return strings.HasSuffix(rest, piece)
		}
		_, rest, ok = strings.Cut(rest, piece)
	}
	return false
}

// route returns the model for a name that a client asks for. The error tells it
// the names that are nearest.
func (s *Server) route(name string) (Model, error) {
	for _, m := range s.models {
		if m.Covers(name) {
			return m.As(name), nil
		}
	}
	const longest = 64
	shown := name[:min(len(name), longest)]
	return Model{}, &failure{
		status:  http.StatusNotFound,
		typ:     typeNotFound,
		message: fmt.Sprintf("model: %s: no model of this name is configured; the nearest: %s", strings.ToValidUTF8(shown, ""), strings.Join(s.nearest(shown), ", ")),
	}
}

// nearest returns up to three configured names, those first that take the
// fewest changes of single bytes to make of name.
func (s *Server) nearest(name string) []string {
	names := make([]string, len(s.models))
	for i, m := range s.models {
		names[i] = m.Name
	}
	slices.SortStableFunc(names, func(a, b string) int { return nearest.Distance(name, a) - nearest.Distance(name, b) })
	names = slices.Compact(names)
	return names[:min(len(names), 3)]
}
