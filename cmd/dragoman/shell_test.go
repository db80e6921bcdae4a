package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
)

// The possible continuations of a command line.
func TestComplete(t *testing.T) {
	file := write(t, "dragoman.yaml", simulatedFile)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "claude"), nil, 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	const files, folders, nothing = ":0", ":16", ":4" // cobra's directives
	tests := []struct{ line, want string }{           // | separates words, and the last one is completed
		{"re", "render " + nothing},
		{"nonsense|", nothing},
		{"he", "healthcheck help " + nothing},
		{"help|ver", "version " + nothing},
		{"help|config|", "print schema " + nothing},
		{"config|pr", "print " + nothing},
		{"config|print|--sim", "--simulated " + nothing},
		{"serve|--log-", "--log-format --log-level " + nothing},
		{"serve|--log-format|", "auto console json " + nothing},
		{"serve|--log-format=", "auto console json " + nothing},
		{"serve|--simulated|", nothing},
		{"serve|--listen|", nothing},
		{"serve|--config|", files},
		{"eval|--out|", folders},
		{"man|", folders},
		{"eval|set|", files},
		{"parse|--stop|", "end_turn max_tokens stop_sequence refusal model_context_window_exceeded " + nothing},
		{"parse|--chunk|3|--request|r|", files},
		{"parse|a|", nothing},
		{"demo|--format|", strings.Join(translate.Formats(), " ") + " " + nothing},
		{"render|--model|", nothing},
		{"render|--config|" + file + "|--model|", "claude-2.1 " + nothing},
		{"render|--config|/nowhere|--model|", nothing},
		{"completion|", "bash fish powershell zsh " + nothing},
		{"run|--sim", "--simulated " + nothing},
		{"run|--simulated|--|cla", "claude " + files},
		{"run|ls|--log-format=", files},
	}
	for _, tt := range tests {
		got := invocation{env: map[string]string{"PATH": bin}}.run(t, append([]string{"__complete"}, strings.Split(tt.line, "|")...)...)
		var words []string
		for line := range strings.Lines(got.stdout) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			words = append(words, word)
		}
		if s := strings.Join(words, " "); s != tt.want || got.code != 0 {
			t.Errorf("%q: %q, want %q", tt.line, s, tt.want)
		}
	}
	if got := (invocation{}).run(t, "__complete", "eval", "--formats", "legacy,js"); !strings.Contains(got.stdout, "legacy,json\n") {
		t.Errorf("a list: %q", got.stdout)
	}
	got := invocation{env: map[string]string{"DRAGOMAN_CONFIG": file}}.run(t, "__complete", "eval", "--model", "")
	if got.stdout != "claude-2.1\n:4\n" {
		t.Errorf("models of DRAGOMAN_CONFIG: %q", got.stdout)
	}
}

// onPath makes the test's own binary the program dragoman for a shell. The shell runs in a folder with the files "a b"
// and "config.yaml" and the folder "sub".
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

// shellLines are command lines, with the proposals that every shell must make. A shell may propose a whole word, or the
// part after its last = or colon.
var shellLines = []struct {
	line  string
	want  []string
	files []string // replaces them where the shell itself proposes files: fish cannot propose only folders
}{
	{"dragoman re", []string{"render"}, nil},
	{"dragoman parse --format=att", []string{"attribute"}, nil},
	{"dragoman parse --format ", parseFormats(), nil},
	{"dragoman serve --log-l", []string{"--log-level"}, nil},
	{"dragoman serve --config c", nil, []string{"config.yaml"}},
	{"dragoman serve --config=c", nil, []string{"config.yaml"}},
	{"dragoman serve --config ", nil, []string{"a b", "config.yaml", "sub"}},
	{"dragoman eval --out ", []string{"sub"}, []string{"a b", "config.yaml", "sub"}},
	{"dragoman render --config config.yaml --model anthropic.claude-v2:", []string{"1"}, nil},
	{"dragoman run --simulated -- dragoma", []string{"dragoman"}, nil},
	{"dragoman run -- cat conf", nil, []string{"config.yaml"}},
	{"dragoman serve --listen ", nil, nil},
}

// holdProposals compares a shell's proposals: a line for each, and a rule after each of shellLines.
func holdProposals(t *testing.T, out string, files bool) {
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
		if files && tt.files != nil {
			want = tt.files
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", tt.line, got, want)
		}
	}
}

// Where the script proposes nothing, bash itself proposes files, but only on a terminal.
func TestBash(t *testing.T) {
	const library = "/usr/share/bash-completion/bash_completion"
	if _, err := os.Stat(library); err != nil {
		t.Skip("bash-completion is not installed")
	}
	holdProposals(t, onPath(t, "bash", "-c", "source "+library+"; source <(dragoman completion bash)\n"+`
propose() {
	COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9; read -ra COMP_WORDS <<<"$1"; [[ $1 != *" " ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); __start_dragoman dragoman 2>/dev/null; printf '%s\n' "${COMPREPLY[@]}"; echo ----
}
`+proposing()), false)
}

func TestFish(t *testing.T) {
	holdProposals(t, onPath(t, "fish", "--no-config", "-c", "dragoman completion fish | source\nfunction propose; complete -C $argv[1]; echo ----; end\n"+proposing()), true)
}

// zsh completes only on a terminal. The test loads the script, and checks that it completes the command.
func TestZsh(t *testing.T) {
	out := onPath(t, "zsh", "-f", "-c", "autoload -U compinit && compinit -u -D && source <(dragoman completion zsh) && print -- $_comps[dragoman] && type _dragoman")
	if !strings.HasPrefix(out, "_dragoman\n_dragoman is a shell function") {
		t.Error(out)
	}
}

// proposing returns the lines of a script that prints the proposals for each of shellLines.
func proposing() string {
	var script strings.Builder
	for _, tt := range shellLines {
		script.WriteString("propose '" + tt.line + "'\n")
	}
	return script.String()
}
