package simulated

import "strings"

// The tools of the format whose texts stand in quotes of its own, and names in none
// (docs/reference/formats.md §9).

// ownQuotes stand before and after a text there, and declarations before and behind a tool.
var (
	ownQuotes    = []string{`<|"|>`, "<escape>"}
	declarations = [][2]string{{"<|tool>declaration:", "<tool|>"}, {"<start_function_declaration>declaration:", "<end_function_declaration>"}}
)

// readDeclarations is readTools for tools that are declared one by one.
func readDeclarations(system string) (tools []shownTool, rest string) {
	for i, marks := range declarations {
		for text := range eachBetween(system, marks[0], marks[1]) {
			if name, literal, found := strings.Cut(text, "{"); found {
				tools = appendObjects(tools, `{"name":`+string(quoteJSON(name))+","+quoteNames(literal, ownQuotes[i]))
			}
		}
		if tools != nil {
			return tools, afterLast(system, marks[1])
		}
	}
	return nil, system
}

// readLines is readTools for tools that stand on lines of their own without a tag around them: as JSON, or
// below a heading with their name (docs/reference/formats.md §12).
func readLines(system string) (tools []shownTool, rest string) {
	rest = system
	var name string
	for at := 0; at < len(system); {
		line, _, _ := strings.Cut(system[at:], "\n")
		at = min(len(system), at+len(line)+1)
		before := len(tools)
		if heading, found := strings.CutPrefix(line, "### "); found {
			name = heading
		} else if schema, found := strings.CutPrefix(line, "Parameters: "); found && name != "" {
			tools = appendObjects(tools, `{"name":`+string(quoteJSON(name))+`,"parameters":`+schema+"}")
		} else if line == "{" { // over several lines
			object, _, _ := strings.Cut(system[at:], "\n}")
			tools = appendObjects(tools, line+object+"}")
		} else if strings.HasPrefix(line, "{") || strings.Contains(line, "[{") {
			tools = appendObjects(tools, line)
		}
		if len(tools) > before {
			rest = system[at:]
		}
	}
	return tools, rest
}

// quoteNames returns a literal as JSON: with quotes around names, and those of JSON around texts. What
// is JSON in it stays.
func quoteNames(literal, quote string) string {
	var out strings.Builder
	for i, part := range strings.Split(literal, quote) {
		if i%2 == 1 {
			out.Write(quoteJSON(part))
			continue
		}
		for part != "" {
			n := wordLength(part)
			switch {
			case part[0] == '"':
				n = stringLength(part)
			case n == 0:
				n = 1
			case strings.HasPrefix(part[n:], ":"):
				out.Write(quoteJSON(part[:n]))
				part = part[n:]
				continue
			}
			out.WriteString(part[:n])
			part = part[n:]
		}
	}
	return out.String()
}

// wordLength returns how many bytes of a word a text begins with.
func wordLength(s string) int {
	for i := range len(s) {
		if !wordByte(s[i]) {
			return i
		}
	}
	return len(s)
}

// stringLength returns how many bytes of a JSON string a text begins with.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
