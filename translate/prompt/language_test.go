package prompt

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/messages"
)

// sentences returns all sentences of a language, by field name.
func sentences(l language.Language) map[string]string {
	said := map[string]string{}
	v := reflect.ValueOf(l)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "name" {
			said[name] = v.Field(i).String()
		}
	}
	return said
}

// Every language has every sentence, in its own words. The verbs and the white space at both ends
// are the same as in English, because the code joins the sentences in the same way.
func TestLanguagesSayEverything(t *testing.T) {
	edges := func(s string) [2]string {
		start := strings.TrimLeftFunc(s, unicode.IsSpace)
		end := strings.TrimRightFunc(s, unicode.IsSpace)
		return [2]string{s[:len(s)-len(start)], s[len(end):]}
	}
	inEnglish := sentences(language.English)
	saidBy := map[string]string{} // sentence to the language that has it
	for _, l := range language.All {
		for name, text := range sentences(l) {
			place := l.Name + ": " + name
			like := inEnglish[name]
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s is empty", place)
			}
			if strings.Count(text, "%s") != strings.Count(like, "%s") || strings.Count(text, "%") != strings.Count(like, "%") {
				t.Errorf("%s is %q, and in English %q", place, text, like)
			}
			if edges(text) != edges(like) {
				t.Errorf("%s has white space %q around it, and in English %q", place, edges(text), edges(like))
			}
			if other := saidBy[text]; other != "" {
				t.Errorf("%s is the same as %s: %q", place, other, text)
			}
			saidBy[text] = place
		}
	}
	for name, text := range inEnglish {
		verbs := 0
		if name == "CallTool" || name == "ToolFits" {
			verbs = 1
		}
		if strings.Count(text, "%s") != verbs {
			t.Errorf("%s is %q", name, text)
		}
	}
}

// The sentences that introduce the tools are the documentation's, byte for byte: the English
// example's, and the others from the table of editions.
func TestEditions(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/legacy-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, editions, found := strings.Cut(string(page), "| | before the template | over the example call | before `<tools>` |\n")
	if !found {
		t.Fatal("the page has no table of the editions")
	}
	table, _, _ := strings.Cut(editions, "\n\n")
	documented := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimPrefix(strings.TrimSuffix(cells[i], " "), " ")
		}
		documented[cells[0]] = cells[1:]
	}
	for _, l := range language.All {
		got := []string{l.ToolsOffered, l.CallExample, l.ToolList}
		if l.Name == language.English.Name {
			if example := got[0] + "\n\n" + got[1] + "\n" + format.CallsStart; !strings.Contains(string(page), "\n"+example+"\n") {
				t.Errorf("the page has not %q", example)
			}
			if list := got[2] + "\n<tools>\n"; !strings.Contains(string(page), "\n"+list) {
				t.Errorf("the page has not %q", list)
			}
			continue
		}
		if want := documented[l.Name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%q, and the edition has\n%q", l.Name, got, want)
		}
	}
}

// The language of a conversation is the language of its first text. It is English if Dragoman has
// no sentences in that language.
func TestLanguageOfConversation(t *testing.T) {
	for text, want := range map[string]string{
		"What is the weather in Oslo?":                       "en",
		"Qual é o preço atual da ação da General Motors?":    "pt",
		"Quel temps fait-il à Paris ?":                       "fr",
		"Погода в Oslo, пожалуйста":                          "ru",
		"Berapa suhu di Jakarta hari ini?":                   "id",
		"¿Cuál es el precio de la acción de General Motors?": "en",
		"": "en",
	} {
		req := &messages.Request{Messages: []messages.MessageParam{user(text)}}
		if got := LanguageOf(language.Auto, req, nil).Name; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	// Later text does not change the preamble.
	req := &messages.Request{Tools: []messages.Tool{{Name: "now"}}, Messages: []messages.MessageParam{user("Quel temps fait-il pour vous?")}}
	first := mustRender(t, req, Target{ModelOptions: ModelOptions{Language: language.Auto}}).System[0].Text
	req.Messages = append(req.Messages, assistant("It is cold, and the wind is from the north."), user("Thank you. What is the time?"))
	if later := mustRender(t, req, Target{ModelOptions: ModelOptions{Language: language.Auto}}).System[0].Text; later != first || !strings.HasPrefix(first, "Dans cet") {
		t.Errorf("%s\nthen\n%s", first, later)
	}
}

// An upstream that introduces documents itself uses the language of the prompt.
func TestDocumentLabels(t *testing.T) {
	pdf := messages.BlockParam{Type: messages.BlockDocument, Source: &messages.Source{Type: "base64", Title: "a", JSON: []byte(`{}`)}}
	req := &messages.Request{Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{pdf}}}}
	part := mustRender(t, req, Target{ModelOptions: ModelOptions{Language: "fr"}}).Turns[0].Parts[0]
	if want := (language.Labels{Name: "Nom : ", Title: "Titre : ", Context: "Contexte : "}); part.Labels == nil || *part.Labels != want {
		t.Errorf("%+v, want %+v", part.Labels, want)
	}
}
