package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
)

// runCommand returns `dragoman run`.
func runCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "run [flags] [--] COMMAND [ARGUMENT…]",
		Short: "serve for one command, and point its clients here",
		Long: `Serves on a free port of loopback and runs COMMAND with the variables set that point clients there:
ANTHROPIC_BASE_URL and OPENAI_BASE_URL, and those of Bedrock, Vertex AI, the AWS SDKs and LangChain.
No file is changed, nor the environment that dragoman was started in. Where a client asks for a key
and none is set, it gets a word in its place; where the configuration has keys, one that ends with
COMMAND. --no-openai leaves the variables of OpenAI as they are, for a COMMAND that uses OpenAI for
something that Dragoman does not serve, such as embeddings. If one model of --base-url answers all
names, ANTHROPIC_MODEL and ANTHROPIC_SMALL_FAST_MODEL have its name, unless they are set.

COMMAND does not get the variables that the configuration uses as secrets (${VAR} in auth.keys or
api_key), so that it cannot read the key of an upstream. The log names them, and --inherit-secrets
keeps them.

Standard input, output and error are those of COMMAND, and signals are passed on to it. When it has
ended, open exchanges may finish, and its exit code is that of dragoman: 128 more than the number of
a signal that ended it, 127 if it was not found, 126 if it could not be run. Warnings of the server
are on standard error; --log-file has the whole log.`,
		Example: `  dragoman run --simulated -- python app.py
  dragoman run --base-url http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b -- claude
  dragoman run --config dragoman.yaml --log-file dragoman.log -- claude
  dragoman run --config dragoman.yaml --inherit-secrets -- ./deploy.sh
  dragoman run --base-url http://127.0.0.1:11434/v1 --no-openai -- python search.py`,
		ValidArgsFunction: programs(p),
	}
	r := wrapper{settings: newSettings(c).withServing()}
	c.Flags().StringVar(&r.logFile, "log-file", "", "append the log to `FILE` instead of standard error")
	c.Flags().BoolVar(&r.inheritSecrets, "inherit-secrets", false, "pass the variables that the configuration uses as secrets to COMMAND")
	c.Flags().BoolVar(&r.noOpenAI, "no-openai", false, "leave OPENAI_BASE_URL and OPENAI_API_KEY as they are")
	c.Flags().SetInterspersed(false) // the flags of COMMAND are not ours
	c.RunE = func(c *cobra.Command, args []string) error { return r.run(c.Context(), p, args) }
	return c
}

// wrapper is `dragoman run` with its flags.
type wrapper struct {
	settings *settings
	logFile  string
	key      string // that COMMAND must send; "" if the server has no keys

	inheritSecrets bool
	noOpenAI       bool
}

// exitStatus is the error of a command that ends with another command's exit code.
type exitStatus struct {
	code int
	text string // the text to print; "" for none
}

func (s *exitStatus) Error() string { return s.text }

// The exit codes for a command that did not run, as in shells.
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

// run serves while the command line in args runs. After that, the error is an *exitStatus.
//
// It does not end with ctx, which ends with signals that are meant for COMMAND.
func (w *wrapper) run(ctx context.Context, p process, args []string) error {
	if len(args) == 0 {
		return usagef("there is no command to run: dragoman run [flags] -- COMMAND")
	}
	command := exec.Command(args[0], args[1:]...)
	if command.Err != nil {
		return cannotRun(args[0], command.Err)
	}
	signals := make(chan os.Signal, 16)
	for _, s := range passedSignals {
		if !signal.Ignored(s) { // under nohup, COMMAND ignores the signal, too
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	ctx = context.WithoutCancel(ctx)
	own := p
	own.stdout = io.Discard // it is COMMAND's
	if w.logFile != "" {
		file, err := os.OpenFile(w.logFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("run: --log-file: %w", err)
		}
		defer file.Close()
		own.stderr = file
	}
	server, err := w.start(ctx, own)
	if err != nil {
		return err
	}
	command.Stdin, command.Stdout, command.Stderr = p.stdin, p.stdout, p.stderr
	command.Env = w.environment(server, command.Environ(), p.getenv)
	status, err := runWith(command, signals)
	w.end(ctx, server, signals)
	if err != nil {
		return cannotRun(args[0], err)
	}
	return &exitStatus{code: status}
}

// environment returns the variables of COMMAND, as NAME=value: the variables of this process without the
// configuration's secrets, and the variables that point clients to the server.
func (w *wrapper) environment(server *serve.Server, own []string, getenv func(string) string) []string {
	if !w.inheritSecrets {
		kept, removed := without(own, server.Config().SecretVariables)
		if len(removed) > 0 {
			log := server.Log()
			log.Warn().Strs("variables", removed).Str("event", "secrets_withheld").
				Str("msg", "the command does not get the variables that the configuration uses as secrets; --inherit-secrets keeps them").Send()
		}
		own, getenv = kept, hiding(getenv, removed)
	}
	own = append(own, clientVariables(server.LocalURL(), w.key, getenv)...)
	own = append(own, modelVariables(server.OnlyModel(), getenv)...)
	if !w.noOpenAI {
		own = append(own, openAIVariables(server.LocalURL(), w.key, getenv)...)
	}
	return own
}

// start serves. The log goes to p.stderr.
func (w *wrapper) start(ctx context.Context, p process) (*serve.Server, error) {
	server, err := serve.Start(ctx, serve.Options{
		Load:   func(running *config.Config) (*config.Config, error) { return w.load(p, running) },
		Log:    p.openLog,
		Getenv: p.getenv, Version: build().Version,
	})
	if err == nil {
		printAddresses(p, server)
	}
	return server, err
}

// end drains the server after the command has ended: open exchanges may finish until timeouts.drain is over, or until
// the first signal.
func (w *wrapper) end(ctx context.Context, server *serve.Server, signals <-chan os.Signal) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	limit, log := server.Config().Drain, server.Log()
	said := time.AfterFunc(time.Second, func() {
		log.Warn().Stringer("timeout", limit).Str("event", "run_waits").Str("msg", "the command has ended; open exchanges may finish until the timeout, or until a signal").Send()
	})
	_ = server.Drain(ctx, limit) // the error is in the log
	said.Stop()
	server.Close(ctx)
}

// load reads the configuration of a server for one command. The server listens on free loopback ports, unless flags
// name others, and without TLS, because clients would not know its authority. Standard error belongs to COMMAND, so
// without --log-file only warnings are logged. If clients need a key, COMMAND gets one of its own; it cannot get one
// later.
func (w *wrapper) load(p process, running *config.Config) (*config.Config, error) {
	s := *w.settings
	s.wraps = true
	own := s.listen == ""
	if own {
		s.listen, s.idle = freePort, true
	}
	if s.adminListen == "" {
		s.adminListen = freePort
	}
	if w.logFile == "" && s.logLevel == "" {
		s.logLevel = "warn"
	}
	cfg, err := s.loadBeside(p, running)
	if err != nil {
		return nil, err
	}
	if own {
		cfg.TLS = config.TLS{}
	}
	if len(cfg.Keys) > 0 {
		switch {
		case w.key != "":
		case running != nil:
			return nil, config.Problems{{
				Where: cfg.File, Key: "auth.keys", Cause: "the running command has no key, and would lose its access", Fix: "start it again",
			}}
		default:
			w.key = newSecret()
		}
		cfg.AddKey(w.key, "run")
	}
	return cfg, nil
}

// freePort is the listen address for a free loopback port.
const freePort = "127.0.0.1:0"

// runWith runs a command to its end, passes signals on to it, and returns its exit code. The error says why the command
// could not start.
func runWith(command *exec.Cmd, signals <-chan os.Signal) (int, error) {
	command.SysProcAttr = endingWithParent()
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		// The system ends a command with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait() // the state says how it ended
		}
	}()
	if err := <-started; err != nil {
		<-ended
		return 0, err
	}
	for {
		select {
		case s := <-signals:
			if !fromTerminal(s) {
				_ = command.Process.Signal(s) // fails only if it has just ended
			}
		case <-ended:
			return statusOf(command.ProcessState), nil
		}
	}
}

// statusOf returns the exit code as in shells: for a command that a signal ended, 128 and the signal's number.
func statusOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// cannotRun returns the error of a command that could not start, with its exit code.
func cannotRun(name string, err error) error {
	var bad *exec.Error
	if errors.As(err, &bad) {
		err = bad.Err
	}
	code := exitCannotRun
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNotFound
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &exitStatus{code, fmt.Sprintf("run: %s: %v", name, err)}
}
