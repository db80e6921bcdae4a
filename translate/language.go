package translate

// language holds the sentences that are said to a model, in one language. Two are elsewhere: the
// descriptions of the tools that the API defines itself (messages/builtin.go), which stand in for
// what a client would have written, and what a check finds wrong with an answer (Checks). What
// clients and operators are told is in English and stands with the code that tells it.
//
// Every language has every sentence, with the verbs (%s) and the white space at both ends
// of the English one.
type language struct {
	name string // its ISO 639-1 code

	// The introduction of the tools: these three, with the format's example of a call
	// after the second, and the tool descriptions after the third.
	toolsOffered, callExample, toolList string
	// What the example of a call does not show: in the attribute format, how values are
	// written; in the JSON format, that each call is a block.
	plainValues, jsonBlocks string
	// The same of formats that have all calls of an answer in one section.
	oneSection string
	// What the list of reminders of DeepSeek says, besides: that the parameters have to fit, and that the name
	// has to be that of a tool.
	fitSchemas, knownTool string
	// What introduces the example call. A sentence that none is needed if no tool fits cost a small model its
	// parallel calls, wherever it stood (docs/evaluation.md).
	exampleCall string
	// What a model is told that is free to call: to write several calls if it has to.
	severalCalls string

	// Instructions that follow from other fields of the request: disable_parallel_tool_use,
	// thinking, output_config.format (the schema stands after it) and, where the model
	// takes no prefill, tool_choice. The %s is the name of the tool.
	oneCallAtATime, thinkFirst, answerInJSON, callTool, callAnyTool string
	// The instruction that follows from tool_choice none.
	callNoTool string

	// Words within the contents of results and documents. The %s is the name of the tool
	// that a tool_reference names; a label stands before the client's own words, nameLabel
	// before the name that an upstream gives a document.
	toolFits, nameLabel, titleLabel, sourceLabel, contextLabel, errorLabel string

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
	askAgainDoubtfulValue, askAgainInvalidJSON, askAgainInvalidLiteral, askAgainStrayText, askAgainStrayCloser string
	askAgainToolName, askAgainBareCall, askAgainTooLong, askAgainNoEnd                                         string

	// What it is told when its answer is not the JSON of output_config.format:
	// askAgainWrongJSON, then askAgainNotJSON or what does not fit the schema, and
	// askAgainJSON.
	askAgainWrongJSON, askAgainNotJSON, askAgainJSON string

	// What it is told when tool_choice forces a call and its first call is not that one, or
	// there is none. The result of a call of another tool is askAgainWrongTool, and what
	// stands last is askAgainUncalled, before callTool or callAnyTool.
	askAgainWrongTool, askAgainUncalled string
	// What it is told when its answer is nothing but a call, and tool_choice is none.
	askAgainInWords string
}

// english is the default. The three sentences that introduce the tools are protocol text in
// every language, exact as the editions of the documentation have them: models know them
// best (docs/reference/legacy-format.md §2).
var english = language{
	name:         "en",
	toolsOffered: "In this environment you have access to a set of tools you can use to answer the user's question.",
	callExample:  "You may call them like this:",
	toolList:     "Here are the tools available:",
	plainValues:  "Strings and other single values stand as they are, without quotes or escapes. Lists and objects are written as JSON.",
	jsonBlocks:   "Write one such block for each call, and nothing after the last one: the results come next.",
	oneSection:   "Several calls stand one after another within one such section, and nothing after it: the results come next.",
	fitSchemas:   "Give every parameter that is required, and only what the schema of the tool allows.",
	knownTool:    "Name exactly one of the tools above.",

	exampleCall:  "If a tool fits the request, call it like this (these values are made up):",
	severalCalls: "If the request needs several calls, write all of them, one after another.",

	oneCallAtATime: "Call at most one tool at a time: one call, then wait for its result.",
	thinkFirst:     "Think first: begin every answer with your reasoning between <thinking> and </thinking>. What follows is your answer, or a call to a tool.",
	answerInJSON:   "Your answer, when it is not a call to a tool, is one JSON value and nothing else: no words before or after it, no code fence. It fits this JSON Schema:\n",
	callTool:       "Answer with a call to the tool %s now, and write nothing before it.",
	callAnyTool:    "Answer with a call to one of the tools now, and write nothing before it.",
	callNoTool:     "Do not call any of the tools now: answer in words.",

	toolFits:     "The tool %s fits.",
	nameLabel:    "Name: ",
	titleLabel:   "Title: ",
	sourceLabel:  "Source: ",
	contextLabel: "Context: ",
	errorLabel:   "Error: ",

	askAgainMisfit:         "not run: the parameters do not fit the tool. ",
	askAgainOtherMisfit:    "not run, because another call was wrong",
	askAgainCalls:          "\nMake the calls again.",
	askAgainUnread:         "The call could not be read, and was not run. ",
	askAgainDoubtfulValue:  "It is not certain where a value in it ends.",
	askAgainInvalidJSON:    "Its parameters are not valid JSON.",
	askAgainInvalidLiteral: "Its parameters are not values of the form that was shown.",
	askAgainStrayText:      "There is text where only tags belong.",
	askAgainStrayCloser:    "There is a closing tag that closes nothing.",
	askAgainToolName:       "The name of the tool is not one of a tool.",
	askAgainBareCall:       "The tag that opens it is missing, or a parameter that the tool requires.",
	askAgainTooLong:        "It is too long.",
	askAgainNoEnd:          "It does not come to its end.",
	askAgainOtherUnread:    "not run, because another call could not be read",
	askAgainForm:           "\nMake the calls again, exactly in the form that was shown.",
	askAgainWrongJSON:      "That is not the JSON that was asked for. ",
	askAgainNotJSON:        "It is not one JSON value.",
	askAgainJSON:           "\nAnswer again, with the JSON value alone.",
	askAgainWrongTool:      "not run: another tool was asked for",
	askAgainUncalled:       "That answer is not the call that was asked for.",
	askAgainInWords:        "You have called a tool, but no tool may be called now, and the call was not run. Answer in words.",
}

var portuguese = language{
	name:         "pt",
	toolsOffered: "Neste ambiente, você tem acesso a um conjunto de ferramentas que pode usar para responder à pergunta do usuário.",
	callExample:  "Você pode chamá-las assim:",
	toolList:     "Aqui estão as ferramentas disponíveis:",
	plainValues:  "Textos e outros valores simples são escritos como são, sem aspas nem escapes. Listas e objetos são escritos em JSON.",
	jsonBlocks:   "Escreva um bloco como este para cada chamada e nada depois do último: em seguida vêm os resultados.",
	oneSection:   "Várias chamadas ficam uma após a outra dentro de uma única seção como esta, e nada depois dela: em seguida vêm os resultados.",
	fitSchemas:   "Forneça todos os parâmetros obrigatórios, e apenas o que o esquema da ferramenta permite.",
	knownTool:    "O nome é exatamente o de uma das ferramentas acima.",

	exampleCall:  "Se uma ferramenta servir para o pedido, chame-a assim (estes valores são inventados):",
	severalCalls: "Se o pedido exigir várias chamadas, escreva todas, uma após a outra.",

	oneCallAtATime: "Chame no máximo uma ferramenta por vez: faça uma chamada e espere o resultado dela.",
	thinkFirst:     "Pense primeiro: comece cada resposta com o seu raciocínio entre <thinking> e </thinking>. O que vem depois é a sua resposta ou uma chamada a uma ferramenta.",
	answerInJSON:   "A sua resposta, quando não for uma chamada a uma ferramenta, é um único valor JSON e nada mais: nenhuma palavra antes ou depois dele, nenhum bloco de código. Ele segue este JSON Schema:\n",
	callTool:       "Responda agora com uma chamada à ferramenta %s e não escreva nada antes dela.",
	callAnyTool:    "Responda agora com uma chamada a uma das ferramentas e não escreva nada antes dela.",
	callNoTool:     "Não chame nenhuma das ferramentas agora: responda em palavras.",

	toolFits:     "A ferramenta %s é adequada.",
	nameLabel:    "Nome: ",
	titleLabel:   "Título: ",
	sourceLabel:  "Fonte: ",
	contextLabel: "Contexto: ",
	errorLabel:   "Erro: ",

	askAgainMisfit:         "não executada: os parâmetros não correspondem à ferramenta. ",
	askAgainOtherMisfit:    "não executada, porque outra chamada estava errada",
	askAgainCalls:          "\nFaça as chamadas de novo.",
	askAgainUnread:         "Não foi possível ler a chamada, e ela não foi executada. ",
	askAgainDoubtfulValue:  "Não é certo onde termina um dos valores dela.",
	askAgainInvalidJSON:    "Os parâmetros dela não são JSON válido.",
	askAgainInvalidLiteral: "Os parâmetros dela não são valores na forma mostrada.",
	askAgainStrayText:      "Há texto onde só pode haver tags.",
	askAgainStrayCloser:    "Há uma tag de fechamento que não fecha nada.",
	askAgainToolName:       "O nome indicado não é o de nenhuma ferramenta.",
	askAgainBareCall:       "Falta a tag que a abre, ou um parâmetro que a ferramenta exige.",
	askAgainTooLong:        "Ela é longa demais.",
	askAgainNoEnd:          "Ela não chega ao fim.",
	askAgainOtherUnread:    "não executada, porque não foi possível ler outra chamada",
	askAgainForm:           "\nFaça as chamadas de novo, exatamente na forma mostrada.",
	askAgainWrongJSON:      "Esse não é o JSON que foi pedido. ",
	askAgainNotJSON:        "Não é um único valor JSON.",
	askAgainJSON:           "\nResponda de novo, apenas com o valor JSON.",
	askAgainWrongTool:      "não executada: foi pedida outra ferramenta",
	askAgainUncalled:       "Essa resposta não é a chamada que foi pedida.",
	askAgainInWords:        "Você chamou uma ferramenta, mas nenhuma pode ser chamada agora, e a chamada não foi executada. Responda em palavras.",
}

var french = language{
	name:         "fr",
	toolsOffered: "Dans cet environnement, vous avez accès à un ensemble d’outils que vous pouvez utiliser pour répondre à la question de l’utilisateur.",
	callExample:  "Vous pouvez les appeler comme ceci :",
	toolList:     "Voici les outils disponibles :",
	plainValues:  "Les chaînes et les autres valeurs simples s’écrivent telles quelles, sans guillemets ni échappement. Les listes et les objets s’écrivent en JSON.",
	jsonBlocks:   "Écrivez un tel bloc pour chaque appel, et rien après le dernier : les résultats viennent ensuite.",
	oneSection:   "Plusieurs appels se suivent dans une seule section comme celle-ci, et rien ne vient après elle : les résultats viennent ensuite.",
	fitSchemas:   "Donnez tous les paramètres obligatoires, et seulement ce que le schéma de l’outil permet.",
	knownTool:    "Le nom est exactement celui d’un des outils ci-dessus.",

	exampleCall:  "Si un outil convient à la demande, appelez-le comme ceci (ces valeurs sont inventées) :",
	severalCalls: "Si la demande exige plusieurs appels, écrivez-les tous, l’un après l’autre.",

	oneCallAtATime: "Appelez un seul outil à la fois : faites un appel, puis attendez son résultat.",
	thinkFirst:     "Réfléchissez d’abord : commencez chaque réponse par votre raisonnement entre <thinking> et </thinking>. Ce qui suit est votre réponse, ou un appel d’outil.",
	answerInJSON:   "Votre réponse, quand elle n’est pas un appel d’outil, est une seule valeur JSON et rien d’autre : aucun mot avant ni après, aucun bloc de code. Elle est conforme à ce JSON Schema :\n",
	callTool:       "Répondez maintenant par un appel à l’outil %s, et n’écrivez rien avant.",
	callAnyTool:    "Répondez maintenant par un appel à l’un des outils, et n’écrivez rien avant.",
	callNoTool:     "N’appelez aucun des outils maintenant : répondez par des mots.",

	toolFits:     "L’outil %s convient.",
	nameLabel:    "Nom : ",
	titleLabel:   "Titre : ",
	sourceLabel:  "Source : ",
	contextLabel: "Contexte : ",
	errorLabel:   "Erreur : ",

	askAgainMisfit:         "non exécuté : les paramètres ne conviennent pas à l’outil. ",
	askAgainOtherMisfit:    "non exécuté, parce qu’un autre appel était incorrect",
	askAgainCalls:          "\nRefaites les appels.",
	askAgainUnread:         "L’appel n’a pas pu être lu, et n’a pas été exécuté. ",
	askAgainDoubtfulValue:  "On ne sait pas avec certitude où se termine l’une de ses valeurs.",
	askAgainInvalidJSON:    "Ses paramètres ne sont pas du JSON valide.",
	askAgainInvalidLiteral: "Ses paramètres ne sont pas des valeurs sous la forme indiquée.",
	askAgainStrayText:      "Il y a du texte là où seules des balises ont leur place.",
	askAgainStrayCloser:    "Il y a une balise fermante qui ne ferme rien.",
	askAgainToolName:       "Le nom indiqué n’est celui d’aucun outil.",
	askAgainBareCall:       "Il lui manque la balise qui l’ouvre, ou un paramètre que l’outil exige.",
	askAgainTooLong:        "Il est trop long.",
	askAgainNoEnd:          "Il n’arrive pas à sa fin.",
	askAgainOtherUnread:    "non exécuté, parce qu’un autre appel n’a pas pu être lu",
	askAgainForm:           "\nRefaites les appels, exactement sous la forme indiquée.",
	askAgainWrongJSON:      "Ce n’est pas le JSON demandé. ",
	askAgainNotJSON:        "Ce n’est pas une seule valeur JSON.",
	askAgainJSON:           "\nRépondez de nouveau, avec la valeur JSON seule.",
	askAgainWrongTool:      "non exécuté : c’est un autre outil qui était demandé",
	askAgainUncalled:       "Cette réponse n’est pas l’appel qui était demandé.",
	askAgainInWords:        "Vous avez appelé un outil, mais aucun outil ne peut être appelé maintenant, et l’appel n’a pas été exécuté. Répondez par des mots.",
}

var russian = language{
	name:         "ru",
	toolsOffered: "В этой среде у вас есть доступ к набору инструментов, которые вы можете использовать для ответа на вопрос пользователя.",
	callExample:  "Вы можете вызывать их следующим образом:",
	toolList:     "Вот доступные инструменты:",
	plainValues:  "Строки и другие простые значения пишутся как есть, без кавычек и экранирования. Списки и объекты пишутся в формате JSON.",
	jsonBlocks:   "Пишите по одному такому блоку на каждый вызов и ничего после последнего: затем придут результаты.",
	oneSection:   "Несколько вызовов пишутся друг за другом в одной такой секции, и ничего после неё: затем придут результаты.",
	fitSchemas:   "Указывайте все обязательные параметры и только то, что допускает схема инструмента.",
	knownTool:    "Имя в точности совпадает с именем одного из инструментов выше.",

	exampleCall:  "Если инструмент подходит к запросу, вызовите его так (эти значения вымышлены):",
	severalCalls: "Если запрос требует нескольких вызовов, напишите их все, один за другим.",

	oneCallAtATime: "Вызывайте не больше одного инструмента за раз: сделайте один вызов и дождитесь его результата.",
	thinkFirst:     "Сначала подумайте: начинайте каждый ответ с рассуждения между <thinking> и </thinking>. Дальше следует ваш ответ или вызов инструмента.",
	answerInJSON:   "Ваш ответ, если это не вызов инструмента, — одно значение JSON и ничего больше: ни слова до или после него, никаких блоков кода. Оно соответствует этой JSON Schema:\n",
	callTool:       "Ответьте сейчас вызовом инструмента %s и ничего не пишите перед ним.",
	callAnyTool:    "Ответьте сейчас вызовом одного из инструментов и ничего не пишите перед ним.",
	callNoTool:     "Сейчас не вызывайте никаких инструментов: ответьте словами.",

	toolFits:     "Подходит инструмент %s.",
	nameLabel:    "Имя: ",
	titleLabel:   "Заголовок: ",
	sourceLabel:  "Источник: ",
	contextLabel: "Контекст: ",
	errorLabel:   "Ошибка: ",

	askAgainMisfit:         "не выполнено: параметры не подходят к инструменту. ",
	askAgainOtherMisfit:    "не выполнено, потому что в другом вызове ошибка",
	askAgainCalls:          "\nСделайте вызовы ещё раз.",
	askAgainUnread:         "Вызов не удалось прочитать, и он не был выполнен. ",
	askAgainDoubtfulValue:  "Неясно, где заканчивается одно из его значений.",
	askAgainInvalidJSON:    "Его параметры не являются допустимым JSON.",
	askAgainInvalidLiteral: "Его параметры не являются значениями в показанной форме.",
	askAgainStrayText:      "Там, где могут быть только теги, стоит текст.",
	askAgainStrayCloser:    "Есть закрывающий тег, который ничего не закрывает.",
	askAgainToolName:       "Инструмента с таким именем нет.",
	askAgainBareCall:       "В нём нет открывающего тега или параметра, который нужен инструменту.",
	askAgainTooLong:        "Он слишком длинный.",
	askAgainNoEnd:          "Он не доведён до конца.",
	askAgainOtherUnread:    "не выполнено, потому что другой вызов не удалось прочитать",
	askAgainForm:           "\nСделайте вызовы ещё раз, точно в показанной форме.",
	askAgainWrongJSON:      "Это не тот JSON, который требовался. ",
	askAgainNotJSON:        "Это не одно значение JSON.",
	askAgainJSON:           "\nОтветьте ещё раз, одним только значением JSON.",
	askAgainWrongTool:      "не выполнено: требовался другой инструмент",
	askAgainUncalled:       "Этот ответ не является вызовом, который требовался.",
	askAgainInWords:        "Вы вызвали инструмент, но сейчас вызывать инструменты нельзя, и вызов не был выполнен. Ответьте словами.",
}

var indonesian = language{
	name:         "id",
	toolsOffered: "Dalam lingkungan ini Anda memiliki akses ke seperangkat alat yang dapat Anda gunakan untuk menjawab pertanyaan pengguna.",
	callExample:  "Anda dapat memanggilnya seperti ini:",
	toolList:     "Berikut adalah alat yang tersedia:",
	plainValues:  "String dan nilai tunggal lain ditulis apa adanya, tanpa tanda kutip atau escape. Daftar dan objek ditulis sebagai JSON.",
	jsonBlocks:   "Tulis satu blok seperti ini untuk setiap panggilan, dan jangan tulis apa pun setelah blok terakhir: hasilnya menyusul.",
	oneSection:   "Beberapa panggilan ditulis berurutan di dalam satu bagian seperti ini, dan jangan tulis apa pun setelahnya: hasilnya menyusul.",
	fitSchemas:   "Berikan semua parameter yang wajib, dan hanya yang diizinkan oleh skema alat.",
	knownTool:    "Namanya persis nama salah satu alat di atas.",

	exampleCall:  "Jika ada alat yang sesuai dengan permintaan, panggillah seperti ini (nilai-nilai ini dikarang):",
	severalCalls: "Jika permintaan memerlukan beberapa panggilan, tulis semuanya, satu demi satu.",

	oneCallAtATime: "Panggil paling banyak satu alat setiap kali: buat satu panggilan, lalu tunggu hasilnya.",
	thinkFirst:     "Berpikirlah dahulu: mulailah setiap jawaban dengan penalaran Anda di antara <thinking> dan </thinking>. Setelah itu barulah jawaban Anda, atau panggilan ke sebuah alat.",
	answerInJSON:   "Jawaban Anda, jika bukan panggilan ke sebuah alat, adalah satu nilai JSON dan tidak ada yang lain: tanpa kata-kata sebelum atau sesudahnya, tanpa blok kode. Nilai itu sesuai dengan JSON Schema ini:\n",
	callTool:       "Jawablah sekarang dengan panggilan ke alat %s, dan jangan tulis apa pun sebelumnya.",
	callAnyTool:    "Jawablah sekarang dengan panggilan ke salah satu alat, dan jangan tulis apa pun sebelumnya.",
	callNoTool:     "Jangan panggil alat apa pun sekarang: jawablah dengan kata-kata.",

	toolFits:     "Alat %s cocok.",
	nameLabel:    "Nama: ",
	titleLabel:   "Judul: ",
	sourceLabel:  "Sumber: ",
	contextLabel: "Konteks: ",
	errorLabel:   "Kesalahan: ",

	askAgainMisfit:         "tidak dijalankan: parameternya tidak sesuai dengan alat itu. ",
	askAgainOtherMisfit:    "tidak dijalankan, karena panggilan lain salah",
	askAgainCalls:          "\nBuat kembali panggilan itu.",
	askAgainUnread:         "Panggilan itu tidak dapat dibaca, dan tidak dijalankan. ",
	askAgainDoubtfulValue:  "Tidak pasti di mana salah satu nilainya berakhir.",
	askAgainInvalidJSON:    "Parameternya bukan JSON yang valid.",
	askAgainInvalidLiteral: "Parameternya bukan nilai dalam bentuk yang ditunjukkan.",
	askAgainStrayText:      "Ada teks di tempat yang hanya boleh berisi tag.",
	askAgainStrayCloser:    "Ada tag penutup yang tidak menutup apa pun.",
	askAgainToolName:       "Nama itu bukan nama alat mana pun.",
	askAgainBareCall:       "Tidak ada tag yang membukanya, atau parameter yang diwajibkan alat itu.",
	askAgainTooLong:        "Panggilan itu terlalu panjang.",
	askAgainNoEnd:          "Panggilan itu tidak sampai pada akhirnya.",
	askAgainOtherUnread:    "tidak dijalankan, karena panggilan lain tidak dapat dibaca",
	askAgainForm:           "\nBuat kembali panggilan itu, persis dalam bentuk yang ditunjukkan.",
	askAgainWrongJSON:      "Itu bukan JSON yang diminta. ",
	askAgainNotJSON:        "Itu bukan satu nilai JSON.",
	askAgainJSON:           "\nJawab kembali, dengan nilai JSON saja.",
	askAgainWrongTool:      "tidak dijalankan: yang diminta adalah alat lain",
	askAgainUncalled:       "Jawaban itu bukan panggilan yang diminta.",
	askAgainInWords:        "Anda memanggil sebuah alat, tetapi sekarang tidak ada alat yang boleh dipanggil, dan panggilan itu tidak dijalankan. Jawablah dengan kata-kata.",
}
