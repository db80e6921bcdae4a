package simulated

// Which tools the simulated model calls: those that the question names or, if it names
// none, the one that shares most words with it.

// choose returns the tools to call: those that the question names, in the order of the
// question, else the one that shares most words with it. It returns none if no tool
// shares a word.
func (r *parsedPrompt) choose() []shownTool {
	var named []shownTool
	text := r.question.text
	for i := range text {
		if i > 0 && wordByte(text[i-1]) {
			continue // within a word
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

// contains reports whether a tool of this name is among tools.
func contains(tools []shownTool, name string) bool {
	for _, t := range tools {
		if t.name == name {
			return true
		}
	}
	return false
}

// best returns the tool that shares most with the question, the first of those that
// share as much.
func (r *parsedPrompt) best(tools []shownTool) (best shownTool) {
	most := -1
	for _, t := range tools {
		if n := r.overlap(t); n > most {
			best, most = t, n
		}
	}
	return best
}

// overlap returns how much a tool shares with the question. A word of its name counts
// three times as much as one of its description. Each word counts once.
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
		delete(weight, w) // counted once
	}
	return sum
}

// demanded returns the tools to call where the prompt demands a call: the tool that the
// instruction names, else those that fit the question, else the first. There has to be a
// tool.
func (r *parsedPrompt) demanded() []shownTool {
	var best shownTool
	for _, t := range r.tools {
		if len(t.name) > len(best.name) && startsWithWord(r.named, t.name) {
			best = t
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
