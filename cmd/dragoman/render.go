package main

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// renderCommand is `dragoman render`.
func renderCommand() command {
	return command{
		name:     "render",
		synopsis: "[--model MODEL] [--config FILE] [--jsonl] [--text] [FILE]",
		brief:    "show the prompt that a Messages request becomes",
		about: `
Reads a Messages request from FILE or standard input and prints the prompt the model would be asked,
as JSON; for a model with tools: native, the body that would go through to it. The network is not
used. Without --config the defaults for the family of the model hold.
With --jsonl each line is a request, and each line out its prompt, or {"error":{"type":…,"message":…}}.

  dragoman render --text request.json
  dragoman render --config dragoman.yaml --model claude-3-opus < request.json
  dragoman render --jsonl < requests.jsonl > prompts.jsonl`,
		maxArgs:  1,
		argument: "FILE",
		filter:   true,
		setup: func(fs *flagSet) action {
			r := rendering{settings: newSettings(fs).notListening()}
			fs.StringVar(&r.model, "model", "", "render for `MODEL`, not for the one the request names")
			lines := fs.Bool("jsonl", false, "read one request a line")
			fs.BoolVar(&r.text, "text", false, "print the prompt as one text, for people")
			return func(ctx context.Context, p process, args []string) error {
				if r.text && *lines {
					return usagef("render: --text and --jsonl exclude each other")
				}
				return r.run(ctx, p, args, *lines)
			}
		},
	}
}

// rendering is `dragoman render` with its flags.
type rendering struct {
	settings *settings
	model    string
	text     bool
	cfg      *config.Config // nil: the defaults of the model's family
}

// run renders one request, or with lines one a line. Then a request that is refused takes a
// line of the output, and the others are rendered.
func (r *rendering) run(ctx context.Context, p process, args []string, lines bool) error {
	if r.settings.file != "" {
		cfg, err := r.settings.load(p)
		if err != nil {
			return err
		}
		r.cfg = cfg
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

// append renders a request of the Messages API and appends the prompt to dst, as JSON or,
// with --text, as text. The error about a request is a *messages.InvalidRequestError or a *lineError.
func (r *rendering) append(ctx context.Context, dst, body []byte) ([]byte, error) {
	strict := r.cfg != nil && r.cfg.Strict
	read, err := messages.ReadBody(ctx, body, messages.DecodeOptions{Strict: strict, Model: r.model})
	if err != nil {
		return dst, err
	}
	m, err := r.upstreamModel(read.Model)
	if err != nil {
		return dst, err
	}
	native, err := r.native(ctx, m, read)
	if native != nil || err != nil {
		return append(dst, native...), err
	}
	req, err := read.Request(ctx)
	if err != nil {
		return dst, err
	}
	prompt, _, err := m.Render(ctx, req, m.Spec(), proxy.RenderRules{Strict: strict, Drop: func(string) {}})
	if err != nil {
		return dst, err
	}
	if r.text {
		return append(dst, prompt.Text()...), nil
	}
	out, err := json.Marshal(prompt)
	return append(dst, out...), err
}

// native returns what would go through to a model that is given tools over its own API (see
// [proxy.NativeJSON]); nil for one that is asked with a prompt.
func (r *rendering) native(ctx context.Context, m proxy.UpstreamModel, body *messages.Body) ([]byte, error) {
	if m.Tools != proxy.ToolsNative && m.Tools != proxy.ToolsAuto {
		return nil, nil
	}
	at := slices.IndexFunc(r.cfg.Upstreams, func(u config.Upstream) bool { return u.Name == m.Upstream })
	up, err := newUpstream(ctx, r.cfg, r.cfg.Upstreams[at], metrics.New("").NewCredentials(""), nil)
	if err != nil {
		return nil, err
	}
	up = overWire(m.Wire, up)
	native, err := m.PassesTo(up, m.Spec())
	if native == nil || err != nil {
		return nil, err
	}
	if _, err := body.Native(ctx); err != nil {
		return nil, err
	}
	request, err := native.(proxy.NativeExplainer).NativeRequest(ctx, m.Spec(), upstream.Native{Body: body.JSON()})
	return proxy.NativeJSON(request.Body), err
}

// upstreamModel returns the model that is asked for this name: by the configuration or, if
// there is none, one of which its family alone is known.
func (r *rendering) upstreamModel(name string) (proxy.UpstreamModel, error) {
	if r.cfg == nil {
		return proxy.UpstreamModel{Model: name}, nil
	}
	route, ok := r.cfg.Model(name)
	if !ok {
		return proxy.UpstreamModel{}, &lineError{messages.ErrorNotFound, "model: " + name + " is none that the configuration serves; " + modelMeant(r.cfg, name)}
	}
	return route.UpstreamModel, nil
}
