package langid

import (
	"os"
	"strings"
	"testing"
)

// questions returns the lines of a file in testdata/questions. The files in text were written
// without looking at them. If a question fails, do not add its words to a file.
func questions(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/questions/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// asked are the languages that Dragoman tells apart. Any other counts as English.
var asked = []string{"en", "pt", "fr", "ru", "id"}

// TestShortQuestions checks that of questions with 3 to 9 words at least 95 in 100 are recognized.
func TestShortQuestions(t *testing.T) {
	for _, language := range asked {
		all := questions(t, language)
		right := 0
		for _, question := range all {
			got := Identify(question)
			if got == language || language == "en" && isOther(got) {
				right++
			} else {
				t.Logf("%s: %q is taken for %s", language, question, got)
			}
		}
		t.Logf("%s: %d of %d", language, right, len(all))
		if 100*right < 95*len(all) {
			t.Errorf("%s: %d of %d questions", language, right, len(all))
		}
	}
}

// TestQuestionsInOtherLanguages checks that of questions in other languages at most 1 in 10 counts
// as one of asked except English. Malay is left out: it is close to Indonesian and has no file.
func TestQuestionsInOtherLanguages(t *testing.T) {
	right, all := 0, 0
	for _, line := range questions(t, "other") {
		language, question, _ := strings.Cut(line, ": ")
		if language == "ms" {
			continue
		}
		all++
		if got := Identify(question); got == "en" || isOther(got) {
			right++
		} else {
			t.Logf("%s: %q is taken for %s", language, question, got)
		}
	}
	t.Logf("%d of %d", right, all)
	if 100*right < 90*all {
		t.Errorf("%d of %d questions", right, all)
	}
}

func isOther(language string) bool {
	for _, a := range asked {
		if language == a {
			return false
		}
	}
	return true
}

// TestIdentify checks that only words count.
func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "en",
		"12 + 30 = ?":                     "en",
		"今天奥斯陆的天气怎么样？":                    "en",
		"\xff\xfe qual é a \xff previsão": "pt",
		"QUEL TEMPS FAIT-IL DEMAIN ?":     "fr",
		"Corrige main.go et https://example.com/the/list/of/all/files, s'il te plaît":                                                         "fr",
		"Jelaskan kode ini: `for i := range files { return the_first(file) }`":                                                                "id",
		"Explique este código:\n```go\n// the files that are not read yet\nfunc read(files []string) error {\n\treturn nil\n}\n```\nObrigado": "pt",
		"Почему {\"the\": \"name\", \"of\": [\"this\"]} не читается?":                                                                         "ru",
		"<the_text with=\"some words\"> Где моя <b>large</b> посылка? </the_text>":                                                            "ru",
	} {
		if got := Identify(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Qu'est-ce que c’est ?":                "Qu est ce que c est",
		"¿Qué es main.go, snake_case o a/b?":   "¿Qué es o",
		"a `b c` d ``e ` f`` g":                "a d g",
		"d`accord, never closed":               "d accord never closed",
		"(um, \"dois\") três... 4th e-mail v2": "um dois três e mail",
		"cafe\u0301 ba\xffd":                   "cafe\u0301",
	} {
		var got []string
		for word := range words(text) {
			got = append(got, word)
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q: %q, want %q", text, joined, want)
		}
	}
}

func BenchmarkIdentify(b *testing.B) {
	for name, text := range map[string]string{
		"question": "Quel temps fait-il à Paris, et faut-il un parapluie ?",
		"long":     strings.Repeat("Quel temps fait-il à Paris, et faut-il un parapluie ? ", 100),
	} {
		b.Run(name, func(b *testing.B) {
			Identify(text)
			b.ReportAllocs()
			for b.Loop() {
				Identify(text)
			}
		})
	}
}
