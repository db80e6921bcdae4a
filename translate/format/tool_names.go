package format

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// ToolNames finds the offered tools by the names that a model writes. Tools and calls may be
// many, so the names are in maps, which are made when they are needed: most requests offer few tools,
// and most names are written as they are.
type ToolNames struct {
	List   []messages.Tool
	byName map[string]*messages.Tool
	byFold map[string][]*messages.Tool // by the name without its case: see folded
	byCore map[string][]*messages.Tool // by the name without its affixes and its case
}

// Find returns the offered tool that a name stands for: the one of that name; or the only one that
// differs in case alone; or the only one that is the same but for affixes, and perhaps for case. It
// returns nil if there is none. Unless the name is the tool's own, reason says how it differs
// (docs/reference/legacy-format.md §12 row 9).
func (t *ToolNames) Find(name string) (tool *messages.Tool, reason string) {
	if tool = t.Named(name); tool != nil {
		return tool, ""
	}
	if len(name) > MaxToolName {
		return nil, ""
	}
	if t.byFold == nil {
		t.index()
	}
	if alike := t.byFold[folded(name)]; len(alike) == 1 {
		return alike[0], "name_case"
	}
	core, meant := "", 0
	for core = range withoutAffixes(name) {
		if found := t.Named(core); found != nil && found != tool {
			tool, meant = found, meant+1
		}
	}
	if alike := t.byCore[folded(core)]; meant == 0 && core != "" && len(alike) == 1 {
		tool, meant = alike[0], 1
	}
	if meant == 0 {
		tool, meant = t.byPart(core)
	}
	if meant != 1 {
		return nil, ""
	}
	return tool, "tool_name"
}

// maxListed is how many tools are looked through by name one after another.
const maxListed = 64

// Named returns the offered tool of that very name, or nil.
func (t *ToolNames) Named(name string) *messages.Tool {
	if len(t.List) <= maxListed {
		for i := range t.List {
			if t.List[i].Name == name {
				return &t.List[i]
			}
		}
		return nil
	}
	if t.byName == nil {
		t.byName = make(map[string]*messages.Tool, len(t.List))
		for i := range t.List {
			if tool := &t.List[i]; t.byName[tool.Name] == nil {
				t.byName[tool.Name] = tool
			}
		}
	}
	return t.byName[name]
}

// index makes the maps of names that are nearly those of the tools.
func (t *ToolNames) index() {
	t.byFold = make(map[string][]*messages.Tool, len(t.List))
	t.byCore = make(map[string][]*messages.Tool, len(t.List))
	for i := range t.List {
		tool := &t.List[i]
		fold, core := folded(tool.Name), folded(coreOf(tool.Name))
		t.byFold[fold] = append(t.byFold[fold], tool)
		t.byCore[core] = append(t.byCore[core], tool)
	}
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

// namespaces are what models write before the name of a tool, with a dot between: the names under
// which other makers' prompts list them.
var namespaces = []string{"functions", "function", "tools", "tool", "default_api"}

// withoutAffixes yields a name without what models put around one: quotes, back-ticks, parentheses
// and white space, and the method that Llama calls of its own tools; and then without each namespace before it. The last is its core.
func withoutAffixes(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more; {
			name = strings.TrimSuffix(strings.TrimFunc(name, isAffix), ".call")
			if !yield(name) {
				return
			}
			var space, rest string
			if space, rest, more = strings.Cut(name, "."); more {
				name, more = rest, isNamespace(strings.TrimFunc(space, isAffix))
			}
		}
	}
}

// coreOf returns a name without affixes.
func coreOf(name string) (core string) {
	for core = range withoutAffixes(name) {
	}
	return core
}

// isAffix reports whether r may stand around a name.
func isAffix(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`()\\“”‘’„‚«»‹›", r)
}

// isNamespace reports whether s is one of namespaces, in any case of its letters.
func isNamespace(s string) bool {
	for _, n := range namespaces {
		if strings.EqualFold(s, n) {
			return true
		}
	}
	return false
}

// MaxOfferedName is the longest name that the API allows a tool to have, in bytes.
const MaxOfferedName = 128

// IsToolName reports whether the API allows a tool to have the name (docs/reference/messages-api.md §5).
func IsToolName(name string) bool {
	return name != "" && len(name) <= MaxOfferedName && strings.IndexFunc(name, breaksToolName) < 0
}

// breaksToolName reports whether r cannot stand in the name of a tool.
func breaksToolName(r rune) bool {
	return r >= 0x80 || r == '.' || r == ':' || !markup.IsNameByte(byte(r))
}

// byPart finds the tools that a qualified name stands for: the one with _ for each dot, and the one that is its last
// part, as in browser.search or mcp__web__search. meant is how many there are. What stands before the last part has
// to be a name, too: it may be text of a client that is shown escaped.
func (t *ToolNames) byPart(name string) (tool *messages.Tool, meant int) {
	name = strings.TrimPrefix(name, "$")
	if strings.ContainsFunc(name, func(r rune) bool { return breaksToolName(r) && !strings.ContainsRune(".:/", r) }) {
		return nil, 0
	}
	last := name[strings.LastIndexAny(name, ".:/")+1:]
	if i := strings.LastIndex(last, "__"); i >= 0 {
		last = last[i+len("__"):]
	}
	for _, written := range [...]string{name, strings.ReplaceAll(name, ".", "_"), last} {
		if found := t.Named(written); found != nil && found != tool {
			tool, meant = found, meant+1
		}
	}
	return tool, meant
}

// Core returns a name that no offered tool has without its affixes, for a client to answer that there is no such
// tool. It is "" if no tool can have that name, or if it is a placeholder for one, as in an explanation of the format.
func (t *ToolNames) Core(name string) string {
	if len(name) > MaxToolName || isPlaceholder(name) {
		return ""
	}
	core := coreOf(name)
	if tool, _ := t.Find(core); tool != nil || !IsToolName(core) { // which the call was not clearly for
		return ""
	}
	return core
}

// isPlaceholder reports whether a name stands for any name: $TOOL_NAME, {name}, [the tool], "...".
func isPlaceholder(name string) bool {
	return strings.ContainsAny(name, "$<>{}[]…") || strings.Contains(name, "..")
}

// OfID returns the name of the tool in an id that models write in its place: functions.book:0
// (docs/reference/formats.md §4). Without the dot or the colon it is the name of an offered tool that
// decides where that begins and ends.
func (t *ToolNames) OfID(id string) string {
	id = strings.TrimSpace(id)
	plain := strings.TrimPrefix(id, "functions.")
	if colon := strings.LastIndexByte(plain, ':'); colon >= 0 && strings.Trim(plain[colon+1:], "0123456789") == "" {
		plain = plain[:colon]
	}
	if t.Named(plain) != nil {
		return plain
	}
	for _, prefix := range [...]string{"", "functions.", "functions_", "functions"} {
		rest, ok := strings.CutPrefix(id, prefix)
		if !ok {
			continue
		}
		core := strings.TrimRight(rest, "0123456789")
		for end := len(rest); end >= len(core); end-- { // the name may end in digits of its own
			if t.Named(rest[:end]) != nil {
				return rest[:end]
			}
		}
		if name := strings.TrimRight(core, "_:."); t.Named(name) != nil {
			return name
		}
	}
	return plain
}

// WithoutID returns a name that no tool has without the id of a call that stands right behind it, where the marker
// between them was erased: letters and digits, of both.
func (t *ToolNames) WithoutID(name string) string {
	n := len(name) - CallIDLen
	if n <= 0 || t.Named(name) != nil || t.Named(name[:n]) == nil {
		return name
	}
	id := name[n:]
	if !strings.ContainsAny(id, "0123456789") || strings.ContainsAny(id, "_-") {
		return name
	}
	return name[:n]
}

// Unqualified returns the name of an offered tool that stands behind a namespace, as in
// default_api:book, or the name as it is.
func (t *ToolNames) Unqualified(name string) string {
	if t.Named(name) == nil {
		if i := strings.LastIndexAny(name, ":."); t.Named(name[i+1:]) != nil {
			return name[i+1:]
		}
	}
	return name
}

// InHeader returns the name of a tool to which words of the header may be joined.
func (t *ToolNames) InHeader(name string) string {
	for rest := name; ; {
		if tool, _ := t.Find(rest); tool != nil {
			return rest
		}
		k := slices.IndexFunc(ChannelWords[:], func(word string) bool { return strings.HasSuffix(rest, word) })
		if k < 0 {
			return name
		}
		rest = strings.TrimSuffix(rest, ChannelWords[k])
	}
}

// MayOpen reports whether the name behind the text of an opener is that of a tool, as the parser finds it there.
func (t *ToolNames) MayOpen(before, name string) bool {
	switch before {
	case "":
		return t.Named(t.WithoutID(name)) != nil
	case GemmaCall:
		name = t.Unqualified(strings.TrimRight(name, ":"))
	case HeaderTo:
		name = t.InHeader(name)
	}
	tool, _ := t.Find(name)
	return tool != nil
}
