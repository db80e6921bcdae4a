package format

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"unicode"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// ToolNames finds the offered tool for a name that a model writes. It has maps because a request
// may have many tools and calls. It makes them only when needed: most requests have few tools, and
// most names are exact.
type ToolNames struct {
	List   []messages.Tool
	byName map[string]*messages.Tool
	byFold map[string][]*messages.Tool // by folded name
	byCore map[string][]*messages.Tool // by name without affixes, folded
}

// Find returns the offered tool that a name means. It tries the exact name first. Then it tries the
// only tool that differs in case, and then the only tool that differs in affixes and perhaps case.
// It returns nil if there is no such tool. If the name is not exact, reason says how it differs
// (docs/reference/legacy-format.md §12 row 9).
func (t *ToolNames) Find(name string) (tool *messages.Tool, reason messages.Reason) {
	if tool = t.Named(name); tool != nil {
		return tool, messages.ReasonNone
	}
	if len(name) > MaxToolName {
		return nil, messages.ReasonNone
	}
	if t.byFold == nil {
		t.index()
	}
	if alike := t.byFold[folded(name)]; len(alike) == 1 {
		return alike[0], messages.ReasonNameCase
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
		return nil, messages.ReasonNone
	}
	return tool, messages.ReasonToolName
}

// maxListed is the number of tools up to which Find searches the list instead of a map.
const maxListed = 64

// Named returns the offered tool with exactly this name, or with this [ServerName]; nil if there is none.
func (t *ToolNames) Named(name string) *messages.Tool {
	if tool := t.exact(name); tool != nil || len(name) != maxServerName {
		return tool
	}
	for i := range t.List {
		if own := t.List[i].Name; len(own) > maxServerName && own[:serverStem] == name[:serverStem] && ServerName(own) == name {
			return &t.List[i]
		}
	}
	return nil
}

// exact returns the offered tool with exactly this name, or nil.
func (t *ToolNames) exact(name string) *messages.Tool {
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

// index makes the maps of inexact names.
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

// folded returns the same text for all names that differ only in case, as [strings.EqualFold]
// defines it.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// namespaces are prefixes that models write before the name of a tool, with a dot after them. Other
// vendors' prompts list tools under them.
var namespaces = []string{"functions", "function", "tools", "tool", "default_api"}

// withoutAffixes yields a name without the quotes, back-ticks, parentheses and white space that
// models write around it, and without Llama's method for its built-in tools. Then it yields the
// name without each namespace before it. The last text is the name's core.
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

// isAffix reports whether a model may write r before or after a name.
func isAffix(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`()\\“”‘’„‚«»‹›", r)
}

// isNamespace reports whether s is in namespaces, in any case.
func isNamespace(s string) bool {
	for _, n := range namespaces {
		if strings.EqualFold(s, n) {
			return true
		}
	}
	return false
}

// The longest name of a tool that all servers of chat completions take, and how much of a longer name is kept.
const (
	maxServerName = 64
	serverStem    = 55
)

// ServerName returns the name of a tool for a server's tools API. A name that is too long becomes its beginning, _ and
// 8 digits of its hash. [ToolNames] finds the tool for it.
func ServerName(name string) string {
	if len(name) <= maxServerName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:serverStem] + "_" + hex.EncodeToString(sum[:4])
}

// MaxOfferedName is the length in bytes of the longest tool name that the API allows.
const MaxOfferedName = 128

// IsToolName reports whether the API allows name as the name of a tool
// (docs/reference/messages-api.md §5).
func IsToolName(name string) bool {
	return name != "" && len(name) <= MaxOfferedName && strings.IndexFunc(name, breaksToolName) < 0
}

// breaksToolName reports whether the API forbids r in the name of a tool.
func breaksToolName(r rune) bool {
	return r >= 0x80 || r == '.' || r == ':' || !markup.IsNameByte(byte(r))
}

// byPart finds the tools that a qualified name such as browser.search, mcp__web__search or
// functions.search:0 may mean: the tool with _ in place of each dot, in the whole name or in its part
// after the last colon, and the tool named after the last part. meant is the number of such tools. The
// text before the last part has to be a name too, because it may be escaped text of a client.
func (t *ToolNames) byPart(name string) (tool *messages.Tool, meant int) {
	name = withoutCounter(strings.TrimPrefix(name, "$"))
	if strings.ContainsFunc(name, func(r rune) bool { return breaksToolName(r) && !strings.ContainsRune(".:/", r) }) {
		return nil, 0
	}
	last := name[strings.LastIndexAny(name, ".:/")+1:]
	if i := strings.LastIndex(last, "__"); i >= 0 {
		last = last[i+len("__"):]
	}
	dotted := name[strings.LastIndexAny(name, ":/")+1:]
	for _, written := range [...]string{name, strings.ReplaceAll(name, ".", "_"), strings.ReplaceAll(dotted, ".", "_"), qualified.Replace(name), last} {
		if found := t.Named(written); found != nil && found != tool {
			tool, meant = found, meant+1
		}
	}
	return tool, meant
}

// qualified writes a qualified name as MCP servers do: mcp__notes__add for mcp:notes:add.
var qualified = strings.NewReplacer(".", "__", ":", "__", "/", "__")

// withoutCounter returns a name without the number of the call after it: search:0.
func withoutCounter(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// Core returns a name without affixes, if no offered tool has it. The client gets it in a call, and
// can answer that there is no such tool. Core returns "" if no tool can have the name, or if the
// name is a placeholder, as in an explanation of the format.
func (t *ToolNames) Core(name string) string {
	if len(name) > MaxToolName || isPlaceholder(name) {
		return ""
	}
	core := coreOf(name)
	if tool, _ := t.Find(core); tool != nil || !IsToolName(core) { // the call may mean this tool, but not clearly
		return ""
	}
	return core
}

// isPlaceholder reports whether name is a placeholder: $TOOL_NAME, {name}, [the tool], "...".
func isPlaceholder(name string) bool {
	return strings.ContainsAny(name, "$<>{}[]…") || strings.Contains(name, "..")
}

// OfID returns the name of the tool in an id that a model writes in place of the name:
// functions.book:0 (docs/reference/formats.md §4). If the dot or the colon is missing, the names of
// the offered tools show where the name begins and ends.
func (t *ToolNames) OfID(id string) string {
	id = strings.Join(strings.Fields(id), "")
	plain := withoutCounter(strings.TrimPrefix(id, "functions."))
	if t.Named(plain) != nil {
		return plain
	}
	for _, prefix := range [...]string{"", "functions.", "functions_", "functions"} {
		rest, ok := strings.CutPrefix(id, prefix)
		if !ok {
			continue
		}
		core := strings.TrimRight(rest, "0123456789")
		for end := len(rest); end >= len(core); end-- { // the name itself may end in digits
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

// WithoutID returns a name without the id of a call directly after it, if no tool has the whole
// name. That happens if the marker between them was erased. The id has both letters and digits.
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

// Unqualified returns the name of an offered tool without its namespace, as in default_api:book.
// Any other name stays unchanged, such as a name that fits two tools.
func (t *ToolNames) Unqualified(name string) string {
	if t.Named(name) == nil {
		i := strings.LastIndexAny(name, ":.")
		if tool, meant := t.byPart(name); t.Named(name[i+1:]) != nil && (tool == nil || meant == 1) {
			return name[i+1:]
		}
	}
	return name
}

// InHeader returns the name of a tool without the header words that may directly follow it.
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

// MayOpen reports whether name, after the text of an opener, is the name of a tool for the parser.
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
