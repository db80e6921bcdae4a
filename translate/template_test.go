package translate

import (
	"strings"
	"testing"

	"dragoman/translate/messages"
)

func TestTemplate(t *testing.T) {
	req := &messages.Request{Tools: []messages.Tool{{Name: "now"}}, Messages: []messages.MessageParam{user("Hi {{tools}}")}}
	for _, f := range formats {
		template := "Call so: " + f.callOpener + "…" + f.callCloser + "\nTools:\n{{tools}}\nThat is all."
		if err := CheckTemplate(template, f.name); err != nil {
			t.Error(err)
		}
		p := mustRender(t, req, Target{Format: f.name, Template: template, Language: "fr"})
		got := p.System[0].Text
		if !strings.HasPrefix(got, "Call so: "+f.callOpener+"…"+f.callCloser+"\nTools:\n"+f.beforeTools) || !strings.HasSuffix(got, f.afterTools+"\nThat is all.") || !strings.Contains(got, "now") {
			t.Errorf("%s: %s", f.name, got)
		}
	}
	for template, want := range map[string]string{
		"":             "0 times",
		"{{tools}}":    "<invoke> is missing",
		"{{ tools }}":  "unknown placeholder {{ tools }}",
		"{{language}}": "unknown placeholder",
		"<invoke>{{tools}}{{tools}}</function_calls>": "2 times",
		"<invoke>{{tools}}":                           "</function_calls> is missing",
	} {
		if err := CheckTemplate(template, FormatLegacy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", template, err)
		}
	}
	if err := CheckTemplate("{{tools}}", "xml"); err == nil {
		t.Error("a format that does not exist has a template")
	}
}

func TestLanguageOfConversation(t *testing.T) {
	for text, want := range map[string]string{
		"What is the weather in Oslo?": "en",
		"Qual é a previsão do tempo para amanhã em Lisboa? Não quero me molhar.":           "pt",
		"Quel temps fait-il à Paris, et est-ce que je dois prendre un parapluie avec moi?": "fr",
		"Какая погода будет завтра в Осло?":                                                "ru",
		"Погода в Oslo, пожалуйста":                                                        "ru",
		"Berapa suhu di Jakarta hari ini, dan apakah saya perlu membawa payung?":           "id",
		"今天奥斯陆的天气怎么样？":                                                                     "en",
		"":                                                                                 "en",
		"12 + 30":                                                                          "en",
		"Wie ist das Wetter morgen in Lissabon?":                                           "en",
		strings.Repeat("é", maxGuess):                                                      "en",
	} {
		if got := guessLanguage(text).name; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	// What is said later does not change the preamble.
	req := &messages.Request{Tools: []messages.Tool{{Name: "now"}}, Messages: []messages.MessageParam{user("Quel temps fait-il pour vous?")}}
	first := mustRender(t, req, Target{Language: LanguageAuto}).System[0].Text
	req.Messages = append(req.Messages, assistant("It is cold, and the wind is from the north."), user("Thank you. What is the time?"))
	if later := mustRender(t, req, Target{Language: LanguageAuto}).System[0].Text; later != first || !strings.HasPrefix(first, "Dans cet") {
		t.Errorf("%s\nthen\n%s", first, later)
	}
}
