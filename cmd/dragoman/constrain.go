package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

// constrainCommand returns `dragoman constrain`.
func constrainCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "constrain [flags] [FILE]",
		Short: "show the constraint on the answer to a Messages request",
		Long: `Reads a Messages request from FILE or standard input, and prints the constraint of its answer as JSON:
a grammar of calls, or the JSON Schema of the answer. With --server it prints the members of the body
that a server of that kind would get: of chat completions, or of completions if the model's entry has
wire: prompt. constrain does not use the network, except with --base-url: then Dragoman asks that
server about its model, as serve does. Without --config and --base-url it uses the defaults for the
family of the model.`,
		Example: `  dragoman constrain request.json
  dragoman constrain --server llama.cpp --model qwen2.5 < request.json`,
		Args:              atMost(1),
		ValidArgsFunction: files(1),
	}
	r := rendering{settings: newSettings(c).withServer().notListening()}
	c.Flags().StringVar(&r.model, "model", "", "constrain for `MODEL` instead of the request's model")
	server := c.Flags().String("server", "", "print what a server of this `KIND` would get: "+strings.Join(upstream.GuidedKinds(), ", "))
	c.RunE = interruptible(func(c *cobra.Command, args []string) error {
		if *server != "" && !slices.Contains(upstream.GuidedKinds(), *server) {
			return usagef("--server is one of %s", strings.Join(upstream.GuidedKinds(), ", "))
		}
		return r.constrain(c.Context(), p, args, *server)
	})
	return c
}

// constrain prints the constraint of one request. With a kind of server, it prints what that server would get.
func (r *rendering) constrain(ctx context.Context, p process, args []string, server string) error {
	if err := r.load(ctx, p); err != nil {
		return err
	}
	body, err := p.readAll(args)
	if err != nil {
		return err
	}
	plan, err := r.plan(ctx, body, func(m *proxy.UpstreamModel) {
		m.Constrain, m.ConstrainAuto, m.Tools = proxy.ConstrainTry, true, proxy.ToolsXML
		if m.Wire != proxy.WirePrompt {
			m.Wire = proxy.WireChat
		}
		if server != "" {
			m.Guided = server
		}
	})
	if err != nil {
		return err
	}
	c := plan.Prompt.Constraint
	if c == nil {
		reason := plan.Unconstrained
		if reason == "" {
			reason = translate.ErrFreeAnswer.Error()
		}
		return errors.New("the answer is not constrained: " + reason)
	}
	var out jsontext.Value
	if server == "" {
		out, err = json.Marshal(c)
	} else {
		out, err = upstream.ConstraintMembers(plan.Spec, plan.Prompt.Raw() != nil, c)
	}
	if err != nil {
		return err
	}
	if err := out.Indent(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s\n", out)
	return err
}
