package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/serve"
	"dragoman/cmd/dragoman/internal/terminal"
)

// serveCommand returns `dragoman serve`.
func serveCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "serve until SIGTERM or SIGINT, then drain",
		Long: `Serves the Messages API. The first line of the log, on standard error, names the URL and what to
paste for a client. On SIGTERM or SIGINT /readyz answers 503, new connections are taken only for
timeouts.drain_delay, and open exchanges have timeouts.drain to finish, less two seconds in which
they are ended with an error; a second signal does that at once, a third ends the process. On
SIGHUP, or when it changes, the configuration is read again and serves new requests: all of it, or
none. What takes a restart, such as another address, is named in the log.`,
		Example: `  dragoman serve --simulated
  dragoman serve --base-url http://127.0.0.1:11434/v1
  dragoman serve --base-url http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b
  dragoman serve --base-url https://llm.example.com/v1 --api-key-file key.txt
  AWS_REGION=us-east-1 dragoman serve
  dragoman serve --config dragoman.yaml --listen 127.0.0.1:9000 --admin-listen 127.0.0.1:9001
  dragoman serve --simulated --listen 10.0.0.7:8484 --insecure
  dragoman serve --simulated --inspect
  dragoman serve --simulated --log-format json --log-level warn`,
		Args: atMost(0),
	}
	s := newSettings(c).withServing()
	c.RunE = func(c *cobra.Command, _ []string) error { return serveClients(c.Context(), p, s) }
	return c
}

// serveClients answers clients until ctx ends with the first signal. Then it drains, until the second signal at the
// latest. After it has served, an error is logged and returned as a *loggedError, or as an *exitStatus for Ctrl-C.
func serveClients(ctx context.Context, p process, s *settings) error {
	signals := stopRequests()
	defer signal.Stop(signals)
	server, err := serve.Start(ctx, serve.Options{
		Load: s.loading(p), Log: p.openLog, Getenv: p.getenv, Version: build().Version, HangUps: hangUps(),
	})
	if err != nil {
		return err
	}
	printAddresses(p, server)
	err = server.Serve(ctx, signals)
	var stopped *serve.Stopped
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &stopped):
		return &loggedError{err}
	case stopped.Signal == os.Interrupt:
		return &exitStatus{code: 128 + int(syscall.SIGINT)}
	}
	return nil
}

// printAddresses prints what to paste for clients, if standard output is a terminal, and where the inspector is. If standard output belongs to a command, the inspector's URL goes to standard error.
func printAddresses(p process, s *serve.Server) {
	if terminal.Is(p.stdout) {
		fmt.Fprintf(p.stdout, "Next, in the terminal of a client: %s\n", s.ClientExport())
	}
	if url := s.InspectorURL(); url != "" {
		to := p.stdout
		if to == io.Discard {
			to = p.stderr
		}
		fmt.Fprintf(to, "Inspector: %s\n", url)
	}
}
