package translate

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// renderer makes one prompt of one request.
type renderer struct {
	ctx    context.Context
	req    *messages.Request
	target Target
	format *format
	escape markup.Escaper
	prompt *Prompt

	writer turnWriter

	schemas map[string]*toolSchema // by name of the tool: what its arguments are written by
	calls   map[string]pastCall    // of the assistant turn before, by id
}

// pastCall is a call that the turn after it answers.
type pastCall struct {
	order int
	name  string
}

// toolSchema is the schema of a tool, compiled once it is needed.
type toolSchema struct {
	tool     *messages.Tool
	compiled *schema.Schema
}

// schemaOf returns the schema of the named tool; one that allows anything if it
// is not offered any more.
func (r *renderer) schemaOf(name string) *schema.Schema {
	if r.schemas == nil {
		r.schemas = make(map[string]*toolSchema, len(r.req.Tools))
		for i := range r.req.Tools {
			r.schemas[r.req.Tools[i].Name] = &toolSchema{tool: &r.req.Tools[i]}
		}
	}
	s := r.schemas[name]
	switch {
	case s == nil:
		return schema.Compile(nil)
	case s.compiled == nil:
		s.compiled = schema.Compile(s.tool.InputSchema)
	}
	return s.compiled
}
