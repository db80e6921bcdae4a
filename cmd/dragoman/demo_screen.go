package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dragoman/cmd/dragoman/internal/terminal"
)

// transcript returns the whole conversation.
func (c *conversation) transcript() string {
	s := fmt.Sprintf("Dragoman demo: a real server on a loopback port, and a simulated model: a built-in program that reads\nthe prompt and writes calls in the format %s, as a model without a tool API would.\n", c.asked.format)
	turn := func(title, prompt string, step demoStep) {
		s += "\n################ " + title + " ################\n"
		for _, section := range [][2]string{
			{"the client sends: POST " + c.url, step.request},
			{"the model is asked", prompt},
			{"the model writes (raw completion)", step.completion},
			{"the client receives (events)", step.stream},
		} {
			s += fmt.Sprintf("\n======== %s ========\n\n%s\n", section[0], strings.Trim(section[1], "\n"))
		}
	}
	turn("turn 1: the question", c.asked.prompt, c.asked)
	before := strings.TrimSuffix(c.asked.prompt, "\n\nAssistant:")
	turn("turn 2: the client has run the tool and sends the result", strings.Replace(c.told.prompt, before, "(as before, and then)\n", 1), c.told)
	return s + fmt.Sprintf(`
################ in short ################

asked     %s
called    %s(%s)
found     %s
answered  %s

Next: dragoman serve --simulated, and point a client of the Messages API at it.
`, demoQuestion, demoTool, strings.Join(c.asked.input, ""), demoResult, strings.Join(c.told.text, ""))
}

// The screen that the demo fits on, in characters.
const (
	screenWidth = 80
	screenSplit = 42 // where the client's half begins
)

// screen returns the conversation on one screen: what the model writes, and beside it what the client receives. A name
// and a value have the same colour on both sides.
func (c *conversation) screen(paint terminal.Painter) string {
	s := "Dragoman demo: a real server, and a simulated model. It only completes text.\n" +
		paint.Bold("The client asks, with a tool that it has: "+demoTool) + "\n  " + demoQuestion + "\n"
	title := func(text string) { s += "\n" + paint.Bold(text) + "\n" }
	title(fmt.Sprintf("The model is asked in text, of %d lines, where there is", 1+strings.Count(c.asked.prompt, "\n")))
	lines := strings.Split(c.asked.prompt, "\n")
	for _, text := range []string{demoTool, demoQuestion} {
		i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
		s += "  " + markup(paint, clip(strings.TrimSpace(lines[i]), screenWidth-2)) + "\n"
	}
	title(fmt.Sprintf("%-*s%s", screenSplit, "It writes", "The client receives, meanwhile"))
	for _, row := range c.beside(paint) {
		if row[1] != "" {
			row[0] = fmt.Sprintf("%-*s", screenSplit-2, row[0])
		}
		s += "  " + markup(paint, row[0]) + row[1] + "\n"
	}
	title("The client runs the tool, and sends its result. The model is asked again")
	s += "  " + strings.Replace(clip(strings.Join(c.told.text, ""), screenWidth-2), demoResult, paint.Green(demoResult), 1) + "\n"
	title("Next: dragoman serve --simulated    All of this: dragoman demo --verbose")
	return s
}

// beside returns the rows of the first completion, each with the client's part of it, or "": a block and the pieces in
// which it arrived.
func (c *conversation) beside(paint terminal.Painter) (rows [][2]string) {
	for line := range strings.Lines(c.asked.completion) {
		rows = wrap(rows, strings.TrimRight(line, "\n"), screenSplit-3)
	}
	// put writes beside the first row from at on that contains a text.
	put := func(at int, with, kind, text string) int {
		at += max(0, slices.IndexFunc(rows[at:], func(row [2]string) bool { return strings.Contains(row[0], with) }))
		if rows[at][1] != "" {
			at++
			rows = slices.Insert(rows, at, [2]string{})
		}
		rows[at][1] = paint.Bold(fmt.Sprintf("%-10s", kind)) + text
		return at
	}
	joined := func(pieces []string) string { return clip(strings.Join(pieces, "·"), screenWidth-screenSplit-10) }
	put(0, "", "text", joined(c.asked.text))
	at := put(1, demoTool, "tool_use", paint.Cyan(demoTool)) // skip the text before the call, which may name the tool
	put(at, demoCity, "input", paint.Green(joined(c.asked.input)))
	put(len(rows)-1, "", "stop", string(c.asked.stop))
	return rows
}

// wrap appends a line as rows of at most width characters. It breaks the line before or after a tag or an object, or
// else at a space.
func wrap(rows [][2]string, line string, width int) [][2]string {
	for utf8.RuneCountInString(line) > width {
		first := string([]rune(line)[:width])
		at := cmp.Or(max(0, strings.LastIndexAny(first, "<{"), strings.LastIndex(first, ">")+1), max(1, strings.LastIndex(first, " ")))
		rows, line = append(rows, [2]string{line[:at]}), line[at:]
	}
	if line != "" {
		rows = append(rows, [2]string{line})
	}
	return rows
}

// markup colours the markup of a line, the tool's name and its argument.
func markup(p terminal.Painter, line string) string {
	begins := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
	if begins("[simulated] ") || begins("[stopped at ") || begins("[ended]") || strings.Contains(line, demoQuestion) {
		return line
	}
	if before, after, found := strings.Cut(line, demoTool); found {
		return p.Yellow(before) + p.Cyan(demoTool) + markup(p, after)
	}
	if before, after, found := strings.Cut(line, demoCity); found {
		return p.Yellow(before) + p.Green(demoCity) + p.Yellow(after)
	}
	return p.Yellow(line)
}

// clip returns as much of a text as fits, with a mark if it was cut.
func clip(s string, width int) string {
	if runes := []rune(s); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return s
}
