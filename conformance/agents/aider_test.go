package agents

import (
	"path/filepath"
	"strings"
	"testing"

	"dragoman/conformance"
	"dragoman/conformance/install"
)

// edits are what aider, which offers no tools, reads of an answer: blocks of what is to be found in a
// file, and what takes its place. A file that is new has nothing to be found.
const edits = "I mend it.\n\n" +
	"greeting.txt\n```\n<<<<<<< SEARCH\n" + typo + "=======\n" + mended + ">>>>>>> REPLACE\n```\n\n" +
	"copy.txt\n```\n<<<<<<< SEARCH\n=======\n" + mended + ">>>>>>> REPLACE\n```\n\n" + done

// TestAider has aider do the task. It is pointed here by the environment.
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
