package translate

// language holds every sentence that is said to a model, in one language. What clients and
// operators are told is in English and stands with the code that tells it.
//
// A sentence that is "" where a language is declared is not translated yet: it is said in
// English (orEnglish).
type language struct {
	name string

	// The introduction of the tools: these three, with the format's example of a call
	// after the second, and the tool descriptions after the third.
	toolsOffered, callExample, toolList string
	// What the example of a call does not show: in the attribute format, how values are
	// written; in the JSON format, that each call is a block.
	plainValues, jsonBlocks string

	// Instructions that follow from other fields of the request: disable_parallel_tool_use,
	// thinking, output_config.format (the schema stands after it) and, where the model
	// takes no prefill, tool_choice. The %s is the name of the tool.
	oneCallAtATime, thinkFirst, answerInJSON, callTool, callAnyTool string

	// Words within the contents of results and documents. The %s is the name of the tool
	// that a tool_reference names; a label stands before the client's own words.
	toolFits, titleLabel, sourceLabel, contextLabel, errorLabel string

	// What the model is told when its calls are not run, because the parameters of one do
	// not fit the schema of its tool: askAgainMisfit, and what does not fit, of that call;
	// askAgainOtherMisfit of the others; askAgainCalls after each.
	askAgainMisfit, askAgainOtherMisfit, askAgainCalls string

	// What it is told when one of its calls could not be read: askAgainUnread, and the
	// reason, of that call; askAgainOtherUnread of the others; askAgainForm after each.
	askAgainUnread, askAgainOtherUnread, askAgainForm string
	// The reasons why a call could not be read, named as [messages.Outcome.Reason] has
	// them; askAgainNoEnd stands for all that are not here.
	askAgainDoubtfulValue, askAgainInvalidJSON, askAgainStrayText, askAgainStrayCloser, askAgainToolName, askAgainNoEnd string

	// What it is told when its answer is not the JSON of output_config.format:
	// askAgainWrongJSON; askAgainNotJSON, or what does not fit the schema; askAgainJSON.
	askAgainWrongJSON, askAgainNotJSON, askAgainJSON string

	// common are words that most texts in the language have and texts in the others do
	// not, with blanks between: see guessLanguage.
	common string
}

// sentences returns pointers to all fields of l but name and common, each language's in
// the same order.
func (l *language) sentences() []*string {
	return []*string{
		&l.toolsOffered, &l.callExample, &l.toolList, &l.plainValues, &l.jsonBlocks,
		&l.oneCallAtATime, &l.thinkFirst, &l.answerInJSON, &l.callTool, &l.callAnyTool,
		&l.toolFits, &l.titleLabel, &l.sourceLabel, &l.contextLabel, &l.errorLabel,
		&l.askAgainMisfit, &l.askAgainOtherMisfit, &l.askAgainCalls,
		&l.askAgainUnread, &l.askAgainOtherUnread, &l.askAgainForm,
		&l.askAgainDoubtfulValue, &l.askAgainInvalidJSON, &l.askAgainStrayText, &l.askAgainStrayCloser, &l.askAgainToolName, &l.askAgainNoEnd,
		&l.askAgainWrongJSON, &l.askAgainNotJSON, &l.askAgainJSON,
	}
}
