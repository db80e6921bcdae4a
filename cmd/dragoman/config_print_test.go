package main

import (
	"strings"
	"testing"
)

// The first line has the hash by which the server names the same configuration, on any machine.
func TestConfigPrint(t *testing.T) {
	path := write(t, "dragoman.yaml", simulatedFile)
	server := start(t, nil, "--config", path)
	env := map[string]string{"DRAGOMAN_LISTEN": "127.0.0.1:0"}
	got := invocation{env: env}.run(t, "config", "print", "--config", path, "--admin-listen", "127.0.0.1:0")
	if got.code != 0 || !strings.HasPrefix(got.stdout, "# config "+hashOf(t, server)+"\nlisten: 127.0.0.1:0 # DRAGOMAN_LISTEN\nadmin_listen: 127.0.0.1:0 # --admin-listen\n") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if check := (invocation{}).run(t, "check", "--config", write(t, "printed.yaml", got.stdout)); check.code != 0 {
		t.Errorf("check of what was printed: %+v", check)
	}
}

// The first word of several commands prints their help, and an unknown second word is an error.
func TestCommandsOfTwoWords(t *testing.T) {
	for _, tt := range []struct {
		args           []string
		code           int
		stdout, stderr string // are in it
	}{
		{[]string{"config"}, 0, "  print       print", ""},
		{[]string{"config", "-h"}, 0, "  schema      print", ""},
		{[]string{"help", "config"}, 0, "Usage: dragoman config COMMAND", ""},
		{[]string{"help", "config", "print"}, 0, "Usage: dragoman config print [flags]", ""},
		{[]string{"config", "print", "-h"}, 0, "--config FILE   ", ""},
		{[]string{"config", "print", "--base-url", "http://127.0.0.1:1/v1"}, 0, "name: '*' # --base-url, which also gives every name to the only model of a server; in a file, add model: NAME\n", ""},
		{[]string{"config", "schema"}, 0, `"$schema": "https://json-schema.org/draft/2020-12/schema"`, ""},
		{[]string{"help"}, 0, "  config      print", ""},
		{[]string{"config", "prnt"}, 2, "", `dragoman config: unknown command "prnt"; did you mean "print"?`},
		{[]string{"help", "config", "nonsense"}, 2, "", `unknown command "nonsense"`},
		{[]string{"confi", "print"}, 2, "", `unknown command "confi"; did you mean "config"?`},
		{[]string{"config", "schema", "x"}, 2, "", `config schema: unexpected argument "x"` + "\nFor the usage: dragoman config schema -h"},
		{[]string{"config", "print", "--config", "none.yaml"}, 78, "", "none.yaml: cannot be read"},
		{[]string{"config", "print"}, 78, "", "there is no upstream"},
		{[]string{"serve"}, 78, "", "\n  dragoman serve --simulated    "},
		{[]string{"run", "--", "go"}, 78, "", "\n  dragoman run --simulated -- COMMAND    "},
	} {
		got := invocation{}.run(t, tt.args...)
		if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || !strings.Contains(got.stderr, tt.stderr) {
			t.Errorf("%q: %+v", tt.args, got)
		}
	}
}
