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

// agentTime is for an agent, which has four answers to ask for, on a machine that is busy with others.
const agentTime = 90 * time.Second

// agent is a program that does tasks by a model's tool calls.
type agent struct {
	name    string // and the folder that pins it
	machine string // the one GOARCH that it is pinned for; "" for all
	// program is the path of the program below node_modules, as in architectures.
	program string
	// args have it do the task and end.
	args func(task string) []string
	// configure points it to the base URL, if the environment does not: in the files that its users write.
	configure func(t *testing.T, home, work, url string)
	// env is what it has in its environment besides ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.
	env   func(url string) []string
	tools tools
	more  bool // it runs only with -more
}

// runMore is as in conformance/clients.
var runMore = flag.Bool("more", false, "run the agents that only make conformance runs, too")

// TestAgents has each agent do the task.
func TestAgents(t *testing.T) {
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) { a.do(t, a.tools.script) })
	}
}

// TestCutCall has the token limit cut each agent's command. What is left of the command is one, too: an agent
// runs it only if it has asked for values as they come.
func TestCutCall(t *testing.T) {
	if !*runMore {
		t.Skip("only with -more")
	}
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) { a.do(t, a.tools.cutScript) })
	}
}

// do has the agent do what a script says.
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

// TestImported has Claude Code do the task with an imported model, for whose ARN it asks.
func TestImported(t *testing.T) {
	imported := claudeCode
	imported.args = func(task string) []string {
		return append([]string{"--model", conformance.ImportedModel}, claudeCode.args(task)...)
	}
	imported.do(t, imported.tools.importedScript)
}

// TestRun has Claude Code do the task below `dragoman run`, which alone points it to the server.
func TestRun(t *testing.T) {
	packages := install.Node(t, claudeCode.name)
	withoutNetwork(t, func() {
		site := newSite(t, claudeCode.tools.script)
		args := append([]string{"run", "--config", site.config, "--", claudeCode.path(packages)}, claudeCode.args(task)...)
		site.do(t, credentials, conformance.Binary(), args...)
	})
}

// path is where the program is in a folder of packages.
func (a agent) path(packages string) string {
	return filepath.Join(packages, "node_modules", a.program)
}

// do runs a command that has the agent do the task, in an environment that has env and what every
// program has, and checks what became of it.
func (s *site) do(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), agentTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.work
	cmd.Env = append([]string{"HOME=" + s.home, "TMPDIR=" + s.temporary, "PATH=" + os.Getenv("PATH")}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it started ends with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var answer, log strings.Builder
	cmd.Stdout, cmd.Stderr = &answer, &log
	err := cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left running
	t.Logf("%s\n%s", answer.String(), log.String())
	if s.script.cut { // it may fail then
		s.checkCut(t)
		return
	}
	if err != nil {
		t.Error(err)
	}
	s.check(t, answer.String())
}
