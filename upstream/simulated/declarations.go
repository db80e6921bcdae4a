package simulated

import "strings"

// The tools of the format whose texts stand in quotes of its own, and names in none
// (docs/reference/formats.md §9).

// ownQuote stands before and after a text there.
const ownQuote = `<|"|>`

// readDeclarations is readTools for tools that are declared one by one.
func readDeclarations(system string) (tools []shownTool, rest string) {
	const end = "<tool|>"
	for text := range eachBetween(system, "<|tool>declaration:", end) {
		if name, literal, found := strings.Cut(text, "{"); found {
			tools = appendObjects(tools, `{"name":`+string(quoteJSON(name))+","+quoteNames(literal))
		}
	}
	if tools == nil {
		return nil, system
	}
	return tools, afterLast(system, end)
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
		} else if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[{") {
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
func quoteNames(literal string) string {
	var out strings.Builder
	for i, part := range strings.Split(literal, ownQuote) {
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
