package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// onlineTimeout is the limit of one call of `check --online`.
const onlineTimeout = 30 * time.Second

// checkCommand returns `dragoman check`.
func checkCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "check",
		Short: "report everything that serve would reject",
		Long: `Checks the configuration as serve does, and prints "ok" with a summary, or everything that is wrong:
file and line, cause, and what to do. With --online each upstream is then asked for one token by the
first model entry that names it, or for its list of models if no entry names one, and "ok" comes
last, if all have answered.

With the server of --base-url, --online plays one whole loop: the model calls a tool, gets the result,
and must answer with it. check prints what came, and the commands for a client. If the server has
several models, name one with --model; without it, check only lists them.`,
		Example: `  dragoman check --config dragoman.yaml
  dragoman check --config dragoman.yaml --online
  dragoman check --base-url http://127.0.0.1:8080/v1 --online
  dragoman check --base-url http://127.0.0.1:11434/v1 --online --model qwen2.5-coder:1.5b`,
		Args: atMost(0),
	}
	s := newSettings(c).withServing()
	online := c.Flags().Bool("online", false, "make one small call to each upstream, or play a loop with the server of --base-url")
	c.RunE = func(c *cobra.Command, _ []string) error { return check(c.Context(), p, s, *online) }
	return c
}

// check does everything that serve does before it listens, so that it finds the same problems, and discards the result.
// With online, it also calls the upstreams.
func check(ctx context.Context, p process, s *settings, online bool) error {
	cfg, err := s.load(p)
	if err != nil {
		return err
	}
	upstreams, err := serve.Try(ctx, cfg)
	if err != nil {
		return err
	}
	defer upstreams.Close()
	if !online {
		_, err := fmt.Fprint(p.stdout, "ok\n"+summary(cfg))
		return err
	}
	if _, err := fmt.Fprint(p.stdout, summary(cfg)); err != nil {
		return err
	}
	if err := checkOnline(ctx, p.stdout, cfg, upstreams.ByName(), s); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	_, err = fmt.Fprintln(p.stdout, "ok")
	return err
}

// checkOnline calls the upstreams, and prints the results.
func checkOnline(ctx context.Context, w io.Writer, cfg *config.Config, upstreams map[string]proxy.Upstream, s *settings) error {
	if server, ok := newServerOf(cfg, upstreams, s); ok {
		return server.check(ctx, w, s)
	}
	return callAll(ctx, w, cfg, upstreams)
}

// summary returns what a valid configuration would serve.
func summary(cfg *config.Config) string {
	var s strings.Builder
	fmt.Fprintf(&s, "listen    %s, %s\n", cfg.Listen, access(cfg))
	fmt.Fprintf(&s, "admin     %s\n", cfg.AdminListen)
	for _, u := range cfg.Upstreams {
		fmt.Fprintf(&s, "upstream  %s: %s %s\n", u.Name, u.Kind, u.Place())
	}
	for _, route := range cfg.Models {
		var models []string
		of := route
		if !strings.Contains(route.Name, "*") {
			of = route.For(route.Name)
		}
		for _, m := range of.UpstreamModels() {
			models = append(models, strings.TrimSpace(m.UpstreamKey()+" "+m.Model)+askedIn(m))
		}
		fmt.Fprintf(&s, "model     %s: %s\n", route.Name, strings.Join(models, ", then "))
		if slices.ContainsFunc(route.For(route.Name).UpstreamModels(), proxy.UpstreamModel.WantsFewTools) {
			fmt.Fprintf(&s, "note      %s: the documentation of the legacy format advises to offer such an early model only 3 to 5 tools\n", route.Name)
		}
	}
	for _, problem := range cfg.Warnings {
		fmt.Fprintf(&s, "warning   %s\n", problem)
	}
	return s.String()
}

// askedIn returns in which format a model is asked, and why.
func askedIn(m proxy.UpstreamModel) string {
	switch {
	case m.Tools == proxy.ToolsNative:
		return ""
	case m.Format == translate.FormatAuto && m.Model == "" && m.Family == "":
		return " in the format of its family"
	}
	format := m.FormatName()
	if v := m.Variant(); v != "" {
		format += " (" + v + ")"
	}
	return " in " + format + ": " + m.FormatReason()
}

// access returns what a client must send.
func access(cfg *config.Config) string {
	var all []string
	if cfg.TLS.Cert != "" {
		all = append(all, "TLS")
	}
	if cfg.TLS.ClientCA != "" {
		all = append(all, "authentication with client certificates")
	}
	if n := len(cfg.Keys); n > 0 {
		all = append(all, fmt.Sprintf("authentication with keys: %d", n))
	} else if cfg.TLS.ClientCA == "" {
		all = append(all, "no authentication")
	}
	return strings.Join(all, ", ")
}

// callAll calls each upstream once and prints the results. It calls all of them even if some fail; the error has the
// number of failures.
func callAll(ctx context.Context, w io.Writer, cfg *config.Config, upstreams map[string]proxy.Upstream) error {
	failures := 0
	for _, u := range cfg.Upstreams {
		said, err := callOne(ctx, cfg, u, upstreams[u.Name])
		if err != nil {
			failures++
			said = fmt.Sprintf("%s failed: %s", said, whyNot(u, err))
		}
		if _, err := fmt.Fprintf(w, "online    %s: %s\n", u.Name, said); err != nil {
			return err
		}
	}
	if failures > 0 {
		return fmt.Errorf("upstreams that failed: %d", failures)
	}
	return nil
}

// callOne asks the upstream for one token, and returns the result. If no entry has a model id, it asks for the list of
// models instead, which also tests the credentials. With an error, it returns what was asked.
func callOne(ctx context.Context, cfg *config.Config, u config.Upstream, up proxy.Upstream) (string, error) {
	begun := time.Now()
	if m, found := firstModel(cfg, u); found {
		if err := askOneToken(ctx, onlineTimeout, up, m); err != nil {
			return m.Model, err
		}
		said := fmt.Sprintf("%s answered in %d ms", m.Model, time.Since(begun).Milliseconds())
		told := up.Resolve(ctx, upstream.Model{ID: m.Model, Wire: m.Wire, Can: upstream.Guided})
		if kind := cmp.Or(m.Guided, upstream.GuidedKind(told.Server)); kind != "" {
			said += ", and takes constraints as guided: " + kind
		}
		return said, nil
	}
	const noModel = "no entry of models has an id to call; add one with model: ID"
	ctx, cancel := context.WithTimeout(ctx, onlineTimeout)
	defer cancel()
	models, err := up.ListModels(ctx)
	var failed *upstream.Error
	switch {
	case err == nil || len(models) > 0:
		return fmt.Sprintf("listed %d models in %d ms; no model was called: %s", len(models), time.Since(begun).Milliseconds(), noModel), nil
	case errors.As(err, &failed) && (failed.Unreachable || failed.Credentials == upstream.CredentialsMissing):
		return "the list of models", err
	}
	return "not called: " + noModel, nil
}

// whyNot returns why an upstream did not answer, and what to do.
func whyNot(u config.Upstream, err error) string {
	var failed *upstream.Error
	switch {
	case !errors.As(err, &failed):
		return err.Error()
	case failed.Credentials == upstream.CredentialsMissing:
		return fmt.Sprintf("%s (tried: %s)", serve.CredentialsAdvice(u.Kind), upstream.Explain(failed.Err))
	case failed.Credentials == upstream.CredentialsRefused:
		return fmt.Sprintf("the upstream refused the credentials (%v); see the errors in docs/start for what each one needs", failed.Err)
	case failed.Unreachable:
		return cmp.Or(whyNoTLS(u.Place(), failed), fmt.Sprintf("nothing answers at %s (%v); start the server, or correct its address", u.Place(), innermost(failed)))
	case u.Kind == config.OpenAI && isMissing(err):
		return said(failed) + "; correct model, or the path of base_url, which most often ends in /v1"
	}
	return said(failed)
}

// whyNoTLS returns why TLS with a reachable server fails, and what to do; "" for other errors.
func whyNoTLS(place string, err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
	)
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Sprintf("the server at %s speaks HTTP without TLS; write http:// instead of https://", place)
	case errors.As(err, &authority):
		return fmt.Sprintf("this machine does not trust the certificate of %s; set the key ca of the upstream to the file of its authority", place)
	case strings.HasPrefix(place, "https:") && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || strings.Contains(err.Error(), "TLS handshake timeout")):
		return fmt.Sprintf("something answers at %s, but not with TLS; if it speaks HTTP without TLS, write http:// instead of https://", place)
	case errors.As(err, &name):
		return fmt.Sprintf("the certificate of %s is for another name (%v); correct the address", place, name)
	}
	return ""
}

// firstModel returns the upstream's first model with a known id, which excludes wildcards. The simulated upstream takes
// any id.
func firstModel(cfg *config.Config, u config.Upstream) (proxy.UpstreamModel, bool) {
	for _, route := range cfg.Models {
		for _, m := range route.For(route.Name).UpstreamModels() {
			if m.Upstream == u.Name && (u.Kind == config.Simulated || !strings.Contains(m.Model, "*")) {
				return m, true
			}
		}
	}
	return proxy.UpstreamModel{}, false
}

// askOneToken returns an error unless the model answers with one token within the timeout.
func askOneToken(ctx context.Context, timeout time.Duration, up proxy.Upstream, m proxy.UpstreamModel) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	m = m.Resolved(ctx, up)
	spec := m.Spec()
	prompt, err := translate.Render(&messages.Request{
		Model:     m.Model,
		MaxTokens: 1,
		Messages: []messages.MessageParam{{
			Role:    messages.RoleUser,
			Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Say ok."}},
		}},
	}, m.Target(spec))
	if err != nil {
		return err
	}
	// The answer may have no text, because one token may only begin thinking. A stop reason is enough.
	call, err := up.Prepare(spec, prompt)
	if err != nil {
		return err
	}
	for chunk, err := range call.Chunks(ctx) {
		if err != nil {
			return err
		}
		if chunk.Stop != "" {
			return nil
		}
	}
	return errors.New("the answer broke off")
}
