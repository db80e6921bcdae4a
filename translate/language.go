package translate

import (
	"dragoman/translate/messages"
	"slices"
	"strings"
	"unicode"
)

// language is what the preamble of a format says in words, in one language. The
// English words are protocol text, exact (reference/legacy-format.md §2); models
// know them best. The others say the same.
type language struct {
	name string
	// set, call and list introduce the tools, how to call them, and their descriptions.
	set, call, list string
	asText, asJSON  string // how the values of a call are written, for formats that have to say so
	common          string // words that texts in the language use all the time, and those of the others do not
}

// LanguageAuto follows the conversation.
const LanguageAuto = "auto"

// languages are those of the legacy documentation's editions; the first is the default.
var languages = []language{
	{
		name:   "en",
		set:    "In this environment you have access to a set of tools you can use to answer the user's question.",
		call:   "You may call them like this:",
		list:   "Here are the tools available:",
		asText: "Strings and other single values stand as they are, without quotes or escapes. Lists and objects are written as JSON.",
		asJSON: "Write one such block for each call, and nothing after the last one: the results come next.",
		common: "the and of is that for with you what this are have it not be on how your can my from",
	},
	{
		name:   "pt",
		set:    "Neste ambiente, você tem acesso a um conjunto de ferramentas que pode usar para responder à pergunta do usuário.",
		call:   "Você pode chamá-las assim:",
		list:   "Estas são as ferramentas disponíveis:",
		asText: "Textos e outros valores simples são escritos como são, sem aspas nem escapes. Listas e objetos são escritos em JSON.",
		asJSON: "Escreva um bloco como este para cada chamada e nada depois do último: em seguida vêm os resultados.",
		common: "não você uma para com em os dos das meu minha por mais isso está são qual quais também obrigado quero seu sua ao pela pelo",
	},
	{
		name:   "fr",
		set:    "Dans cet environnement, vous avez accès à un ensemble d'outils que vous pouvez utiliser pour répondre à la question de l'utilisateur.",
		call:   "Vous pouvez les appeler ainsi :",
		list:   "Voici les outils disponibles :",
		asText: "Les chaînes et les autres valeurs simples s'écrivent telles quelles, sans guillemets ni échappement. Les listes et les objets s'écrivent en JSON.",
		asJSON: "Écrivez un tel bloc pour chaque appel, et rien après le dernier : les résultats viennent ensuite.",
		common: "le les des et est pour dans une vous je pas sur avec ce cette mon quel quelle au aux nous merci où été qui plus",
	},
	{
		name:   "ru",
		set:    "В этой среде вам доступен набор инструментов, которые можно использовать, чтобы ответить на вопрос пользователя.",
		call:   "Вы можете вызывать их так:",
		list:   "Доступные инструменты:",
		asText: "Строки и другие простые значения пишутся как есть, без кавычек и экранирования. Списки и объекты пишутся в формате JSON.",
		asJSON: "Пишите по одному такому блоку на каждый вызов и ничего после последнего: затем придут результаты.",
	},
	{
		name:   "id",
		set:    "Di lingkungan ini Anda memiliki akses ke sekumpulan alat yang dapat Anda gunakan untuk menjawab pertanyaan pengguna.",
		call:   "Anda dapat memanggilnya seperti ini:",
		list:   "Berikut adalah alat yang tersedia:",
		asText: "String dan nilai tunggal lain ditulis apa adanya, tanpa tanda kutip atau escape. Daftar dan objek ditulis sebagai JSON.",
		asJSON: "Tulis satu blok seperti ini untuk setiap panggilan, dan jangan tulis apa pun setelah blok terakhir: hasilnya menyusul.",
		common: "yang dan di untuk dengan saya apa ini itu tidak dari anda berapa bagaimana adalah pada bisa ke akan tolong apakah kita ada",
	},
}

// What Render says to the model in its own words.
const (
	instructSingle   = "Call at most one tool at a time: one call, then wait for its result."
	instructThinking = "Think first: begin every answer with your reasoning between <thinking> and </thinking>. What follows is your answer, or a call to a tool."
	instructFormat   = "Your answer, when it is not a call to a tool, is one JSON value and nothing else: no words before or after it, no code fence. It fits this JSON Schema:\n"
	instructTool     = "Answer with a call to the tool %s now, and write nothing before it."
	instructAny      = "Answer with a call to one of the tools now, and write nothing before it."
)

// Languages returns the names of the languages, the default first, and "auto".
func Languages() []string {
	var names []string
	for i := range languages {
		names = append(names, languages[i].name)
	}
	return append(names, LanguageAuto)
}

// languageOf returns the language of a name: the first if there is none such. If it
// is to follow the conversation, the first message with words decides: what comes
// later must not change a prompt that is cached.
func languageOf(name string, req *messages.Request) *language {
	if name == LanguageAuto {
		for i := range req.Messages {
			for _, b := range req.Messages[i].Content {
				if b.Type == messages.BlockText && b.Text != "" {
					return guessLanguage(b.Text)
				}
			}
		}
	}
	if i := slices.IndexFunc(languages, func(l language) bool { return l.name == name }); i >= 0 {
		return &languages[i]
	}
	return &languages[0]
}

// maxGuess bounds how much of a text is looked at.
const maxGuess = 4 << 10

// guessLanguage returns the language of a text by its script and its commonest words.
// English is the language of all others.
func guessLanguage(text string) *language {
	text = strings.ToValidUTF8(text[:min(len(text), maxGuess)], "")
	cyrillic, letters := 0, 0
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.Is(unicode.Cyrillic, r) {
			cyrillic++
		}
		return !unicode.IsLetter(r)
	})
	if 2*cyrillic > letters {
		return languageOf("ru", nil)
	}
	best, most := &languages[0], 1 // one word may be any language's
	for i := range languages {
		common := strings.Fields(languages[i].common)
		n := 0
		for _, word := range words {
			if slices.Contains(common, word) {
				n++
			}
		}
		if n > most {
			best, most = &languages[i], n
		}
	}
	return best
}
