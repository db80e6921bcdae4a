package agents

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dragoman/conformance"
	"dragoman/conformance/install"
)

// agentTime limits an agent, which asks for four answers, on a busy machine.
const agentTime = 90 * time.Second

// agent is a program that does tasks with a model's tool calls.
type agent struct {
	name    string // also the folder that pins it
	machine string // the only GOARCH that it is pinned for; "" for all
	// program is the path of the program below node_modules; its keys are those of architecture.
	program string
	// args make it do the task and exit.
	args func(task string) []string
	// configure writes the base URL into the agent's configuration files, if the environment cannot set it.
	configure func(t *testing.T, home, work, url string)
	// env is added to its environment, after ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.
	env   func(url string) []string
	tools tools
	more  bool // it runs only with -more
}

// runMore is like the flag in conformance/clients.
var runMore = flag.Bool("more", false, "also run the agents that only make conformance runs")

// TestAgents makes each agent do the task.
func TestAgents(t *testing.T) {
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) { a.do(t, a.tools.script) })
	}
}

// TestCutCall cuts each agent's command with the token limit. The rest of the command is a command too. An
// agent runs it only if it has asked for values in pieces.
func TestCutCall(t *testing.T) {
	if !*runMore {
		t.Skip("only with -more")
	}
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) { a.do(t, a.tools.cutScript) })
	}
}

// do makes the agent follow a script.
func (a agent) do(t *testing.T, does func(path string) script) {
	if a.more && !*runMore {
		t.Skip("only with -more")
	}
	if a.machine != "" && a.machine != runtime.GOARCH {
		t.Skip("pinned for", a.machine)
	}
	packages := install.Node(t, a.name)
	withoutNetwork(t, func() {
		site := newSite(t, does)
		url := conformance.Serve(t, credentials, "--config", site.config)
		if a.configure != nil {
			a.configure(t, site.home, site.work, url)
		}
		env := []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=none"}
		if a.env != nil {
			env = append(env, a.env(url)...)
		}
		site.do(t, env, a.path(packages), a.args(task)...)
	})
}

// TestImported makes Claude Code do the task with an imported model, by the model's ARN.
func TestImported(t *testing.T) {
	imported := claudeCode
	imported.args = func(task string) []string {
		return append([]string{"--model", conformance.ImportedModel}, claudeCode.args(task)...)
	}
	imported.do(t, imported.tools.importedScript)
}

// TestRun makes Claude Code do the task under `dragoman run`, which alone sets the base URL.
func TestRun(t *testing.T) {
	packages := install.Node(t, claudeCode.name)
	withoutNetwork(t, func() {
		site := newSite(t, claudeCode.tools.script)
		args := append([]string{"run", "--config", site.config, "--", claudeCode.path(packages)}, claudeCode.args(task)...)
		site.do(t, credentials, conformance.Binary(), args...)
	})
}

// path is the path of the program in a folder of packages.
func (a agent) path(packages string) string {
	return filepath.Join(packages, "node_modules", a.program)
}

// do runs a command that makes the agent do the task, and checks the result. The environment is env and the
// variables that every program has.
func (s *site) do(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), agentTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.work
	cmd.Env = append([]string{"HOME=" + s.home, "TMPDIR=" + s.temporary, "PATH=" + os.Getenv("PATH")}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its child processes end with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var answer, log strings.Builder
	cmd.Stdout, cmd.Stderr = &answer, &log
	err := cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // ends the processes that it left running
	t.Logf("%s\n%s", answer.String(), log.String())
	if s.script.cut { // the agent may fail
		s.checkCut(t)
		return
	}
	if err != nil {
		t.Error(err)
	}
	s.check(t, answer.String())
}
