package simulated

import (
	"slices"

	"dragoman/translate/messages"
)

// Choosing the tools to call: the tools that the question names or, if it names none, the tool that shares
// most words with it.

// choose returns the tools to call. These are the tools that the question names, in the order of the
// question. If it names none, this is the tool that shares most words with it. If no tool shares a word,
// choose returns none.
func (c *conversation) choose() []messages.Tool {
	var named []messages.Tool
	text := c.question.text
	for i := range text {
		if i > 0 && wordByte(text[i-1]) {
			continue // inside a word
		}
		for _, t := range c.tools {
			if startsWithWord(text[i:], t.Name) && !slices.ContainsFunc(named, func(n messages.Tool) bool { return n.Name == t.Name }) {
				named = append(named, t)
			}
		}
	}
	if len(named) == 0 {
		if best := c.best(c.tools); c.overlap(best) > 0 {
			named = append(named, best)
		}
	}
	if len(named) > 1 && c.req.ToolChoice.DisableParallelToolUse {
		named = named[:1]
	}
	return named
}

// best returns the tool that shares most words with the question; of several, the first.
func (c *conversation) best(tools []messages.Tool) (best messages.Tool) {
	most := -1
	for _, t := range tools {
		if n := c.overlap(t); n > most {
			best, most = t, n
		}
	}
	return best
}

// overlap returns how much a tool shares with the question. A word in its name counts three times as much as
// a word in its description. Each word counts once.
func (c *conversation) overlap(t messages.Tool) int {
	const inName, inDescription = 3, 1
	weight := make(map[string]int)
	for _, w := range keywords(t.Description) {
		weight[w] = inDescription
	}
	for _, w := range keywords(t.Name) {
		weight[w] = inName
	}
	sum := 0
	for _, w := range keywords(c.question.text) {
		sum += weight[w]
		delete(weight, w) // counted once
	}
	return sum
}

// demanded returns the tools to call if the request forces a call: the tool that the request names, otherwise
// the tools that fit the question, otherwise the first tool.
func (c *conversation) demanded() []messages.Tool {
	for i := range c.tools {
		if c.req.ToolChoice.Type == messages.ChoiceTool && c.tools[i].Name == c.req.ToolChoice.Name {
			return c.tools[i : i+1]
		}
	}
	if chosen := c.choose(); len(chosen) > 0 {
		return chosen
	}
	return c.tools[:1]
}
