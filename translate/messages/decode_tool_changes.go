package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file tracks the tools through the conversation. A system message may add and remove tools,
// and a deferred tool appears with the first block that names it (docs/reference/messages-api.md
// §3, §5).

// The types of blocks that add or remove a tool.
const (
	blockToolAddition = "tool_addition"
	blockToolRemoval  = "tool_removal"
)

// changeMembers are the names of the members under such a block's "tool".
var changeMembers = []string{"type", "name", "server_name", "definition"}

// toolMention is a place in the conversation that names a tool.
type toolMention struct {
	by             string // blockToolAddition, blockToolRemoval or BlockToolReference
	name           string
	defined        *Tool // by an addition; nil if the block refers to a known tool
	message, block int   // where the block is; not set for BlockToolReference
}

// toolChange reads a block that adds or removes a tool.
func (d *decoder) toolChange(at *fieldPath, by string, v jsontext.Value) {
	tool := at.member("tool")
	o, ok := d.openObject(&tool, v, changeMembers)
	if !ok {
		return
	}
	m := toolMention{by: by, message: at.up.up.index, block: at.index}
	switch kind := d.text(tool.member("type"), o.Take("type")); {
	case d.err != nil:
	case kind == BlockToolReference:
		m.name = d.text(tool.member("name"), o.Take("name"))
		d.mentions = append(d.mentions, m)
	case kind == "tool_definition" && by == blockToolAddition:
		if m.defined = d.definedTool(tool.member("definition"), o.Take("definition")); m.defined != nil {
			m.name = m.defined.Name
			d.mentions = append(d.mentions, m)
		}
	case kind == "mcp_tool_reference", kind == "mcp_toolset_reference":
		d.serverToolChange(at, &o, kind)
	default:
		d.failTag(tool, kind, []string{BlockToolReference, "tool_definition", "mcp_tool_reference", "mcp_toolset_reference"})
	}
	d.dropRest(&tool, &o, nil)
}

// definedTool reads the tool that an addition defines. It returns nil if the tool is left out.
func (d *decoder) definedTool(at fieldPath, v jsontext.Value) *Tool {
	o, ok := d.openObject(&at, v, toolMembers)
	if !ok {
		return nil
	}
	if d.definitions++; d.definitions > MaxTools {
		d.failBy(FaultLimit, at, "The messages of a request should define at most %d tools in all", MaxTools)
	}
	t, ok := d.toolOf(&at, &o)
	if !ok || d.err != nil {
		return nil
	}
	t.DefinedAt = at.String()
	return &t
}

// shownTools returns the tools that the model is shown: the ones that are valid at the end of the
// conversation, from the tools list and from messages. Tools that were added later come last, so
// that the start of the prompt stays the same and prompt caches hold. chosen is the tool that
// tool_choice names. It is shown even if no block has named it.
func (d *decoder) shownTools(listed []Tool, chosen string) []Tool {
	deferred, hides := d.hidesDeferred(listed)
	if tools := member("tools"); deferred && !hides {
		if d.drop(tools.member("defer_loading")); d.opt.Strict {
			d.fail(tools, "All tools have `defer_loading`. Remove it from at least one tool.")
		}
	}
	if len(d.mentions) == 0 && !hides || d.err != nil {
		return listed
	}
	s := shownTools{known: make(map[string]*Tool), places: make(map[string]int)}
	for i := range listed {
		t := &listed[i]
		if s.known[t.Name] = t; !hides || !d.deferred[t.Name] {
			s.show(t.Name)
		}
	}
	s.late = len(s.order)
	servers := make(map[string]bool)
	for i := range d.serverTools {
		servers[d.serverTools[i].name] = true
	}
	for i := range d.mentions {
		switch m, known := &d.mentions[i], s.known[d.mentions[i].name] != nil; {
		case m.defined != nil && s.shows(m.name):
			d.failMention(m, "tool_name_conflict", "There is a tool '%s' already")
		case m.defined != nil:
			s.known[m.name] = m.defined
			s.show(m.name)
		case !known && (m.by == BlockToolReference || servers[m.name]): // a client may remove a tool after a search found it
		case !known:
			d.failMention(m, "tool_reference_unresolved", "Tool '%s' not found in provided tools")
		case m.by == blockToolRemoval:
			s.hide(m.name)
		default:
			s.show(m.name)
		}
	}
	if _, mentioned := s.places[chosen]; !mentioned && s.known[chosen] != nil {
		s.show(chosen)
	}
	return s.tools()
}

// failMention fails because of a block that adds or removes a tool. Clients recognize the error by
// code (docs/reference/errors.md §2).
func (d *decoder) failMention(m *toolMention, code, format string) {
	if d.err == nil {
		d.err = &InvalidRequestError{
			Fault:   FaultConversation,
			Path:    fmt.Sprintf("messages.%d.content.%d.%s.tool", m.message, m.block, m.by),
			Message: fmt.Sprintf(format, clip(m.name)),
			Details: jsontext.Value(`{"error_code":"` + code + `"}`),
		}
	}
}

// hidesDeferred reports whether there are deferred tools, and whether they are hidden until a block
// names them. They are hidden if the model has other tools, and if the client does the tool search
// itself. An upstream's own search cannot run, so then all tools are shown.
func (d *decoder) hidesDeferred(listed []Tool) (deferred, hides bool) {
	for i := range listed {
		if d.deferred[listed[i].Name] {
			deferred = true
		} else {
			hides = true
		}
	}
	search := func(t serverTool) bool { return strings.HasPrefix(t.typ, "tool_search_tool") }
	return deferred, deferred && hides && !slices.ContainsFunc(d.serverTools, search)
}

// shownTools tracks which tools the model is shown.
type shownTools struct {
	known  map[string]*Tool // name to tool
	order  []string         // names in the order of their first appearance; "" if the tool was removed
	places map[string]int   // name to index in order; -1 if the tool was removed
	late   int              // index in order of the first tool that was added later
}

func (s *shownTools) shows(name string) bool {
	place, ok := s.places[name]
	return ok && place >= 0
}

func (s *shownTools) show(name string) {
	if !s.shows(name) {
		s.places[name] = len(s.order)
		s.order = append(s.order, name)
	}
}

func (s *shownTools) hide(name string) {
	if s.shows(name) {
		s.order[s.places[name]] = ""
	}
	s.places[name] = -1
}

// tools returns the shown tools in order.
func (s *shownTools) tools() []Tool {
	tools := make([]Tool, 0, len(s.order))
	for i, name := range s.order {
		if name != "" {
			t := *s.known[name]
			t.Late = i >= s.late
			tools = append(tools, t)
		}
	}
	return tools
}
