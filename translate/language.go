package translate

// language holds what is said to the model in words, in one language: to the model
// alone, since clients and operators are spoken to in English.
//
// A sentence that a language does not have yet is "" where the language is declared. It
// is said in English.
type language struct {
	name string

	// The introduction of the tools: these three, with the format's example of a call
	// after the second, and the descriptions after the third.
	toolsOffered, callExample, toolList string
	// How a call is written, for formats whose example does not show it all: that single
	// values are not quoted, and that each call is a block of JSON.
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

	// common are words that texts in the language use all the time, and those in the
	// others do not: see guessLanguage.
	common string
}

// sentences returns all that l says to a model.
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
