package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a command line can go on with.
func TestComplete(t *testing.T) {
	file := write(t, "dragoman.yaml", simulatedFile)
	tests := []struct{ line, want string }{ // | is between words, and the last is completed
		{"", "help serve run demo check render parse eval models formats config healthcheck version completion man"},
		{"re", "render"},
		{"nonsense|", ""},
		{"nonsense|--", ""},
		{"he", "help healthcheck"},
		{"help|ver", "version"},
		{"help|version|", ""},
		{"help|config|", "print schema"},
		{"conf", "config"},
		{"config|", "print schema"},
		{"config|pr", "print"},
		{"config|print|--sim", "--simulated"},
		{"config|nonsense|", ""},
		{"version|--", "--json"},
		{"serve|--log-", "--log-format --log-level"},
		{"serve|--log-format|", "auto console json"},
		{"serve|--log-format|j", "json"},
		{"serve|--log-format=", "--log-format=auto --log-format=console --log-format=json"},
		{"serve|-log-format=c", "-log-format=console"},
		{"serve|--log-format|json|--log-level|w", "warn"},
		{"serve|--simulated=", "--simulated=true --simulated=false"},
		{"serve|--simulated|", ""},
		{"serve|--nonsense=", ""},
		{"serve|--listen|", ""},
		{"serve|--config|", ":files"},
		{"serve|--config=", ":files"},
		{"eval|--out|", ":folders"},
		{"eval|", ":files"},
		{"eval|set|", ""},
		{"eval|--formats|legacy,js", "legacy,json"},
		{"eval|--formats=legacy,js", "--formats=legacy,json"},
		{"parse|--stop|max", "max_tokens"},
		{"parse|--chunk|3|--request|r|", ":files"},
		{"parse|--|--", ":files"},
		{"render|--model|", ""},
		{"render|--config|" + file + "|--model|", "claude-2.1"},
		{"render|--config=" + file + "|--model=c", "--model=claude-2.1"},
		{"render|--config|/nowhere|--model|", ""},
		{"completion|", "bash fish zsh"},
		{"completion|bash|", ""},
		{"run|--sim", "--simulated"},
		{"run|--simulated|", ":commands"},
		{"run|--simulated|--|", ":commands"},
		{"run|--|ls|--", ":files"},
		{"run|ls|--log-format=", ":files"},
	}
	for _, tt := range tests {
		got := invocation{}.run(t, append([]string{"__complete", "--"}, strings.Split(tt.line, "|")...)...)
		var words []string
		for line := range strings.Lines(got.stdout) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			words = append(words, word)
		}
		if s := strings.Join(words, " "); s != tt.want || got.code != 0 {
			t.Errorf("%q: %q, want %q", tt.line, s, tt.want)
		}
	}
	got := invocation{env: map[string]string{"DRAGOMAN_CONFIG": file}}.run(t, "__complete", "--", "eval", "--model", "")
	if got.stdout != "claude-2.1\t\n" {
		t.Errorf("models of DRAGOMAN_CONFIG: %q", got.stdout)
	}
}

// onPath makes the test's own binary the program dragoman of a shell that is installed, which runs in
// a folder with the files "a b" and "config.yaml" and the folder "sub".
func onPath(t *testing.T, shell string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skip(shell + " is not installed")
	}
	bin, dir := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "dragoman")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"a b": "", "config.yaml": simulatedFile + `  - {name: "anthropic.claude-v2:1", upstream: sim}` + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(shell, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// shellLines are command lines, and what is to be proposed of each in every shell. A shell may
// propose a whole word, or what is behind its last = or colon.
var shellLines = []struct {
	line string
	want []string
}{
	{"dragoman re", []string{"render"}},
	{"dragoman parse --format=att", []string{"attribute"}},
	{"dragoman parse --format ", parseFormats()},
	{"dragoman serve --log-l", []string{"--log-level"}},
	{"dragoman serve --config c", []string{"config.yaml"}},
	{"dragoman serve --config=c", []string{"config.yaml"}},
	{"dragoman serve --config ", []string{"a b", "config.yaml", "sub"}},
	{"dragoman eval --out ", []string{"sub"}},
	{"dragoman render --config config.yaml --model anthropic.claude-v2:", []string{"1"}},
	{"dragoman run --simulated -- dragoma", []string{"dragoman"}},
	{"dragoman run -- cat conf", []string{"config.yaml"}},
	{"dragoman serve --listen ", nil},
}

// holdProposals compares what a shell has proposed, a line for each and an empty one behind each of
// shellLines.
func holdProposals(t *testing.T, out string) {
	t.Helper()
	behind := regexp.MustCompile(`^.*[=:]`)
	groups := strings.Split(out, "----\n")
	if len(groups) != len(shellLines)+1 {
		t.Fatalf("%d groups in\n%s", len(groups)-1, out)
	}
	for i, tt := range shellLines {
		var got []string
		for word := range strings.Lines(groups[i]) {
			word, _, _ = strings.Cut(strings.TrimSuffix(word, "\n"), "\t")
			if word = strings.TrimSuffix(behind.ReplaceAllString(word, ""), "/"); word != "" {
				got = append(got, word)
			}
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(tt.want))
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", tt.line, got, want)
		}
	}
}

func TestBash(t *testing.T) {
	var script strings.Builder
	script.WriteString("source <(dragoman completion bash)\n" +
		`propose() { COMP_LINE=$1 COMP_POINT=${#1}; _dragoman dragoman; printf '%s\n' "${COMPREPLY[@]}"; echo ----; }` + "\n")
	for _, tt := range shellLines {
		script.WriteString("propose '" + tt.line + "'\n")
	}
	holdProposals(t, onPath(t, "bash", "-c", script.String()))
}

func TestFish(t *testing.T) {
	var script strings.Builder
	script.WriteString("dragoman completion fish | source\n")
	for _, tt := range shellLines {
		script.WriteString("complete -C '" + tt.line + "'; echo ----\n")
	}
	holdProposals(t, onPath(t, "fish", "--no-config", "-c", script.String()))
}

// The functions of zsh's own completion are replaced by some that print what they are asked for: they
// work on a terminal alone.
func TestZsh(t *testing.T) {
	var script strings.Builder
	script.WriteString(`
compdef() { }
compset() { PREFIX=${PREFIX#*=} }
_files() { [[ $1 == -/ ]] && print -l -- ${PREFIX}*(N/) || print -l -- ${PREFIX}*(N) }
_command_names() { print -l -- ${(Mok)commands:#$PREFIX*} }
_describe() { local p; for p in ${(P)4}; do p=${p//\\:/:}; print -r -- ${p%:*}; done }
source <(dragoman completion zsh)
propose() { words=("${(@s: :)1}"); CURRENT=$#words; PREFIX=$words[-1]; _dragoman; print -- ---- }
`)
	for _, tt := range shellLines {
		script.WriteString("propose '" + tt.line + "'\n")
	}
	holdProposals(t, onPath(t, "zsh", "-f", "-c", script.String()))
}
