package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// transcript returns all of the conversation.
func (c *demoClient) transcript() string {
	var s strings.Builder
	section := func(title, text string) {
		fmt.Fprintf(&s, "\n======== %s ========\n\n%s\n", title, strings.Trim(text, "\n"))
	}
	fmt.Fprintf(&s, "Dragoman demo: a real server on a loopback port, and a simulated model: a built-in program that reads\nthe prompt and writes calls in the format %s, as a model without a tool API would.\n", c.format)
	before := ""
	for i, step := range c.steps {
		title := "turn 1: the question"
		if i > 0 {
			title = "turn 2: the client has run the tool and sends the result"
		}
		fmt.Fprintf(&s, "\n################ %s ################\n", title)
		section("the client sends: POST "+c.url, step.request)
		prompt := step.prompt
		if rest, ok := strings.CutPrefix(prompt, strings.TrimSuffix(before, "\n\nAssistant:")); ok && i > 0 {
			prompt = "(as before, and then)\n" + rest
		}
		before = step.prompt
		section("the model is asked", prompt)
		section("the model writes (raw completion)", step.completion)
		section("the client receives (events)", step.stream)
	}
	call := c.steps[0].answer.toolUse()
	fmt.Fprintf(&s, `
################ in short ################

asked     %s
called    %s(%s)
found     %s
answered  %s

Next: dragoman serve --simulated, and point a client of the Messages API at it.
`, demoQuestion, call.Name, call.Input, demoResult, c.steps[1].answer.text())
	return s.String()
}

// The screen that the demo fits on, in characters.
const (
	screenWidth = 80
	screenSplit = 42 // where the client's half of it begins
)

// screen returns the conversation on one screen: what the model writes, and beside it what the client
// receives of that. A name and a value have the same colour on both sides.
func (c *demoClient) screen(paint painter) string {
	var s strings.Builder
	title := func(text string) { s.WriteString("\n" + paint.bold(text) + "\n") }
	first, second := c.steps[0], c.steps[1]
	call := first.answer.toolUse()
	s.WriteString("Dragoman demo: a real server, and a simulated model. It only completes text.\n")

	s.WriteString(paint.bold("The client asks, with a tool that it has: "+call.Name) + "\n  " + demoQuestion + "\n")

	title(fmt.Sprintf("The model is asked in text, of %d lines, where there is", 1+strings.Count(first.prompt, "\n")))
	named := false // the example call names the tool again
	for line := range strings.Lines(first.prompt) {
		line = strings.TrimSpace(line)
		names := strings.Contains(line, call.Name) && !named
		if named = named || names; names || strings.Contains(line, demoQuestion) {
			fmt.Fprintf(&s, "  %s\n", c.paintMarkup(paint, clip(line, screenWidth-2)))
		}
	}

	title(pad("It writes", screenSplit) + "The client receives, meanwhile")
	for _, row := range c.beside(rows(first.completion, screenSplit-3)) {
		room := strings.Repeat(" ", screenSplit-2-utf8.RuneCountInString(row[0]))
		s.WriteString(strings.TrimRight("  "+c.paintMarkup(paint, row[0])+room+c.paintJSON(paint, row[1]), " ") + "\n")
	}

	title("The client runs the tool, and sends its result. The model is asked again")
	fmt.Fprintf(&s, "  %s\n", strings.Replace(clip(second.answer.text(), screenWidth-2), demoResult, paint.green(demoResult), 1))

	title("Next: dragoman serve --simulated    All of this: dragoman demo --verbose")
	return s.String()
}

// rows returns the lines of a text, without those that are empty. Lines that are longer than width are
// broken before or behind a tag or an object, or else at a space.
func rows(text string, width int) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for utf8.RuneCountInString(line) > width {
			first := string([]rune(line)[:width])
			at := max(strings.LastIndexAny(first, "<{"), strings.LastIndex(first, ">")+1)
			if at <= 0 {
				at = cmp.Or(max(0, strings.LastIndexByte(first, ' ')), len(first))
			}
			list, line = append(list, line[:at]), line[at:]
		}
		if line != "" {
			list = append(list, line)
		}
	}
	return list
}

// beside returns the rows of a completion, and beside each what the client got of it, "" for nothing:
// a block, with the pieces in which it came.
func (c *demoClient) beside(completion []string) [][2]string {
	list := make([][2]string, len(completion))
	for i, row := range completion {
		list[i][0] = row
	}
	at := 0
	put := func(with, text string) { // beside the next row that has with in it
		if i := slices.IndexFunc(list[at:], func(row [2]string) bool { return strings.Contains(row[0], with) }); i > 0 {
			at += i
		}
		if list[at][1] != "" {
			at++
			list = slices.Insert(list, at, [2]string{})
		}
		list[at][1] = clip(text, screenWidth-screenSplit)
	}
	answer := c.steps[0].answer
	for _, b := range answer.blocks {
		if b.Type == "text" {
			put(b.Text, "text      "+strings.Join(b.pieces, "·"))
			continue
		}
		if list[at][1] != "" { // the text before it, which may name the tool
			at++
		}
		put(b.Name, "tool_use  "+b.Name)
		put(b.argument(), "input     "+strings.Join(b.pieces, "·"))
	}
	at = len(list) - 1
	put("", "stop      "+answer.stop)
	return list
}

// paintMarkup colours the markup of a line, and in it the name of the tool and its argument. A line that
// has the argument alone is markup, too.
func (c *demoClient) paintMarkup(paint painter, line string) string {
	call := c.steps[0].answer.toolUse()
	if strings.HasPrefix(line, "[simulated]") || strings.HasPrefix(line, "[stopped at") || line == "[ended]" || strings.Contains(line, demoQuestion) {
		return line
	}
	painted := ""
	for _, part := range []struct {
		text   string
		colour func(string) string
	}{{call.Name, paint.cyan}, {call.argument(), paint.green}} {
		if before, after, found := strings.Cut(line, part.text); found {
			painted += paint.yellow(before) + part.colour(part.text)
			line = after
		}
	}
	return painted + paint.yellow(line)
}

// paintJSON colours what the client got: the name of the block's type, and the name of the tool or
// its input.
func (c *demoClient) paintJSON(paint painter, line string) string {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "tool_use":
		rest = paint.cyan(rest)
	case "input":
		rest = paint.green(rest)
	}
	return paint.bold(kind) + " " + rest
}

// pad returns a text with spaces behind it.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// clip returns as much of a text as there is room for, with a mark if there is more of it.
func clip(s string, width int) string {
	if runes := []rune(s); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return s
}
