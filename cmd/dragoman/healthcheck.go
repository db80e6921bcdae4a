package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
)

// healthTimeout is less than container engines give to a check.
const healthTimeout = 5 * time.Second

// healthcheckCommand returns `dragoman healthcheck`.
func healthcheckCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "healthcheck",
		Short: "ask a running server for its health",
		Long: `Asks /healthz of the server that runs on this machine, at the admin address of the flag, the
file or the default. Exit code 0 if it is healthy, 1 if not. For images without a shell:
HEALTHCHECK CMD ["dragoman", "healthcheck"].`,
		Example: `  dragoman healthcheck --admin-listen 127.0.0.1:9001`,
		Args:    atMost(0),
	}
	s := newSettings(c).withAdmin().notListening()
	c.RunE = func(c *cobra.Command, _ []string) error { return healthcheck(c.Context(), p, s) }
	return c
}

// adminAddress returns the admin listener's address of a server that was started with the same flags and file. Nothing
// else in the configuration matters. It loads the configuration as with --simulated, because the file alone may be
// incomplete: the server may have been started with that flag.
func (s *settings) adminAddress(p process) (string, error) {
	if _, _, err := net.SplitHostPort(s.adminListen); s.adminListen != "" && err != nil {
		return "", usagef("%s: %q is not host:port", from(s.flags, "admin-listen"), s.adminListen)
	}
	if s.adminListen != "" || s.file == "" {
		return cmp.Or(s.adminListen, config.DefaultAdminListen), nil
	}
	s.simulated = true
	cfg, err := s.load(p)
	if err != nil {
		return "", err
	}
	return cfg.AdminListen, nil
}

// healthcheck returns an error unless /healthz of the running server answers with 200. It checks liveness, not
// readiness: a draining container must not be restarted.
func healthcheck(ctx context.Context, p process, s *settings) error {
	address, err := s.adminAddress(p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	url := "http://" + serve.LocalAddress(address) + "/healthz"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // never use a proxy
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("not healthy: no answer from %s (%w); start dragoman serve, or give its address with --admin-listen or --config", url, innermost(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not healthy: %s answered %s", url, response.Status)
	}
	_, err = fmt.Fprintln(p.stdout, "ok")
	return err
}
