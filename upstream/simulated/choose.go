package simulated

import "strings"

// choose returns the tools to call: those that the question names, in its order,
// else the one that shares most with it, else none.
func (r *parsedPrompt) choose() []shownTool {
	var named []shownTool
	text := r.question.text
	for i := range text {
		if i > 0 && wordByte(text[i-1]) {
			continue
		}
		for _, t := range r.tools {
			if startsWithWord(text[i:], t.name) && !contains(named, t.name) {
				named = append(named, t)
			}
		}
	}
	if len(named) == 0 {
		if best := r.best(r.tools); r.overlap(best) > 0 {
			named = append(named, best)
		}
	}
	if len(named) > 1 && r.single {
		named = named[:1]
	}
	return named
}

func contains(tools []shownTool, name string) bool {
	for _, t := range tools {
		if t.name == name {
			return true
		}
	}
	return false
}

// best returns the tool that shares most with the question, the first of equals.
func (r *parsedPrompt) best(tools []shownTool) (best shownTool) {
	most := -1
	for _, t := range tools {
		if n := r.overlap(t); n > most {
			best, most = t, n
		}
	}
	return best
}

// overlap weighs the words that a tool shares with the question: one in its name
// counts for three in its description.
func (r *parsedPrompt) overlap(t shownTool) int {
	const inName, inDescription = 3, 1
	weight := make(map[string]int)
	for _, w := range keywords(t.description) {
		weight[w] = inDescription
	}
	for _, w := range keywords(t.name) {
		weight[w] = inName
	}
	sum := 0
	for _, w := range keywords(r.question.text) {
		sum += weight[w]
		delete(weight, w)
	}
	return sum
}

// demanded returns the tool that the instruction names, else those that fit the
// question, else the first.
func (r *parsedPrompt) demanded() []shownTool {
	var best shownTool
	if named, ok := strings.CutPrefix(r.asked, askTool); ok {
		for _, t := range r.tools {
			if len(t.name) > len(best.name) && startsWithWord(named, t.name) {
				best = t
			}
		}
	}
	if best.name != "" {
		return []shownTool{best}
	}
	if chosen := r.choose(); len(chosen) > 0 {
		return chosen
	}
	return r.tools[:1]
}
