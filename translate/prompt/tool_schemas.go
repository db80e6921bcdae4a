package prompt

import (
	"sync"

	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// ToolSchemas holds the compiled schemas of a request's tools. Render writes past calls with them,
// and the parser reads new calls with them. Each schema is compiled at most once, on first use.
//
// The zero value knows no tools by name, but is ready for [ToolSchemas.Of]. Like the [Prompt] that
// holds it, several goroutines may use it at once.
type ToolSchemas struct {
	Tools []messages.Tool
	Memo  *Memo // may be nil

	mu       sync.Mutex
	byName   map[string]*messages.Tool // nil until a name is looked up
	compiled map[*messages.Tool]*schema.Schema
}

// Outliving returns the schemas of tools, which [Outliving] made from the tools of s. It keeps
// compiled schemas, unless they refer to the request. s may be nil.
func (s *ToolSchemas) Outliving(tools []messages.Tool) *ToolSchemas {
	own := &ToolSchemas{Tools: tools}
	if s == nil {
		return own
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own.Memo = s.Memo
	if len(s.compiled) == 0 || len(s.Tools) != len(tools) {
		return own
	}
	own.compiled = make(map[*messages.Tool]*schema.Schema, len(s.compiled))
	for i := range tools {
		if compiled := s.compiled[&s.Tools[i]]; compiled != nil && s.Memo.owns(tools[i].InputSchema) {
			own.compiled[&tools[i]] = compiled
		}
	}
	return own
}

// named returns the schema of the named tool. A past call may be of a tool that is no longer
// offered. Its schema allows anything.
func (s *ToolSchemas) named(name string) *schema.Schema {
	if tool := s.find(name); tool != nil {
		return s.Of(tool)
	}
	return schema.Compile(nil)
}

// find returns the named tool, or nil. It uses a map, because a history may have many calls and a
// request many tools.
func (s *ToolSchemas) find(name string) *messages.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName == nil {
		s.byName = make(map[string]*messages.Tool, len(s.Tools))
		for i := range s.Tools {
			s.byName[s.Tools[i].Name] = &s.Tools[i]
		}
	}
	return s.byName[name]
}

// Of returns the schema of a tool. It compiles the schema on the first call.
func (s *ToolSchemas) Of(tool *messages.Tool) *schema.Schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	compiled := s.compiled[tool]
	if compiled == nil {
		compiled = s.Memo.compile(tool.InputSchema)
		if s.compiled == nil {
			s.compiled = make(map[*messages.Tool]*schema.Schema)
		}
		s.compiled[tool] = compiled
	}
	return compiled
}
