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
	"dragoman/proxy/nearest"
	"dragoman/upstream"
)

// namedServer is the server of --base-url. Its errors say what to do.
type namedServer struct {
	url      string
	settings *settings
	cfg      *config.Config
	upstream *upstream.Server
}

// loadTimeout is how long a server may take for its first answer: some servers load the model first.
const loadTimeout = 2 * time.Minute

// newServerOf returns the server of --base-url. ok is false if the flag was not given.
func newServerOf(cfg *config.Config, upstreams map[string]proxy.Upstream, s *settings) (namedServer, bool) {
	if s.baseURL == "" {
		return namedServer{}, false
	}
	up, ok := upstreams[config.OpenAI].(*upstream.Server)
	return namedServer{s.baseURL, s, cfg, up}, ok
}

// choose returns the model to ask: the one with this name or, for "", the only one that the server lists. It asks the
// model for one token, so that problems show before anything takes long.
func (n namedServer) choose(ctx context.Context, name string) (string, error) {
	listed, err := n.list(ctx)
	switch {
	case err != nil && (name == "" || !isMissing(err)):
		return "", n.advise(err, name)
	case name != "":
	case len(listed) == 0:
		return "", n.empty()
	case len(listed) > 1:
		return "", fmt.Errorf("%s has %d models; name one, as in `%s`:\n  %s", n.url, len(listed), n.settings.retry(listed[0]), strings.Join(listed, "\n  "))
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
	return fmt.Errorf("%s lists no model; load one into the server, then run `%s`", n.url, n.settings.retry(""))
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
		return n.advise(err, name)
	case failed.Status >= http.StatusInternalServerError: // the server did not reject the request
		return n.broken(failed, name)
	case len(listed) > 0 && !slices.Contains(listed, name):
		near := nearest.First(name, listed, mostNames)
		return fmt.Errorf("%s does not know the model %q (%s); name one that it lists, as in `%s`:\n  %s", n.url, name, said(failed), n.settings.retry(near[0]), strings.Join(near, "\n  "))
	}
	return fmt.Errorf("the model %q cannot chat (%s); name a chat model, often -instruct or -chat, and not one for embeddings: `%s --model NAME`", name, said(failed), n.settings.retry(""))
}

// mostNames is how many models an error names in place of an unknown one.
const mostNames = 10

// advise returns an error for a server that cannot be used, with what to do about it. name is the model to ask; "" if
// none was named.
func (n namedServer) advise(err error, name string) error {
	var failed *upstream.Error
	if !errors.As(err, &failed) {
		return err
	}
	better, retry := config.WithVersion(n.url), n.settings.retry(name)
	switch {
	case failed.Unreachable:
		if why := whyNoTLS(n.url, err); why != "" {
			return errors.New(why)
		}
		return fmt.Errorf("nothing answers at %s (%w); start the server, or give its port: by default llama.cpp listens on 8080, Ollama on 11434, vLLM on 8000, LM Studio on 1234; then run `%s`", n.url, innermost(failed), retry)
	case failed.Credentials != "" && n.settings.keyFile == "":
		return fmt.Errorf("%s wants a key; write it into a file, and run `%s --api-key-file FILE`", n.url, retry)
	case failed.Credentials != "":
		return fmt.Errorf("%s does not accept the key in %s; write the right one into the file, and run `%s`", n.url, n.settings.keyFile, retry)
	case isBusy(failed):
		return fmt.Errorf("%s is not ready (%s); wait until it has loaded its model, then run `%s`", n.url, said(failed), retry)
	case isMissing(err) && better != "":
		at := *n.settings
		at.baseURL = better
		return fmt.Errorf("%s has no list of models (%s); most servers have their API below /v1: run `%s`", n.url, said(failed), at.retry(name))
	case isMissing(err):
		return fmt.Errorf("%s has no list of models (%s); check the port and the path, which most often ends in /v1, or name a model: `%s --model NAME`", n.url, said(failed), n.settings.retry(""))
	}
	return n.broken(failed, name)
}

// broken returns the error for a server that failed while it answered.
func (n namedServer) broken(failed *upstream.Error, name string) error {
	return fmt.Errorf("%s failed: %s; look at the log of the server, then run `%s`", n.url, said(failed), n.settings.retry(name))
}

// said returns the server's answer, with its status. A status of 500 or more may be one that Dragoman chose for clients.
func said(e *upstream.Error) string {
	if e.Status > http.StatusInternalServerError {
		return e.Message
	}
	return fmt.Sprintf("%d %s", e.Status, e.Message)
}

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
