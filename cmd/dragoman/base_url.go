package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy"
	"dragoman/upstream"
)

// namedServer is the server of --base-url. Its errors say what to do.
type namedServer struct {
	url, keyFile string
	cfg          *config.Config
	upstream     *upstream.Server
}

// loadTimeout is how long a server may take for its first answer: some servers load the model first.
const loadTimeout = 2 * time.Minute

// newServerOf returns the server of --base-url. ok is false if the flag was not given.
func newServerOf(cfg *config.Config, upstreams map[string]proxy.Upstream, s *settings) (namedServer, bool) {
	if s.baseURL == "" {
		return namedServer{}, false
	}
	up, ok := upstreams[config.OpenAI].(*upstream.Server)
	return namedServer{s.baseURL, s.keyFile, cfg, up}, ok
}

// choose returns the model to ask: the one with this name or, for "", the only one that the server lists. It asks the
// model for one token, so that problems show before anything takes long.
func (n namedServer) choose(ctx context.Context, name string) (string, error) {
	listed, err := n.list(ctx)
	switch {
	case err != nil && (name == "" || !isMissing(err)):
		return "", n.advise(err)
	case name != "":
	case len(listed) == 0:
		return "", n.empty()
	case len(listed) > 1:
		return "", fmt.Errorf("%s has %d models; name one with --model:\n  %s", n.url, len(listed), strings.Join(listed, "\n  "))
	default:
		name = listed[0]
	}
	if err := n.tryChat(ctx, name, listed); err != nil {
		return "", err
	}
	return name, nil
}

// empty returns the error for a server that lists no models.
func (n namedServer) empty() error {
	return fmt.Errorf("%s lists no model; load one into the server", n.url)
}

// list returns the names of the server's models.
func (n namedServer) list(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, onlineTimeout)
	defer cancel()
	models, err := n.upstream.ListModels(ctx)
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.ID
	}
	return names, err
}

// tryChat returns an error unless the model answers with one token.
func (n namedServer) tryChat(ctx context.Context, name string, listed []string) error {
	route, _ := n.cfg.Model(name)
	err := askOneToken(ctx, loadTimeout, n.upstream, route.UpstreamModel)
	var failed *upstream.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed) || failed.Unreachable || failed.Credentials != "" || isBusy(failed):
		return n.advise(err)
	case len(listed) > 0 && !slices.Contains(listed, name):
		return fmt.Errorf("%s does not know the model %q (%s); name one that it lists with --model:\n  %s", n.url, name, said(failed), strings.Join(listed, "\n  "))
	}
	return fmt.Errorf("the model %q cannot chat (%s); name a chat model with --model: often -instruct or -chat, and not one for embeddings", name, said(failed))
}

// advise returns an error for a server that cannot be used, with what to do about it.
func (n namedServer) advise(err error) error {
	var failed *upstream.Error
	if !errors.As(err, &failed) {
		return err
	}
	better := config.WithVersion(n.url)
	switch {
	case failed.Unreachable:
		if why := whyNoTLS(n.url, err); why != "" {
			return errors.New(why)
		}
		return fmt.Errorf("nothing answers at %s (%w); start the server, or give its port: by default llama.cpp listens on 8080, Ollama on 11434, vLLM on 8000, LM Studio on 1234", n.url, innermost(failed))
	case failed.Credentials != "" && n.keyFile == "":
		return fmt.Errorf("%s wants a key; write it into a file, and name the file with --api-key-file", n.url)
	case failed.Credentials != "":
		return fmt.Errorf("%s does not accept the key in %s; write the right one into the file", n.url, n.keyFile)
	case isBusy(failed):
		return fmt.Errorf("%s is not ready (%s); wait until it has loaded its model, and try again", n.url, said(failed))
	case isMissing(err) && better != "":
		return fmt.Errorf("%s has no list of models (%s); most servers have their API below /v1: --base-url %s", n.url, said(failed), better)
	case isMissing(err):
		return fmt.Errorf("%s has no list of models (%s); check the port and the path, which most often ends in /v1, or name a model with --model", n.url, said(failed))
	}
	return fmt.Errorf("%s failed: %s", n.url, said(failed))
}

// said returns the server's answer.
func said(e *upstream.Error) string { return fmt.Sprintf("%d %s", e.Status, e.Message) }

// innermost returns the cause of all causes, such as "connection refused".
func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// isMissing reports whether the server has answered that nothing is at the path.
func isMissing(err error) bool {
	var failed *upstream.Error
	if !errors.As(err, &failed) || failed.Unreachable || failed.Credentials != "" {
		return false
	}
	return failed.Status == http.StatusNotFound || failed.Status == http.StatusBadGateway
}

// isBusy reports whether the server will answer later: it is loading a model, or has other requests.
func isBusy(e *upstream.Error) bool { return e.Status == 529 || e.Status == http.StatusTooManyRequests }
