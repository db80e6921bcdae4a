package readme

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dragoman/conformance/install"
)

const releasePage = "docs/how-to/releases.md"

// elsewhere are the commands of the page that need the network, an identity or a key.
var elsewhere = regexp.MustCompile(`(?m)^(?:cosign|gh|git tag|git push) .*\n`)

// TestRelease makes a release of the last commit, verifies it and builds it again, by the commands of the
// page. The release comes from a repository in place of the one on GitHub. Its changelog has the version, and
// it is for one platform.
func TestRelease(t *testing.T) {
	install.Need(t, "git")
	folder := t.TempDir()
	origin := filepath.Join(folder, "origin")
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	install.Run(t, folder, "git", "clone", "--quiet", absolute, origin)
	changelog, err := os.OpenFile(filepath.Join(origin, "CHANGELOG.md"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer changelog.Close()
	if _, err := changelog.WriteString("\n## 1.2.3\n\n- What changed.\n"); err != nil {
		t.Fatal(err)
	}
	install.Run(t, origin, "git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--all", "--message", "1.2.3")
	install.Run(t, origin, "git", "tag", "v1.2.3")

	// run runs the page's block with a command, except the parts that can only run elsewhere.
	run := func(folder, command, instead string) string {
		for _, block := range blocks(t, releasePage) {
			if strings.Contains(block.code, "\n"+command+"\n") {
				code := strings.Replace(block.code, command, instead, 1)
				code = elsewhere.ReplaceAllString(strings.ReplaceAll(code, "\\\n", ""), "")
				code = fmt.Sprintf("git() { command git -c url.%s.insteadOf=https://github.com/OWNER/dragoman \"$@\"; }\n%s", origin, code)
				return install.Run(t, folder, "bash", "-euo", "pipefail", "-c", code)
			}
		}
		t.Fatalf("no block of %s has the command\n%s", releasePage, command)
		return ""
	}
	const (
		making    = `.ci/release "$tag" rehearsal`
		verifying = `(cd release && sha256sum --check --strict SHA256SUMS)`
		again     = `IMAGE=ghcr.io/${repo,,} source/.ci/release "$tag" rebuilt linux/amd64`
	)
	if notes := run(origin, making, `IMAGE=ghcr.io/owner/dragoman .ci/release "$tag" ../release linux/amd64`); notes != "- What changed.\n" {
		t.Errorf("the notes of the release are\n%s", notes)
	}
	for _, output := range []string{run(folder, verifying, verifying), run(folder, again, again)} {
		contains(t, output, "dragoman_1.2.3_linux_amd64.tar.gz: OK\n", "dragoman_1.2.3_linux_amd64.cdx.json: OK\n")
	}

	const name = "dragoman_1.2.3_linux_amd64"
	install.Run(t, folder, "tar", "-xzf", filepath.Join("release", name+".tar.gz"))
	revision := strings.TrimSpace(install.Run(t, origin, "git", "rev-parse", "HEAD"))
	contains(t, install.Run(t, folder, "go", "version", "-m", filepath.Join(name, "dragoman")), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "-trimpath=true")
	contains(t, install.Run(t, folder, "cat", filepath.Join(name, "dragoman")), revision)
	contains(t, install.Run(t, folder, "cat", filepath.Join(name, "LICENSES")), "===== Go\n", "===== github.com/aws/aws-sdk-go-v2@", "Redistribution and use")
	contains(t, install.Run(t, folder, "cat", filepath.Join(name, "man", "dragoman-serve.1")), "DRAGOMAN-SERVE", "dragoman 1.2.3")
	contains(t, install.Run(t, folder, "cat", filepath.Join("release", name+".cdx.json")), `"CycloneDX"`, "pkg:golang/github.com/go-chi/chi/v5@")
}

// TestSigner checks that the signer in the page is a workflow of the repository.
func TestSigner(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, releasePage))
	if err != nil {
		t.Fatal(err)
	}
	signer := regexp.MustCompile(`signer=https://github\.com/\$repo/(\S+)@refs/tags/\$tag\n`).FindSubmatch(page)
	if signer == nil {
		t.Fatal("the page names no signer")
	}
	workflow, err := os.ReadFile(filepath.Join(root, string(signer[1])))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(workflow), "cosign sign ", "cosign sign-blob ", "cosign attest ", "tags: ['v*']")
}

// TestNotes checks which part of a changelog belongs to a version.
func TestNotes(t *testing.T) {
	for name, test := range map[string]struct{ version, changelog, notes string }{
		"between others": {"v1.2.3", "# Changelog\n\n## Unreleased\n\n- A\n\n## 1.2.3\n\n### Fixed\n\n- B\n\n- C\n\n## 1.2.2\n\n- D\n", "### Fixed\n\n- B\n\n- C\n"},
		"with a date":    {"1.2.3", "## [1.2.3] - 2026-11-22\n- B\n", "- B\n"},
		"a longer one":   {"v1.2.3", "## 1.2.30\n\n- B\n", ""},
		"a suffix":       {"v1.2.3", "## 1.2.3-rc.1\n\n- B\n", ""},
		"dots are dots":  {"v1.2.3", "## 1x2x3\n\n- B\n", ""},
		"nothing in it":  {"v1.2.3", "## 1.2.3\n\n## 1.2.2\n\n- D\n", ""},
		"no such":        {"v1.2.3", "## Unreleased\n\n- A\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, "CHANGELOG.md", test.changelog)
			cmd := exec.CommandContext(t.Context(), filepath.Join(root, ".ci", "notes"), test.version, filepath.Join(folder, "CHANGELOG.md"))
			output, err := cmd.Output()
			if failed := err != nil; string(output) != test.notes || failed != (test.notes == "") {
				t.Errorf("%q, %v; want %q", output, err, test.notes)
			}
		})
	}
}
