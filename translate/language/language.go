package language

// Language is the sentences that Dragoman says to a model, in one language. Two kinds of sentences
// are elsewhere: the descriptions of the API's own tools (messages/builtin_tools.go), which replace
// a client's text, and the faults that a check finds in an answer (Checks). Texts for clients and
// operators are in English, next to the code that uses them.
//
// Every language has every sentence, with the same verbs (%s) and the same white space at both ends
// as in English.
type Language struct {
	Name string // its ISO 639-1 code

	// The introduction of the tools. The format's example of a call follows the second sentence,
	// and the tool descriptions follow the third.
	ToolsOffered, CallExample, ToolList string
	// What the example of a call does not show: how values are written (attribute format), and that
	// each call is a block (JSON format).
	PlainValues, JsonBlocks string
	// The same, for formats with all calls of an answer in one section.
	OneSection string
	// More reminders in DeepSeek's list: parameters must fit, and the name must be a tool's name.
	FitSchemas, KnownTool string
	// The introduction of the example call. A sentence that no call is needed if no tool fits cost
	// a small model its parallel calls, wherever it was placed (docs/explanation/measurements.md).
	ExampleCall string
	// For a model that may call: write several calls if necessary. SeveralCalls is in the system
	// prompt. AllCalls follows each request of the user, because models obey a sentence there far more
	// often (docs/explanation/measurements.md).
	SeveralCalls, AllCalls string

	// Instructions that follow from fields of the request: disable_parallel_tool_use, thinking,
	// output_config.format (the schema comes after it), and tool_choice if the model takes no
	// prefill. The %s is the name of the tool.
	OneCallAtATime, ThinkFirst, AnswerInJSON, CallTool, CallAnyTool string
	// The instruction for tool_choice none.
	CallNoTool string

	// Words in the contents of results and documents. The %s is the name of the tool that a
	// tool_reference names. A label comes before the client's own words; nameLabel comes before the
	// name that an upstream gives a document.
	ToolFits, nameLabel, TitleLabel, SourceLabel, ContextLabel, ErrorLabel string

	// For a model whose call has parameters that do not fit the tool's schema. The result of that
	// call is AskAgainMisfit, then the fault, then AskAgainCalls. The result of each other call is
	// AskAgainOtherMisfit and AskAgainCalls.
	AskAgainMisfit, AskAgainOtherMisfit, AskAgainCalls string

	// For a model whose call could not be read. The result of that call is AskAgainUnread, then the
	// reason, then AskAgainForm. The result of each other call is AskAgainOtherUnread and
	// AskAgainForm.
	AskAgainUnread, AskAgainOtherUnread, AskAgainForm string
	// The reasons why a call could not be read, named after [messages.Outcome.Reason].
	// AskAgainNoEnd is for all other reasons.
	AskAgainDoubtfulValue, AskAgainInvalidJSON, AskAgainInvalidLiteral, AskAgainStrayText, AskAgainStrayCloser string
	AskAgainToolName, AskAgainBareCall, AskAgainTooLong, AskAgainNoEnd                                         string

	// For a model whose answer is not the JSON of output_config.format: AskAgainWrongJSON, then
	// AskAgainNotJSON or the fault, then AskAgainJSON.
	AskAgainWrongJSON, AskAgainNotJSON, AskAgainJSON string

	// For a model that does not begin with the call that tool_choice forces. The result of a call
	// of another tool is AskAgainWrongTool. At the end comes AskAgainUncalled, before CallTool or
	// CallAnyTool.
	AskAgainWrongTool, AskAgainUncalled string
	// For a model that only calls, although tool_choice is none.
	AskAgainInWords string

	// The note after the results of a turn: for a model that is stuck, or for every turn.
	ResultNote string
}

// English is the default. In every language, the three sentences that introduce the tools are
// exactly the sentences of the documentation's edition, because models know those best
// (docs/reference/legacy-format.md §2).
var English = Language{
	Name:         "en",
	ToolsOffered: "In this environment you have access to a set of tools you can use to answer the user's question.",
	CallExample:  "You may call them like this:",
	ToolList:     "Here are the tools available:",
	PlainValues:  "Strings and other single values stand as they are, without quotes or escapes. Lists and objects are written as JSON.",
	JsonBlocks:   "Write one such block for each call, and nothing after the last one: the results come next.",
	OneSection:   "Several calls stand one after another within one such section, and nothing after it: the results come next.",
	FitSchemas:   "Give every parameter that is required, and only what the schema of the tool allows.",
	KnownTool:    "Name exactly one of the tools above.",

	ExampleCall:  "If a tool fits the request, call it like this (these values are made up):",
	SeveralCalls: "If the request needs several calls, write all of them, one after another.",
	AllCalls:     "If this needs several calls, write all of them, one after another.",

	OneCallAtATime: "Call at most one tool at a time: one call, then wait for its result.",
	ThinkFirst:     "Think first: begin every answer with your reasoning between <thinking> and </thinking>. What follows is your answer, or a call to a tool.",
	AnswerInJSON:   "Your answer, when it is not a call to a tool, is one JSON value and nothing else: no words before or after it, no code fence. It fits this JSON Schema:\n",
	CallTool:       "Answer with a call to the tool %s now, and write nothing before it.",
	CallAnyTool:    "Answer with a call to one of the tools now, and write nothing before it.",
	CallNoTool:     "Do not call any of the tools now: answer in words.",

	ToolFits:     "The tool %s fits.",
	nameLabel:    "Name: ",
	TitleLabel:   "Title: ",
	SourceLabel:  "Source: ",
	ContextLabel: "Context: ",
	ErrorLabel:   "Error: ",

	AskAgainMisfit:         "not run: the parameters do not fit the tool. ",
	AskAgainOtherMisfit:    "not run, because another call was wrong",
	AskAgainCalls:          "\nMake the calls again.",
	AskAgainUnread:         "The call could not be read, and was not run. ",
	AskAgainDoubtfulValue:  "It is not certain where a value in it ends.",
	AskAgainInvalidJSON:    "Its parameters are not valid JSON.",
	AskAgainInvalidLiteral: "Its parameters are not values of the form that was shown.",
	AskAgainStrayText:      "There is text where only tags belong.",
	AskAgainStrayCloser:    "There is a closing tag that closes nothing.",
	AskAgainToolName:       "The name of the tool is not one of a tool.",
	AskAgainBareCall:       "The tag that opens it is missing, or a parameter that the tool requires.",
	AskAgainTooLong:        "It is too long.",
	AskAgainNoEnd:          "It does not come to its end.",
	AskAgainOtherUnread:    "not run, because another call could not be read",
	AskAgainForm:           "\nMake the calls again, exactly in the form that was shown.",
	AskAgainWrongJSON:      "That is not the JSON that was asked for. ",
	AskAgainNotJSON:        "It is not one JSON value.",
	AskAgainJSON:           "\nAnswer again, with the JSON value alone.",
	AskAgainWrongTool:      "not run: another tool was asked for",
	AskAgainUncalled:       "That answer is not the call that was asked for.",
	AskAgainInWords:        "You have called a tool, but no tool may be called now, and the call was not run. Answer in words.",

	ResultNote: "If this answers the request, reply in words. Otherwise make the next call.",
}

var portuguese = Language{
	Name:         "pt",
	ToolsOffered: "Neste ambiente, você tem acesso a um conjunto de ferramentas que pode usar para responder à pergunta do usuário.",
	CallExample:  "Você pode chamá-las assim:",
	ToolList:     "Aqui estão as ferramentas disponíveis:",
	PlainValues:  "Textos e outros valores simples são escritos como são, sem aspas nem escapes. Listas e objetos são escritos em JSON.",
	JsonBlocks:   "Escreva um bloco como este para cada chamada e nada depois do último: em seguida vêm os resultados.",
	OneSection:   "Várias chamadas ficam uma após a outra dentro de uma única seção como esta, e nada depois dela: em seguida vêm os resultados.",
	FitSchemas:   "Forneça todos os parâmetros obrigatórios, e apenas o que o esquema da ferramenta permite.",
	KnownTool:    "O nome é exatamente o de uma das ferramentas acima.",

	ExampleCall:  "Se uma ferramenta servir para o pedido, chame-a assim (estes valores são inventados):",
	SeveralCalls: "Se o pedido exigir várias chamadas, escreva todas, uma após a outra.",
	AllCalls:     "Se isto exigir várias chamadas, escreva todas, uma após a outra.",

	OneCallAtATime: "Chame no máximo uma ferramenta por vez: faça uma chamada e espere o resultado dela.",
	ThinkFirst:     "Pense primeiro: comece cada resposta com o seu raciocínio entre <thinking> e </thinking>. O que vem depois é a sua resposta ou uma chamada a uma ferramenta.",
	AnswerInJSON:   "A sua resposta, quando não for uma chamada a uma ferramenta, é um único valor JSON e nada mais: nenhuma palavra antes ou depois dele, nenhum bloco de código. Ele segue este JSON Schema:\n",
	CallTool:       "Responda agora com uma chamada à ferramenta %s e não escreva nada antes dela.",
	CallAnyTool:    "Responda agora com uma chamada a uma das ferramentas e não escreva nada antes dela.",
	CallNoTool:     "Não chame nenhuma das ferramentas agora: responda em palavras.",

	ToolFits:     "A ferramenta %s é adequada.",
	nameLabel:    "Nome: ",
	TitleLabel:   "Título: ",
	SourceLabel:  "Fonte: ",
	ContextLabel: "Contexto: ",
	ErrorLabel:   "Erro: ",

	AskAgainMisfit:         "não executada: os parâmetros não correspondem à ferramenta. ",
	AskAgainOtherMisfit:    "não executada, porque outra chamada estava errada",
	AskAgainCalls:          "\nFaça as chamadas de novo.",
	AskAgainUnread:         "Não foi possível ler a chamada, e ela não foi executada. ",
	AskAgainDoubtfulValue:  "Não é certo onde termina um dos valores dela.",
	AskAgainInvalidJSON:    "Os parâmetros dela não são JSON válido.",
	AskAgainInvalidLiteral: "Os parâmetros dela não são valores na forma mostrada.",
	AskAgainStrayText:      "Há texto onde só pode haver tags.",
	AskAgainStrayCloser:    "Há uma tag de fechamento que não fecha nada.",
	AskAgainToolName:       "O nome indicado não é o de nenhuma ferramenta.",
	AskAgainBareCall:       "Falta a tag que a abre, ou um parâmetro que a ferramenta exige.",
	AskAgainTooLong:        "Ela é longa demais.",
	AskAgainNoEnd:          "Ela não chega ao fim.",
	AskAgainOtherUnread:    "não executada, porque não foi possível ler outra chamada",
	AskAgainForm:           "\nFaça as chamadas de novo, exatamente na forma mostrada.",
	AskAgainWrongJSON:      "Esse não é o JSON que foi pedido. ",
	AskAgainNotJSON:        "Não é um único valor JSON.",
	AskAgainJSON:           "\nResponda de novo, apenas com o valor JSON.",
	AskAgainWrongTool:      "não executada: foi pedida outra ferramenta",
	AskAgainUncalled:       "Essa resposta não é a chamada que foi pedida.",
	AskAgainInWords:        "Você chamou uma ferramenta, mas nenhuma pode ser chamada agora, e a chamada não foi executada. Responda em palavras.",

	ResultNote: "Se isto responde ao pedido, responda em palavras. Caso contrário, faça a próxima chamada.",
}

var french = Language{
	Name:         "fr",
	ToolsOffered: "Dans cet environnement, vous avez accès à un ensemble d’outils que vous pouvez utiliser pour répondre à la question de l’utilisateur.",
	CallExample:  "Vous pouvez les appeler comme ceci :",
	ToolList:     "Voici les outils disponibles :",
	PlainValues:  "Les chaînes et les autres valeurs simples s’écrivent telles quelles, sans guillemets ni échappement. Les listes et les objets s’écrivent en JSON.",
	JsonBlocks:   "Écrivez un tel bloc pour chaque appel, et rien après le dernier : les résultats viennent ensuite.",
	OneSection:   "Plusieurs appels se suivent dans une seule section comme celle-ci, et rien ne vient après elle : les résultats viennent ensuite.",
	FitSchemas:   "Donnez tous les paramètres obligatoires, et seulement ce que le schéma de l’outil permet.",
	KnownTool:    "Le nom est exactement celui d’un des outils ci-dessus.",

	ExampleCall:  "Si un outil convient à la demande, appelez-le comme ceci (ces valeurs sont inventées) :",
	SeveralCalls: "Si la demande exige plusieurs appels, écrivez-les tous, l’un après l’autre.",
	AllCalls:     "Si cela exige plusieurs appels, écrivez-les tous, l’un après l’autre.",

	OneCallAtATime: "Appelez un seul outil à la fois : faites un appel, puis attendez son résultat.",
	ThinkFirst:     "Réfléchissez d’abord : commencez chaque réponse par votre raisonnement entre <thinking> et </thinking>. Ce qui suit est votre réponse, ou un appel d’outil.",
	AnswerInJSON:   "Votre réponse, quand elle n’est pas un appel d’outil, est une seule valeur JSON et rien d’autre : aucun mot avant ni après, aucun bloc de code. Elle est conforme à ce JSON Schema :\n",
	CallTool:       "Répondez maintenant par un appel à l’outil %s, et n’écrivez rien avant.",
	CallAnyTool:    "Répondez maintenant par un appel à l’un des outils, et n’écrivez rien avant.",
	CallNoTool:     "N’appelez aucun des outils maintenant : répondez par des mots.",

	ToolFits:     "L’outil %s convient.",
	nameLabel:    "Nom : ",
	TitleLabel:   "Titre : ",
	SourceLabel:  "Source : ",
	ContextLabel: "Contexte : ",
	ErrorLabel:   "Erreur : ",

	AskAgainMisfit:         "non exécuté : les paramètres ne conviennent pas à l’outil. ",
	AskAgainOtherMisfit:    "non exécuté, parce qu’un autre appel était incorrect",
	AskAgainCalls:          "\nRefaites les appels.",
	AskAgainUnread:         "L’appel n’a pas pu être lu, et n’a pas été exécuté. ",
	AskAgainDoubtfulValue:  "On ne sait pas avec certitude où se termine l’une de ses valeurs.",
	AskAgainInvalidJSON:    "Ses paramètres ne sont pas du JSON valide.",
	AskAgainInvalidLiteral: "Ses paramètres ne sont pas des valeurs sous la forme indiquée.",
	AskAgainStrayText:      "Il y a du texte là où seules des balises ont leur place.",
	AskAgainStrayCloser:    "Il y a une balise fermante qui ne ferme rien.",
	AskAgainToolName:       "Le nom indiqué n’est celui d’aucun outil.",
	AskAgainBareCall:       "Il lui manque la balise qui l’ouvre, ou un paramètre que l’outil exige.",
	AskAgainTooLong:        "Il est trop long.",
	AskAgainNoEnd:          "Il n’arrive pas à sa fin.",
	AskAgainOtherUnread:    "non exécuté, parce qu’un autre appel n’a pas pu être lu",
	AskAgainForm:           "\nRefaites les appels, exactement sous la forme indiquée.",
	AskAgainWrongJSON:      "Ce n’est pas le JSON demandé. ",
	AskAgainNotJSON:        "Ce n’est pas une seule valeur JSON.",
	AskAgainJSON:           "\nRépondez de nouveau, avec la valeur JSON seule.",
	AskAgainWrongTool:      "non exécuté : c’est un autre outil qui était demandé",
	AskAgainUncalled:       "Cette réponse n’est pas l’appel qui était demandé.",
	AskAgainInWords:        "Vous avez appelé un outil, mais aucun outil ne peut être appelé maintenant, et l’appel n’a pas été exécuté. Répondez par des mots.",

	ResultNote: "Si cela répond à la demande, répondez par des mots. Sinon, faites l’appel suivant.",
}

var russian = Language{
	Name:         "ru",
	ToolsOffered: "В этой среде у вас есть доступ к набору инструментов, которые вы можете использовать для ответа на вопрос пользователя.",
	CallExample:  "Вы можете вызывать их следующим образом:",
	ToolList:     "Вот доступные инструменты:",
	PlainValues:  "Строки и другие простые значения пишутся как есть, без кавычек и экранирования. Списки и объекты пишутся в формате JSON.",
	JsonBlocks:   "Пишите по одному такому блоку на каждый вызов и ничего после последнего: затем придут результаты.",
	OneSection:   "Несколько вызовов пишутся друг за другом в одной такой секции, и ничего после неё: затем придут результаты.",
	FitSchemas:   "Указывайте все обязательные параметры и только то, что допускает схема инструмента.",
	KnownTool:    "Имя в точности совпадает с именем одного из инструментов выше.",

	ExampleCall:  "Если инструмент подходит к запросу, вызовите его так (эти значения вымышлены):",
	SeveralCalls: "Если запрос требует нескольких вызовов, напишите их все, один за другим.",
	AllCalls:     "Если для этого нужно несколько вызовов, напишите их все, один за другим.",

	OneCallAtATime: "Вызывайте не больше одного инструмента за раз: сделайте один вызов и дождитесь его результата.",
	ThinkFirst:     "Сначала подумайте: начинайте каждый ответ с рассуждения между <thinking> и </thinking>. Дальше следует ваш ответ или вызов инструмента.",
	AnswerInJSON:   "Ваш ответ, если это не вызов инструмента, — одно значение JSON и ничего больше: ни слова до или после него, никаких блоков кода. Оно соответствует этой JSON Schema:\n",
	CallTool:       "Ответьте сейчас вызовом инструмента %s и ничего не пишите перед ним.",
	CallAnyTool:    "Ответьте сейчас вызовом одного из инструментов и ничего не пишите перед ним.",
	CallNoTool:     "Сейчас не вызывайте никаких инструментов: ответьте словами.",

	ToolFits:     "Подходит инструмент %s.",
	nameLabel:    "Имя: ",
	TitleLabel:   "Заголовок: ",
	SourceLabel:  "Источник: ",
	ContextLabel: "Контекст: ",
	ErrorLabel:   "Ошибка: ",

	AskAgainMisfit:         "не выполнено: параметры не подходят к инструменту. ",
	AskAgainOtherMisfit:    "не выполнено, потому что в другом вызове ошибка",
	AskAgainCalls:          "\nСделайте вызовы ещё раз.",
	AskAgainUnread:         "Вызов не удалось прочитать, и он не был выполнен. ",
	AskAgainDoubtfulValue:  "Неясно, где заканчивается одно из его значений.",
	AskAgainInvalidJSON:    "Его параметры не являются допустимым JSON.",
	AskAgainInvalidLiteral: "Его параметры не являются значениями в показанной форме.",
	AskAgainStrayText:      "Там, где могут быть только теги, стоит текст.",
	AskAgainStrayCloser:    "Есть закрывающий тег, который ничего не закрывает.",
	AskAgainToolName:       "Инструмента с таким именем нет.",
	AskAgainBareCall:       "В нём нет открывающего тега или параметра, который нужен инструменту.",
	AskAgainTooLong:        "Он слишком длинный.",
	AskAgainNoEnd:          "Он не доведён до конца.",
	AskAgainOtherUnread:    "не выполнено, потому что другой вызов не удалось прочитать",
	AskAgainForm:           "\nСделайте вызовы ещё раз, точно в показанной форме.",
	AskAgainWrongJSON:      "Это не тот JSON, который требовался. ",
	AskAgainNotJSON:        "Это не одно значение JSON.",
	AskAgainJSON:           "\nОтветьте ещё раз, одним только значением JSON.",
	AskAgainWrongTool:      "не выполнено: требовался другой инструмент",
	AskAgainUncalled:       "Этот ответ не является вызовом, который требовался.",
	AskAgainInWords:        "Вы вызвали инструмент, но сейчас вызывать инструменты нельзя, и вызов не был выполнен. Ответьте словами.",

	ResultNote: "Если этого достаточно для ответа на запрос, ответьте словами. Если нет, сделайте следующий вызов.",
}

var indonesian = Language{
	Name:         "id",
	ToolsOffered: "Dalam lingkungan ini Anda memiliki akses ke seperangkat alat yang dapat Anda gunakan untuk menjawab pertanyaan pengguna.",
	CallExample:  "Anda dapat memanggilnya seperti ini:",
	ToolList:     "Berikut adalah alat yang tersedia:",
	PlainValues:  "String dan nilai tunggal lain ditulis apa adanya, tanpa tanda kutip atau escape. Daftar dan objek ditulis sebagai JSON.",
	JsonBlocks:   "Tulis satu blok seperti ini untuk setiap panggilan, dan jangan tulis apa pun setelah blok terakhir: hasilnya menyusul.",
	OneSection:   "Beberapa panggilan ditulis berurutan di dalam satu bagian seperti ini, dan jangan tulis apa pun setelahnya: hasilnya menyusul.",
	FitSchemas:   "Berikan semua parameter yang wajib, dan hanya yang diizinkan oleh skema alat.",
	KnownTool:    "Namanya persis nama salah satu alat di atas.",

	ExampleCall:  "Jika ada alat yang sesuai dengan permintaan, panggillah seperti ini (nilai-nilai ini dikarang):",
	SeveralCalls: "Jika permintaan memerlukan beberapa panggilan, tulis semuanya, satu demi satu.",
	AllCalls:     "Jika ini memerlukan beberapa panggilan, tulis semuanya, satu demi satu.",

	OneCallAtATime: "Panggil paling banyak satu alat setiap kali: buat satu panggilan, lalu tunggu hasilnya.",
	ThinkFirst:     "Berpikirlah dahulu: mulailah setiap jawaban dengan penalaran Anda di antara <thinking> dan </thinking>. Setelah itu barulah jawaban Anda, atau panggilan ke sebuah alat.",
	AnswerInJSON:   "Jawaban Anda, jika bukan panggilan ke sebuah alat, adalah satu nilai JSON dan tidak ada yang lain: tanpa kata-kata sebelum atau sesudahnya, tanpa blok kode. Nilai itu sesuai dengan JSON Schema ini:\n",
	CallTool:       "Jawablah sekarang dengan panggilan ke alat %s, dan jangan tulis apa pun sebelumnya.",
	CallAnyTool:    "Jawablah sekarang dengan panggilan ke salah satu alat, dan jangan tulis apa pun sebelumnya.",
	CallNoTool:     "Jangan panggil alat apa pun sekarang: jawablah dengan kata-kata.",

	ToolFits:     "Alat %s cocok.",
	nameLabel:    "Nama: ",
	TitleLabel:   "Judul: ",
	SourceLabel:  "Sumber: ",
	ContextLabel: "Konteks: ",
	ErrorLabel:   "Kesalahan: ",

	AskAgainMisfit:         "tidak dijalankan: parameternya tidak sesuai dengan alat itu. ",
	AskAgainOtherMisfit:    "tidak dijalankan, karena panggilan lain salah",
	AskAgainCalls:          "\nBuat kembali panggilan itu.",
	AskAgainUnread:         "Panggilan itu tidak dapat dibaca, dan tidak dijalankan. ",
	AskAgainDoubtfulValue:  "Tidak pasti di mana salah satu nilainya berakhir.",
	AskAgainInvalidJSON:    "Parameternya bukan JSON yang valid.",
	AskAgainInvalidLiteral: "Parameternya bukan nilai dalam bentuk yang ditunjukkan.",
	AskAgainStrayText:      "Ada teks di tempat yang hanya boleh berisi tag.",
	AskAgainStrayCloser:    "Ada tag penutup yang tidak menutup apa pun.",
	AskAgainToolName:       "Nama itu bukan nama alat mana pun.",
	AskAgainBareCall:       "Tidak ada tag yang membukanya, atau parameter yang diwajibkan alat itu.",
	AskAgainTooLong:        "Panggilan itu terlalu panjang.",
	AskAgainNoEnd:          "Panggilan itu tidak sampai pada akhirnya.",
	AskAgainOtherUnread:    "tidak dijalankan, karena panggilan lain tidak dapat dibaca",
	AskAgainForm:           "\nBuat kembali panggilan itu, persis dalam bentuk yang ditunjukkan.",
	AskAgainWrongJSON:      "Itu bukan JSON yang diminta. ",
	AskAgainNotJSON:        "Itu bukan satu nilai JSON.",
	AskAgainJSON:           "\nJawab kembali, dengan nilai JSON saja.",
	AskAgainWrongTool:      "tidak dijalankan: yang diminta adalah alat lain",
	AskAgainUncalled:       "Jawaban itu bukan panggilan yang diminta.",
	AskAgainInWords:        "Anda memanggil sebuah alat, tetapi sekarang tidak ada alat yang boleh dipanggil, dan panggilan itu tidak dijalankan. Jawablah dengan kata-kata.",

	ResultNote: "Jika ini menjawab permintaan, jawablah dengan kata-kata. Jika tidak, buat panggilan berikutnya.",
}
