package translate

// language holds the sentences that are said to a model, in one language. Two are elsewhere: the
// descriptions of the tools that the API defines itself (messages/builtin.go), which stand in for
// what a client would have written, and what a check finds wrong with an answer (Checks). What
// clients and operators are told is in English and stands with the code that tells it.
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

	// What the model is told when the parameters of a call do not fit the schema of its
	// tool. The result of that call is askAgainMisfit, what does not fit, and
	// askAgainCalls; that of each other call is askAgainOtherMisfit and askAgainCalls.
	askAgainMisfit, askAgainOtherMisfit, askAgainCalls string

	// What it is told when a call could not be read. The result of that call is
	// askAgainUnread, the reason, and askAgainForm; that of each other call is
	// askAgainOtherUnread and askAgainForm.
	askAgainUnread, askAgainOtherUnread, askAgainForm string
	// The reasons why a call could not be read, each named after its
	// [messages.Outcome.Reason]; askAgainNoEnd is for all other reasons.
	askAgainDoubtfulValue, askAgainInvalidJSON, askAgainStrayText, askAgainStrayCloser, askAgainToolName, askAgainNoEnd string

	// What it is told when its answer is not the JSON of output_config.format:
	// askAgainWrongJSON, then askAgainNotJSON or what does not fit the schema, and
	// askAgainJSON.
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

// english has every sentence. Those that introduce the tools are protocol text, exact
// (docs/reference/legacy-format.md §2): models know them best.
var english = language{
	name:         "en",
	toolsOffered: "In this environment you have access to a set of tools you can use to answer the user's question.",
	callExample:  "You may call them like this:",
	toolList:     "Here are the tools available:",
	plainValues:  "Strings and other single values stand as they are, without quotes or escapes. Lists and objects are written as JSON.",
	jsonBlocks:   "Write one such block for each call, and nothing after the last one: the results come next.",

	oneCallAtATime: "Call at most one tool at a time: one call, then wait for its result.",
	thinkFirst:     "Think first: begin every answer with your reasoning between <thinking> and </thinking>. What follows is your answer, or a call to a tool.",
	answerInJSON:   "Your answer, when it is not a call to a tool, is one JSON value and nothing else: no words before or after it, no code fence. It fits this JSON Schema:\n",
	callTool:       "Answer with a call to the tool %s now, and write nothing before it.",
	callAnyTool:    "Answer with a call to one of the tools now, and write nothing before it.",

	toolFits:     "The tool %s fits.",
	titleLabel:   "Title: ",
	sourceLabel:  "Source: ",
	contextLabel: "Context: ",
	errorLabel:   "Error: ",

	askAgainMisfit:        "not run: the parameters do not fit the tool. ",
	askAgainOtherMisfit:   "not run, because another call was wrong",
	askAgainCalls:         "\nMake the calls again.",
	askAgainUnread:        "The call could not be read, and was not run. ",
	askAgainDoubtfulValue: "It is not certain where a value in it ends.",
	askAgainInvalidJSON:   "Its parameters are not valid JSON.",
	askAgainStrayText:     "There is text where only tags belong.",
	askAgainStrayCloser:   "There is a closing tag that closes nothing.",
	askAgainToolName:      "The name of the tool is not one of a tool.",
	askAgainNoEnd:         "It does not come to its end.",
	askAgainOtherUnread:   "not run, because another call could not be read",
	askAgainForm:          "\nMake the calls again, exactly in the form that was shown.",
	askAgainWrongJSON:     "That is not the JSON that was asked for. ",
	askAgainNotJSON:       "It is not one JSON value.",
	askAgainJSON:          "\nAnswer again, with the JSON value alone.",

	common: "the and of is that for with you what this are have it not be on how your can my from",
}

// The other languages of the legacy documentation say the same as the English sentences.
var portuguese = language{
	name:         "pt",
	toolsOffered: "Neste ambiente, você tem acesso a um conjunto de ferramentas que pode usar para responder à pergunta do usuário.",
	callExample:  "Você pode chamá-las assim:",
	toolList:     "Estas são as ferramentas disponíveis:",
	plainValues:  "Textos e outros valores simples são escritos como são, sem aspas nem escapes. Listas e objetos são escritos em JSON.",
	jsonBlocks:   "Escreva um bloco como este para cada chamada e nada depois do último: em seguida vêm os resultados.",

	common: "não você uma para com em os dos das meu minha por mais isso está são qual quais também obrigado quero seu sua ao pela pelo",
}

var french = language{
	name:         "fr",
	toolsOffered: "Dans cet environnement, vous avez accès à un ensemble d'outils que vous pouvez utiliser pour répondre à la question de l'utilisateur.",
	callExample:  "Vous pouvez les appeler ainsi :",
	toolList:     "Voici les outils disponibles :",
	plainValues:  "Les chaînes et les autres valeurs simples s'écrivent telles quelles, sans guillemets ni échappement. Les listes et les objets s'écrivent en JSON.",
	jsonBlocks:   "Écrivez un tel bloc pour chaque appel, et rien après le dernier : les résultats viennent ensuite.",

	common: "le les des et est pour dans une vous je pas sur avec ce cette mon quel quelle au aux nous merci où été qui plus",
}

var russian = language{
	name:         "ru",
	toolsOffered: "В этой среде вам доступен набор инструментов, которые можно использовать, чтобы ответить на вопрос пользователя.",
	callExample:  "Вы можете вызывать их так:",
	toolList:     "Доступные инструменты:",
	plainValues:  "Строки и другие простые значения пишутся как есть, без кавычек и экранирования. Списки и объекты пишутся в формате JSON.",
	jsonBlocks:   "Пишите по одному такому блоку на каждый вызов и ничего после последнего: затем придут результаты.",
}

var indonesian = language{
	name:         "id",
	toolsOffered: "Di lingkungan ini Anda memiliki akses ke sekumpulan alat yang dapat Anda gunakan untuk menjawab pertanyaan pengguna.",
	callExample:  "Anda dapat memanggilnya seperti ini:",
	toolList:     "Berikut adalah alat yang tersedia:",
	plainValues:  "String dan nilai tunggal lain ditulis apa adanya, tanpa tanda kutip atau escape. Daftar dan objek ditulis sebagai JSON.",
	jsonBlocks:   "Tulis satu blok seperti ini untuk setiap panggilan, dan jangan tulis apa pun setelah blok terakhir: hasilnya menyusul.",

	common: "yang dan di untuk dengan saya apa ini itu tidak dari anda berapa bagaimana adalah pada bisa ke akan tolong apakah kita ada",
}
