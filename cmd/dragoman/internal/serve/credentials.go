package serve

import (
	"context"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/upstream"
)

// CredentialsAdvice returns what to do if an upstream of this kind has no credentials.
func CredentialsAdvice(kind string) string {
	switch kind {
	case config.Bedrock:
		return "AWS has no credentials for this process: run `aws configure` or `aws sso login`, or set AWS_PROFILE, " +
			"or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; on AWS, give the machine or the Pod a role"
	case config.Vertex:
		return "Google has no credentials for this process: run `gcloud auth application-default login`, " +
			"or set GOOGLE_APPLICATION_CREDENTIALS to a credentials file; on Google Cloud, give the machine or the Pod a service account"
	}
	return "set api_key of the upstream, or --api-key-file"
}

// lookAt logs the source of the credentials of each upstream that is new since before, or what to do if there are none,
// and whether a server with a base URL answers. It returns at once, because both may take a while. The look-ups end with
// ctx.
func (w *watcher) lookAt(ctx context.Context, now, before Upstreams) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		m := now[name]
		source, looks := m.upstream.(interface {
			Credentials(context.Context) (upstream.Found, error)
		})
		if before[name] == m {
			continue
		}
		if m.entry.BaseURL != "" && m.entry.ListsModels() {
			w.current().server.Probe(name)
		}
		if !looks {
			if m.entry.APIKey != "" {
				logCredentials(w.log, m.entry, upstream.Found{Source: "api_key of the configuration"}, nil)
			}
			continue
		}
		w.background.Go(func() {
			found, err := source.Credentials(ctx)
			if err == nil || ctx.Err() == nil {
				logCredentials(w.log, m.entry, found, err)
			}
		})
	}
}

func logCredentials(log zerolog.Logger, u config.Upstream, found upstream.Found, err error) {
	if err != nil {
		log.Warn().Str("upstream", u.Name).Str("error", upstream.Explain(err)).Str("event", "credentials_missing").
			Str("msg", CredentialsAdvice(u.Kind)+". Then run `dragoman check --online`, with the same --config as the server, to see whether they are found").Send()
		return
	}
	line := log.Info().Str("upstream", u.Name).Str("source", found.Source)
	if found.Account != "" {
		line.Str("account", found.Account)
	}
	if found.Project != "" {
		line.Str("project", found.Project)
	}
	line.Str("event", "credentials_found").Str("msg", "credentials of the upstream were found").Send()
}
