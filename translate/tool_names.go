package translate

import (
	"strings"
	"unicode"

	"dragoman/translate/messages"
)

// toolNames finds the offered tools by the names that a model writes. Tools and calls may be
// many, so the names are in maps.
type toolNames struct {
	list   []messages.Tool
	byName map[string]*messages.Tool   // made when the first name is looked up
	byFold map[string][]*messages.Tool // by the name without its case: see folded
}

// find returns the offered tool that a name stands for: the one of that name, or the only one
// that differs in case alone.
func (t *toolNames) find(name string) (tool *messages.Tool, ok bool) {
	if t.byName == nil {
		t.byName = make(map[string]*messages.Tool, len(t.list))
		t.byFold = make(map[string][]*messages.Tool, len(t.list))
		for i := range t.list {
			tool := &t.list[i]
			if t.byName[tool.Name] == nil {
				t.byName[tool.Name] = tool
			}
			fold := folded(tool.Name)
			t.byFold[fold] = append(t.byFold[fold], tool)
		}
	}
	if tool = t.byName[name]; tool != nil {
		return tool, true
	}
	if alike := t.byFold[folded(name)]; len(alike) == 1 {
		return alike[0], true
	}
	return nil, false
}

// folded returns the same for all names that differ in case alone, as [strings.EqualFold] says.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}
