package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
)

// onlineTimeout is how long one call of `check --online` may take.
const onlineTimeout = 30 * time.Second

func checkCommand() command {
	return command{
		name:     "check",
		synopsis: "[--config FILE] [--online]",
		brief:    "say all that serve would refuse",
		about: `
Checks the configuration as serve does, and prints "ok" with a summary, or everything that is wrong:
file and line, cause, and what to do. With --online each upstream is then asked for one token by the
first model entry that names it.

  dragoman check --config dragoman.yaml
  dragoman check --config dragoman.yaml --online`,
		setup: func(fs *flagSet) action {
			s := newSettings(fs).withServing()
			online := fs.Bool("online", false, "make one small call to each upstream")
			return func(ctx context.Context, p process, _ []string) error { return check(ctx, p, s, *online) }
		},
	}
}

func check(ctx context.Context, p process, s *settings, online bool) error {
	cfg, err := s.load(p)
	if err != nil {
		return err
	}
	counts := metrics.New(build().Version)
	upstreams, err := newUpstreams(ctx, cfg, counts)
	if err != nil {
		return err
	}
	if _, err := newProxy(cfg, upstreams, counts, zerolog.Nop()); err != nil {
		return err
	}
	if err := summarize(p.stdout, cfg); err != nil || !online {
		return err
	}
	return callAll(ctx, p.stdout, cfg, upstreams)
}

func summarize(w io.Writer, cfg *config.Config) error {
	var s strings.Builder
	s.WriteString("ok\n")
	auth := "no authentication"
	if n := len(cfg.Keys); n > 0 {
		auth = fmt.Sprintf("authentication with keys: %d", n)
	}
	fmt.Fprintf(&s, "listen    %s, %s\n", cfg.Listen, auth)
	fmt.Fprintf(&s, "admin     %s\n", cfg.AdminListen)
	for _, u := range cfg.Upstreams {
		fmt.Fprintf(&s, "upstream  %s: %s %s\n", u.Name, u.Kind, u.Place())
	}
	for _, m := range cfg.Models {
		var ways []string
		for _, w := range m.UpstreamModels() {
			ways = append(ways, strings.TrimSpace(w.UpstreamKey()+" "+w.Model))
		}
		fmt.Fprintf(&s, "model     %s: %s\n", m.Name, strings.Join(ways, ", then "))
	}
	for _, problem := range cfg.Warnings {
		fmt.Fprintf(&s, "warning   %s\n", problem)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// callAll calls each upstream once and prints how that went.
func callAll(ctx context.Context, w io.Writer, cfg *config.Config, upstreams map[string]proxy.Upstream) error {
	failures := 0
	for _, u := range cfg.Upstreams {
		said := "not called: no model entry gives an id to ask for; add one with model: ID"
		if way, found := firstModel(cfg, u); found {
			begun := time.Now()
			if err := askOneToken(ctx, upstreams[way.UpstreamKey()], way); err != nil {
				failures++
				said = fmt.Sprintf("%s failed: %v", way.Model, err)
			} else {
				said = fmt.Sprintf("%s answered in %d ms", way.Model, time.Since(begun).Milliseconds())
			}
		}
		if _, err := fmt.Fprintf(w, "online    %s: %s\n", u.Name, said); err != nil {
			return err
		}
	}
	if failures > 0 {
		return fmt.Errorf("check: upstreams that failed: %d", failures)
	}
	return nil
}

// firstWay returns the first way to the upstream that names an id to ask for. To
// the simulated upstream any id is good.
func firstModel(cfg *config.Config, u config.Upstream) (proxy.UpstreamModel, bool) {
	for _, m := range cfg.Models {
		for _, way := range m.For(m.Name).UpstreamModels() {
			if way.Upstream == u.Name && (u.Kind == config.Simulated || !strings.Contains(way.Model, "*")) {
				return way, true
			}
		}
	}
	return proxy.UpstreamModel{}, false
}

// call asks the model of a way for one token.
func askOneToken(ctx context.Context, up proxy.Upstream, way proxy.UpstreamModel) error {
	ctx, cancel := context.WithTimeout(ctx, onlineTimeout)
	defer cancel()
	asked := way.Spec()
	prompt, err := translate.Render(&translate.Request{
		Model:     way.Model,
		MaxTokens: 1,
		Messages: []translate.MessageParam{{
			Role:    translate.RoleUser,
			Content: []translate.BlockParam{{Type: translate.BlockText, Text: "Say ok."}},
		}},
	}, way.Target(asked))
	if err != nil {
		return err
	}
	for chunk, err := range up.Invoke(ctx, asked, prompt) {
		if err != nil {
			return err
		}
		if chunk.Stop != "" {
			return nil
		}
	}
	return errors.New("the answer broke off")
}
