package prompt

import (
	"testing"

	"dragoman/translate/messages"
)

// user and assistant return messages with one text.
func user(text string) messages.MessageParam {
	return messages.MessageParam{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: text}}}
}

func assistant(text string) messages.MessageParam {
	return messages.MessageParam{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockText, Text: text}}}
}

func mustRender(t testing.TB, req *messages.Request, target Target) *Prompt {
	t.Helper()
	prompt, err := Render(req, target)
	if err != nil {
		t.Fatal(err)
	}
	return prompt
}
