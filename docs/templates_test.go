package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"dragoman/translate"
)

// TestChatTemplates holds that docs/reference/chat-templates.md lists the chat templates as they are declared.
func TestChatTemplates(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| template | for ids with | own format | thinking |\n| --- | --- | --- | --- |\n")
	for _, a := range translate.AboutChatTemplates() {
		own, thinking := "–", "–"
		switch {
		case a.Erased:
			own = "`" + a.Format + "`, if the server keeps special tokens"
		case a.Format != "":
			own = "`" + a.Format + "`"
		}
		switch {
		case a.Opens:
			thinking = "opened by the prompt"
		case a.Thinks:
			thinking = "marked"
		}
		models := "–"
		if len(a.Models) > 0 {
			models = "`" + strings.Join(a.Models, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, models, own, thinking)
	}
	b.WriteString("\n")
	holdPart(t, "docs/reference/chat-templates.md", "templates", b.String())
}
