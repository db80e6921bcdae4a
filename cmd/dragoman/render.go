package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// renderCommand returns `dragoman render`.
func renderCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "render [flags] [FILE]",
		Short: "show the prompt that a Messages request becomes",
		Long: `Reads a Messages request from FILE or standard input and prints the prompt the model would be asked,
as JSON; for a model with tools: native, the body that would go through to it. The network is not
used, except with --base-url: then Dragoman asks that server about its model, as serve does. Without
--config and --base-url, the defaults for the family of the model hold.
With --jsonl each line is a request, and each line out its prompt, or {"error":{"type":…,"message":…}}.`,
		Example: `  dragoman render --text request.json
  dragoman render --config dragoman.yaml --model claude-3-opus < request.json
  dragoman render --base-url http://127.0.0.1:8080/v1 --text request.json
  dragoman render --jsonl < requests.jsonl > prompts.jsonl`,
		Args:              atMost(1),
		ValidArgsFunction: files(1),
	}
	r := rendering{settings: newSettings(c).withServer().notListening()}
	c.Flags().StringVar(&r.model, "model", "", "render for `MODEL` instead of the request's model")
	lines := c.Flags().Bool("jsonl", false, "read one request a line")
	c.Flags().BoolVar(&r.text, "text", false, "print the prompt as one text, for people")
	c.RunE = interruptible(func(c *cobra.Command, args []string) error {
		if r.text && *lines {
			return usagef("--text and --jsonl exclude each other")
		}
		return r.run(c.Context(), p, args, *lines)
	})
	return c
}

// rendering is `dragoman render` with its flags.
type rendering struct {
	settings *settings
	model    string
	text     bool
	cfg      *config.Config // nil: the defaults of the model's family
	server   proxy.Upstream // the server of --base-url; nil without the flag
}

// run renders one request, or with lines one for each line. With lines, a rejected request gives a line with the error,
// and the others are still rendered.
func (r *rendering) run(ctx context.Context, p process, args []string, lines bool) error {
	if err := r.load(ctx, p); err != nil {
		return err
	}
	if lines {
		in, err := p.input(args)
		if err != nil {
			return err
		}
		defer in.Close()
		return eachLine(in, p.stdout, func(_ int, line, dst []byte) ([]byte, error) {
			dst, err := r.append(ctx, dst, line)
			return dst, asLineError(err)
		})
	}
	body, err := p.readAll(args)
	if err != nil {
		return err
	}
	out, err := r.append(ctx, nil, body)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(append(out, '\n'))
	return err
}

// load reads the configuration, if there is one. With --base-url it asks the server for its models: if there is only
// one, it answers every name.
func (r *rendering) load(ctx context.Context, p process) (err error) {
	if err := r.settings.chooseSource(); err != nil {
		return err
	}
	if r.settings.file == "" && r.settings.baseURL == "" {
		return nil
	}
	if r.cfg, err = r.settings.load(p); err != nil || r.settings.baseURL == "" {
		return err
	}
	if r.server, err = serve.NewUpstream(ctx, r.cfg, r.cfg.Upstreams[0]); err != nil {
		return err
	}
	server, _ := newServerOf(r.cfg, map[string]proxy.Upstream{config.OpenAI: r.server}, r.settings)
	listed, err := server.list(ctx)
	switch {
	case err != nil && (r.model == "" || !isMissing(err)):
		return server.advise(err, "")
	case r.model == "" && len(listed) == 1:
		r.model = listed[0]
	}
	return nil
}

// append renders a request of the Messages API and appends the prompt to dst, as JSON or, with --text, as text. An
// error in a request is a *messages.InvalidRequestError or a *lineError.
func (r *rendering) append(ctx context.Context, dst, body []byte) ([]byte, error) {
	plan, err := r.plan(ctx, body, func(*proxy.UpstreamModel) {})
	if err != nil {
		return dst, err
	}
	if r.text && plan.Prompt != nil {
		if raw := plan.Prompt.Raw(); raw != nil {
			dst = append(dst, raw.BOS+raw.Text...)
		} else {
			dst = append(dst, plan.Prompt.Text()...)
		}
		if c := plan.Prompt.Constraint; c != nil {
			dst = fmt.Appendf(dst, "\n\n[held to]\n%s%s", c.Grammar, string(c.Schema)) // which would print as null for none
		}
		return dst, nil
	}
	out, err := plan.JSON(ctx)
	return append(dst, out...), err
}

// plan plans what the model is asked for a request of the Messages API, after change has changed the model.
func (r *rendering) plan(ctx context.Context, body []byte, change func(*proxy.UpstreamModel)) (*proxy.Plan, error) {
	strict := r.cfg != nil && r.cfg.Strict()
	read, err := messages.ReadBody(ctx, body, messages.DecodeOptions{Strict: strict, Model: r.model})
	if err != nil {
		return nil, err
	}
	m, err := r.upstreamModel(read.Model)
	if err != nil {
		return nil, err
	}
	if r.server != nil {
		m = m.Resolved(ctx, r.server)
	}
	change(&m)
	up, err := r.upstream(ctx, m)
	if err != nil {
		return nil, err
	}
	return m.Plan(ctx, up, m.Spec(), proxy.Planned{
		Decode: func() (*messages.Request, error) { return read.Request(ctx) },
		Native: func() (*messages.Request, upstream.Native, error) {
			req, err := read.Native(ctx)
			return req, upstream.Native{Body: read.JSON()}, err
		},
	}, proxy.RenderRules{Strict: strict, Drop: func(string) {}})
}

// upstream returns the upstream of a model that may use its own tools API; nil for any other model.
func (r *rendering) upstream(ctx context.Context, m proxy.UpstreamModel) (proxy.Upstream, error) {
	if m.Tools != proxy.ToolsNative && m.Tools != proxy.ToolsAuto {
		return nil, nil
	}
	at := slices.IndexFunc(r.cfg.Upstreams, func(u config.Upstream) bool { return u.Name == m.Upstream })
	return serve.NewUpstream(ctx, r.cfg, r.cfg.Upstreams[at])
}

// upstreamModel returns the model for this name: from the configuration or, without one, a model with only a family.
func (r *rendering) upstreamModel(name string) (proxy.UpstreamModel, error) {
	if r.cfg == nil {
		return proxy.UpstreamModel{Model: name, ModelOptions: translate.ModelOptions{Format: translate.FormatAuto}}, nil
	}
	route, ok := r.cfg.Model(name)
	if !ok {
		return proxy.UpstreamModel{}, &lineError{messages.ErrorNotFound, "model: " + name + " is none that the configuration serves; " + modelMeant(r.cfg, name)}
	}
	return route.UpstreamModel, nil
}
