package agents

import (
	"path/filepath"
	"strings"
	"testing"

	"dragoman/conformance"
	"dragoman/conformance/install"
)

// edits are the blocks that aider, which offers no tools, reads in an answer: a text to find in a file, and
// its replacement. For a new file, there is nothing to find.
const edits = "I mend it.\n\n" +
	"greeting.txt\n```\n<<<<<<< SEARCH\n" + typo + "=======\n" + mended + ">>>>>>> REPLACE\n```\n\n" +
	"copy.txt\n```\n<<<<<<< SEARCH\n=======\n" + mended + ">>>>>>> REPLACE\n```\n\n" + done

// TestAider makes aider do the task. The environment has the base URL.
func TestAider(t *testing.T) {
	if !*runMore {
		t.Skip("only with -more")
	}
	python := install.Python(t, filepath.Join("aider", "requirements.txt"))
	withoutNetwork(t, func() {
		site := newSite(t, func(string) script {
			return script{mark: task, answers: []string{edits}, added: []string{strings.TrimSpace(typo)}}
		})
		url := conformance.Serve(t, credentials, "--config", site.config)
		env := []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=none"}
		site.do(t, env, python, "-m", "aider", "--model", "anthropic/claude-2.1", "--edit-format", "diff",
			"--no-git", "--no-pretty", "--no-check-update", "--no-show-release-notes", "--no-show-model-warnings",
			"--yes-always", "--message", task, "greeting.txt")
	})
}
