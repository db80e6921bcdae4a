package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// transcript returns all of the conversation.
func (c *demoClient) transcript() string {
	var s strings.Builder
	section := func(title, text string) {
		fmt.Fprintf(&s, "\n======== %s ========\n\n%s\n", title, strings.Trim(text, "\n"))
	}
	s.WriteString("Dragoman demo: a real server on a loopback port, and a simulated model: a built-in program that reads\nthe prompt and answers in the legacy XML, as a model without a tool API would.\n")
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
	screenSplit = 41 // where the client's half of it begins
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
	for line := range strings.Lines(first.prompt) {
		if line = strings.TrimSpace(line); strings.Contains(line, call.Name) || strings.Contains(line, demoQuestion) {
			fmt.Fprintf(&s, "  %s\n", c.paintXML(paint, line))
		}
	}

	title(pad("It writes", screenSplit) + "The client receives, meanwhile")
	right := c.received(strings.Split(first.completion, "\n"))
	for i, line := range strings.Split(first.completion, "\n") {
		if line != "" {
			left := clip("  "+line, screenSplit)
			s.WriteString(strings.TrimRight(c.paintXML(paint, left)+strings.Repeat(" ", screenSplit-utf8.RuneCountInString(left))+c.paintJSON(paint, right[i]), " ") + "\n")
		}
	}

	title("The client runs the tool, and sends its result. The model is asked again")
	fmt.Fprintf(&s, "  %s\n", strings.Replace(clip(second.answer.text(), screenWidth-2), demoResult, paint.green(demoResult), 1))

	title("Next: dragoman serve --simulated    All of this: dragoman demo --verbose")
	return s.String()
}

// received returns what the client got of each line of the completion, "" for nothing: a block, with
// the pieces in which it came.
func (c *demoClient) received(completion []string) []string {
	lines := make([]string, len(completion))
	at := 0
	put := func(with, text string) { // in the next line that has with in it
		for i := at; i < len(lines); i++ {
			if strings.Contains(completion[i], with) && lines[i] == "" {
				lines[i], at = clip(text, screenWidth-screenSplit), i
				return
			}
		}
	}
	answer := c.steps[0].answer
	for _, b := range answer.blocks {
		if b.Type == "text" {
			put(b.Text, "text      "+strings.Join(b.pieces, "·"))
			continue
		}
		put(b.Name, "tool_use  "+b.Name)
		put("<city>", "input     "+strings.Join(b.pieces, "·"))
	}
	put("stopped at", "stop      "+answer.stop)
	return lines
}

// paintXML colours the tags, the name of the tool and its argument.
func (c *demoClient) paintXML(paint painter, line string) string {
	open, last := strings.Index(line, "<"), strings.LastIndex(line, "</")
	if open < 0 || strings.Contains(line, "stopped at") {
		return line
	}
	if end := strings.Index(line, ">"); last > end {
		text := line[end+1 : last]
		colour := paint.green
		if text == c.steps[0].answer.toolUse().Name {
			colour = paint.cyan
		}
		return line[:open] + paint.yellow(line[open:end+1]) + colour(text) + paint.yellow(line[last:])
	}
	return line[:open] + paint.yellow(line[open:])
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
