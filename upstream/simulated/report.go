package simulated

import "strings"

// report tells what the tools returned.
func report(turn string) string {
	results, _, _ := strings.Cut(afterLast(turn, resultsStart), resultsEnd)
	var lines []string
	for {
		result, failure := strings.Index(results, "<result>"), strings.Index(results, "<error>")
		if result < 0 && failure < 0 {
			break
		}
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

// reportOne tells what one element of the results says.
func reportOne(s string) string {
	name, _ := between(s, "<tool_name>", "</tool_name>")
	tool := strings.TrimSuffix("The tool "+name, " ")
	if _, text, failed := strings.Cut(s, "<error>"); failed {
		text, _, _ = strings.Cut(text, "</error>")
		return tool + " failed: " + strings.TrimSpace(text)
	}
	if text, _ := between(s, "<stdout>", "</stdout>"); text != "" {
		return tool + " returned: " + text
	}
	return tool + " returned nothing."
}

// reportJSON tells what the results of the format in JSON say.
func reportJSON(turn string) string {
	var lines []string
	for text := range eachElement(turn, "tool_response") {
		text = strings.TrimSpace(text)
		if reason, failed := strings.CutPrefix(text, "Error: "); failed {
			lines = append(lines, "The tool failed: "+reason)
		} else {
			lines = append(lines, "The tool returned: "+text)
		}
	}
	return strings.Join(lines, "\n")
}
