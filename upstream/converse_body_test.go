package upstream

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
)

const anything = System | Streaming | StopSequences | Images | Documents | Caching

var (
	pngSource = jsontext.Value(`{"type":"base64","media_type":"image/png","data":"aGk="}`)
	pdfSource = jsontext.Value(`{"type":"base64","media_type":"application/pdf","data":"aGk="}`)
)

func partsTurn(parts ...translate.Part) []translate.Turn {
	return []translate.Turn{{Role: messages.RoleUser, Parts: parts}}
}

func textPart(text string) translate.Part {
	return translate.Part{Type: translate.PartText, Text: text}
}

func TestConverseBody(t *testing.T) {
	temperature, topP, topK := 0.5, 0.25, 40
	hi := []translate.Turn{textTurn(messages.RoleUser, "Hi")}
	system := []translate.Text{{Text: "<tools>"}, {Text: " \n"}, {Text: "Be \"brief\""}}
	const hiJSON = `"messages":[{"role":"user","content":[{"text":"Hi"}]}]`
	tests := []struct {
		name   string
		model  Model
		prompt translate.Prompt
		stops  []string
		want   string
	}{
		{"the least", Model{ID: "meta.llama3-8b-instruct-v1:0", Can: anything}, translate.Prompt{Turns: hi, MaxTokens: 1}, nil,
			`{` + hiJSON + `,"inferenceConfig":{"maxTokens":1}}`},
		{"all of it, for a Claude", Model{ID: "us.anthropic.claude-3-7-sonnet-20250219-v1:0", Can: anything}, translate.Prompt{
			System:      system,
			Turns:       []translate.Turn{textTurn(messages.RoleUser, "Hi", " ", "<b> & \u2028"), textTurn(messages.RoleAssistant, "<function_calls>")},
			MaxTokens:   64,
			Temperature: &temperature, TopP: &topP, TopK: &topK,
		}, []string{"</function_calls>", "END"},
			`{"messages":[{"role":"user","content":[{"text":"Hi"},{"text":"<b> & ` + "\u2028" + `"}]},{"role":"assistant","content":[{"text":"<function_calls>"}]}],` +
				`"system":[{"text":"<tools>"},{"cachePoint":{"type":"default"}},{"text":"Be \"brief\""}],` +
				`"inferenceConfig":{"maxTokens":64,"temperature":0.5,"topP":0.25,"stopSequences":["</function_calls>","END"]},` +
				`"additionalModelRequestFields":{"top_k":40},"additionalModelResponseFieldPaths":["/stop_sequence"]}`},
		{"another family does not say where it stopped", Model{ID: "mistral.mistral-large-2402-v1:0", Can: anything &^ Caching},
			translate.Prompt{System: system, Turns: hi, MaxTokens: 9, TopK: &topK}, []string{"END"},
			`{` + hiJSON + `,"system":[{"text":"<tools>"},{"text":"Be \"brief\""}],"inferenceConfig":{"maxTokens":9,"stopSequences":["END"]},"additionalModelRequestFields":{"top_k":40}}`},
		{"top_k of Cohere", Model{ID: "cohere.command-r-v1:0", Can: anything}, translate.Prompt{Turns: hi, MaxTokens: 9, TopK: &topK}, nil,
			`{` + hiJSON + `,"inferenceConfig":{"maxTokens":9},"additionalModelRequestFields":{"k":40}}`},
		{"top_k of Nova", Model{ID: "us.amazon.nova-pro-v1:0", Can: anything}, translate.Prompt{Turns: hi, MaxTokens: 9, TopK: &topK}, nil,
			`{` + hiJSON + `,"inferenceConfig":{"maxTokens":9},"additionalModelRequestFields":{"inferenceConfig":{"topK":40}}}`},
		{"nothing to cache", Model{ID: "us.amazon.nova-pro-v1:0", Can: anything}, translate.Prompt{System: []translate.Text{{Text: "\n"}}, Turns: hi, MaxTokens: 9}, nil,
			`{` + hiJSON + `,"inferenceConfig":{"maxTokens":9}}`},
		{"no system messages", Model{ID: "amazon.titan-text-lite-v1", Can: Streaming | Caching}, translate.Prompt{System: system, Turns: hi, MaxTokens: 9}, nil,
			`{"messages":[{"role":"user","content":[{"text":"<tools>\n\nBe \"brief\"\n\nHi"}]}],"inferenceConfig":{"maxTokens":9}}`},
		{"no system messages, and an image first", Model{ID: "m", Can: Images}, translate.Prompt{System: system[:1], MaxTokens: 9,
			Turns: partsTurn(translate.Part{Type: translate.PartImage, Source: pngSource}, textPart("Look"))}, nil,
			`{"messages":[{"role":"user","content":[{"image":{"format":"png","source":{"bytes":"aGk="}}},{"text":"<tools>\n\nLook"}]}],"inferenceConfig":{"maxTokens":9}}`},
		{"no system messages, and an image alone", Model{ID: "m", Can: Images}, translate.Prompt{System: system[:1], MaxTokens: 9,
			Turns: partsTurn(translate.Part{Type: translate.PartImage, Source: pngSource})}, nil,
			`{"messages":[{"role":"user","content":[{"text":"<tools>"},{"image":{"format":"png","source":{"bytes":"aGk="}}}]}],"inferenceConfig":{"maxTokens":9}}`},
		{"a blank prefill", Model{ID: "m", Can: anything}, translate.Prompt{Turns: []translate.Turn{hi[0], textTurn(messages.RoleAssistant, "\n")}, MaxTokens: 9}, nil,
			`{` + hiJSON + `,"inferenceConfig":{"maxTokens":9}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := encodeConverse(test.model, &test.prompt, test.stops)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConverseDocuments(t *testing.T) {
	document := func(title, context string) translate.Part {
		return translate.Part{Type: translate.PartDocument, Source: pdfSource, Title: title, Context: context}
	}
	const source = `,"format":"pdf","source":{"bytes":"aGk="}}}`
	tests := []struct {
		name  string
		parts []translate.Part
		want  string // the expected content
	}{
		{"beside text", []translate.Part{textPart("Look"), document("Report (2) [final]", "")},
			`[{"text":"Look"},{"document":{"name":"Report (2) [final]"` + source + `]`},
		{"alone", []translate.Part{document("", "")},
			`[{"text":"<document>\nName: document\n</document>"},{"document":{"name":"document"` + source + `]`},
		{"beside blank text", []translate.Part{textPart(" "), document("a", "")},
			`[{"text":"<document>\nName: a\n</document>"},{"document":{"name":"a"` + source + `]`},
		{"a title that is no name, and a context", []translate.Part{document("q3_report.pdf", "From the archive."), textPart("Look")},
			`[{"text":"<document>\nName: q3 report pdf\nTitle: q3_report.pdf\nContext: From the archive.\n</document>"},{"document":{"name":"q3 report pdf"` + source + `,{"text":"Look"}]`},
		{"two alone", []translate.Part{document("a", ""), document("b", "")},
			`[{"text":"<document>\nName: a\n</document>"},{"document":{"name":"a"` + source + `,{"document":{"name":"b"` + source + `]`},
		{"two of one name", []translate.Part{document("a", ""), document("a", "")},
			`[{"text":"<document>\nName: a\n</document>"},{"document":{"name":"a"` + source + `,{"text":"<document>\nName: a (2)\nTitle: a\n</document>"},{"document":{"name":"a (2)"` + source + `]`},
		{"in a prompt in French", []translate.Part{{Type: translate.PartDocument, Source: pdfSource, Title: "a_b", Context: "c",
			Labels: &translate.Labels{Name: "Nom : ", Title: "Titre : ", Context: "Contexte : "}}},
			`[{"text":"<document>\nNom : a b\nTitre : a_b\nContexte : c\n</document>"},{"document":{"name":"a b"` + source + `]`},
		{"given as text", []translate.Part{textPart("Look"), {Type: translate.PartDocument, Title: "a", Source: jsontext.Value(`{"type":"text","media_type":"text/plain","data":"1\n2"}`)}},
			`[{"text":"Look"},{"document":{"name":"a","format":"txt","source":{"text":"1\n2"}}}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data, err := encodeConverse(Model{ID: "m", Can: anything}, &translate.Prompt{Turns: partsTurn(test.parts...), MaxTokens: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var body struct {
				Messages []struct {
					Content jsontext.Value `json:"content"`
				} `json:"messages"`
			}
			if err := json.Unmarshal(data, &body); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(body.Messages[0].Content)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDocumentNames(t *testing.T) {
	names := documentNames{}
	long := strings.Repeat("a", maxDocumentName)
	for _, test := range []struct{ title, want string }{
		{"", "document"}, {"Zpráva — č. 7", "Zpr va 7"}, {"  a\t\nb  ", "a b"}, {"报告", "document (2)"},
		{long + "b", long}, {long, long[:maxDocumentName-4] + " (2)"}, {long, long[:maxDocumentName-4] + " (3)"},
		{long[1:] + " b", long[1:]},
		{"x", "x"}, {"x (2)", "x (2)"}, {"x", "x (3)"},
	} {
		if got := names.unique(test.title); got != test.want {
			t.Errorf("%q: %q, want %q", test.title, got, test.want)
		}
	}
}

func TestConverseRefuses(t *testing.T) {
	image := func(source string) []translate.Turn {
		return partsTurn(textPart("Look"), translate.Part{Type: translate.PartImage, Source: jsontext.Value(source)})
	}
	tests := []struct {
		name    string
		can     Features
		turns   []translate.Turn
		message string
	}{
		{"an image", anything &^ Images, image(string(pngSource)), "messages: this model cannot be shown the image in turn 1 (user)"},
		{"a document", anything &^ Documents, partsTurn(translate.Part{Type: translate.PartDocument, Source: pdfSource, Title: "T"}),
			`messages: this model cannot be shown the document "T" in turn 1 (user)`},
		{"a URL", anything, image(`{"type":"url","url":"https://x.test/a.png"}`),
			`messages: this model takes only base64 data, not the source "url" of the image in turn 1 (user)`},
		{"a file", anything, partsTurn(translate.Part{Type: translate.PartDocument, Source: jsontext.Value(`{"type":"file","file_id":"f"}`)}),
			`messages: this model takes only base64 data, not the source "file" of the document in turn 1 (user)`},
		{"an image as text", anything, image(`{"type":"text","media_type":"text/plain","data":"x"}`),
			`messages: this model takes only base64 data, not the source "text" of the image in turn 1 (user)`},
		{"a media type", anything, image(`{"type":"base64","media_type":"image/tiff","data":"aGk="}`),
			`messages: this model does not take the media type "image/tiff" of the image in turn 1 (user)`},
		{"no source", anything, image(`[]`), "messages: Dragoman cannot read the source of the image in turn 1 (user)"},
		{"a blank turn", anything, []translate.Turn{textTurn(messages.RoleUser, "a"), textTurn(messages.RoleAssistant, " "), textTurn(messages.RoleUser, "b")},
			"messages: turn 2 (assistant) is blank, and this model rejects blank text. Add text to the turn"},
		{"what is no text", anything, []translate.Turn{textTurn(messages.RoleUser, "\xff")}, "the prompt cannot be written as JSON: a text is not UTF-8, or a source is not JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := encodeConverse(Model{ID: "m", Can: test.can}, &translate.Prompt{Turns: test.turns, MaxTokens: 1}, nil)
			var e *Error
			if !errors.As(err, &e) || e.Status != 400 || e.Type != messages.ErrorInvalidRequest || e.Message != test.message {
				t.Errorf("%v", err)
			}
		})
	}
}
