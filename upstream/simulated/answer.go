package simulated

import (
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// signature begins all prose of the simulated model.
const signature = "[simulated] "

// completion returns the whole completion, before stop sequences and max_tokens cut it.
func (c *conversation) completion() string {
	if c.req.MustCall() {
		return c.calls(c.demanded())
	}
	chosen := c.choose()
	if c.req.OutputSchema != nil && (len(c.results) > 0 || len(chosen) == 0) {
		return c.prompt.Escape(string(c.question.value(c.req.OutputSchema)))
	}
	text := signature
	if c.prefill != "" && !strings.HasSuffix(c.prefill, "\n") {
		text = " " + text // the answer continues the prefill as the next sentence
	}
	switch {
	case len(c.results) > 0:
		return text + c.prompt.Escape(c.report())
	case len(chosen) > 0:
		return text + "I will call " + join(chosen) + ".\n\n" + c.calls(chosen)
	case len(c.tools) > 0:
		text += "None of the tools fits. "
	}
	if c.question.text == "" {
		return text + "You said nothing in words."
	}
	return text + c.prompt.Escape("You said: "+c.question.text)
}

// report returns the results as text, one line for each.
func (c *conversation) report() string {
	var lines []string
	for _, r := range c.results {
		tool := strings.TrimSuffix("The tool "+r.tool, " ")
		switch {
		case r.failed:
			lines = append(lines, tool+" failed: "+r.text)
		case r.text == "":
			lines = append(lines, tool+" returned nothing.")
		default:
			lines = append(lines, tool+" returned: "+r.text)
		}
	}
	return strings.Join(lines, "\n")
}

// join returns the names of tools as part of a sentence.
func join(tools []messages.Tool) string {
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].Name
	}
	return strings.Join(names, " and ")
}

// calls returns calls to the tools, in the format of the prompt.
func (c *conversation) calls(tools []messages.Tool) string {
	list := make([]translate.ToolUse, len(tools))
	values := c.question // values are taken from the question, each once
	for i := range tools {
		list[i] = translate.ToolUse{Name: tools[i].Name, Input: values.input(tools[i].InputSchema)}
	}
	return c.prompt.WriteCalls(list)
}
