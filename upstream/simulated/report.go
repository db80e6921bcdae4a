package simulated

import "strings"

// What the simulated model says of the results of tools: a line for each.

// report returns what results say.
func report(results string) string {
	var lines []string
	opener := firstTag(results)
	if opener == resultsStart {
		return reportElements(results)
	}
	if strings.HasPrefix(opener, "<tool_responses") { // around all
		results = strings.TrimPrefix(results, opener+"\n")
		opener = firstTag(results)
	}
	for text := range eachBetween(results, opener, closerOf(opener)) {
		text = strings.TrimSpace(text)
		if heading, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(heading, "## ") { // the id of the call
			text = rest
		}
		if _, message, headed := strings.Cut(text, "<|message|>"); headed { // behind what says whose it is
			text = message
		}
		for _, quote := range ownQuotes {
			if said, quoted := between(text, quote, quote); quoted && strings.HasPrefix(text, "response:") {
				text = said
			}
		}
		if reason, failed := cutErrorLabel(text); failed {
			lines = append(lines, "The tool failed: "+reason)
		} else {
			lines = append(lines, "The tool returned: "+text)
		}
	}
	return strings.Join(lines, "\n")
}

// resultsStart opens the results in the formats that name their tools.
const resultsStart = "<function_results>"

// reportElements returns what results say that name their tools.
func reportElements(results string) string {
	var lines []string
	for {
		result, failure := strings.Index(results, "<result>"), strings.Index(results, "<error>")
		if result < 0 && failure < 0 {
			break
		}
		// An error may stand in the result of its tool or beside the results.
		text, end := results, "</result>"
		if result >= 0 && (failure < 0 || result < failure) {
			text = results[result:]
		} else {
			text, end = results[failure:], "</error>" // an error of no tool in particular
		}
		text, results, _ = strings.Cut(text, end)
		lines = append(lines, reportOne(text))
	}
	if len(lines) == 0 {
		return "The tools returned nothing."
	}
	return strings.Join(lines, "\n")
}

// reportOne returns what one element of the results says.
func reportOne(s string) string {
	name, _ := between(s, "<tool_name>", "</tool_name>")
	tool := strings.TrimSuffix("The tool "+name, " ")
	if _, text, failed := strings.Cut(s, "<error>"); failed {
		text, _, _ = strings.Cut(text, "</error>")
		return tool + " failed: " + strings.TrimSpace(text)
	}
	text, _ := between(s, "<stdout>", "</stdout>")
	if name == "" && text == "" {
		text = strings.TrimSpace(strings.TrimPrefix(s, "<result>"))
	}
	if reason, failed := cutErrorLabel(text); failed {
		return tool + " failed: " + reason
	}
	if text != "" {
		return tool + " returned: " + text
	}
	return tool + " returned nothing."
}

// cutErrorLabel returns what stands behind the label of an error, and whether text begins
// with one.
func cutErrorLabel(text string) (reason string, failed bool) {
	for _, ask := range instructions {
		if reason, failed = strings.CutPrefix(text, ask.ErrorLabel); failed {
			return reason, true
		}
	}
	return text, false
}
