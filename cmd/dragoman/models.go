package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/serve"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

// modelsCommand returns `dragoman models`.
func modelsCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "models",
		Short: "list the models of the configuration",
		Long: `Lists the entries of the configuration in the order in which Dragoman tries them. The columns are:
the name that clients ask for (* is a wildcard); the upstream and its kind; the id that the upstream
knows ("=" is the name that the client asks for); the format, whether auto chose it, and the variant
that the model gets; whether the upstream continues a last assistant turn (auto: Dragoman finds out
at the first forced call); and the wire.`,
		Example: `  dragoman models --config dragoman.yaml
  dragoman models --simulated`,
		Args: atMost(0),
	}
	s := newSettings(c).withSimulated().withServer().notListening()
	c.RunE = func(_ *cobra.Command, _ []string) error { return listModels(p, s) }
	return c
}

// modelMeant returns which model an unserved name may mean.
func modelMeant(cfg *config.Config, name string) string {
	if near := suggest(name, serve.ModelNames(cfg)); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "dragoman models lists them"
}

// formatShown returns the format of a route. If the model is known, it also says what auto means and which variant the
// model gets.
func formatShown(r proxy.Route) string {
	if r.Model == "" && r.Family == "" && strings.Contains(r.Name, "*") {
		return r.Format
	}
	m := r.For(r.Name)
	var notes []string
	if v := m.Variant(); v != "" {
		notes = append(notes, v)
	}
	if r.Format == translate.FormatAuto {
		notes = append(notes, "auto: "+m.FormatReason())
	}
	if notes == nil {
		return r.Format
	}
	return m.FormatName() + " (" + strings.Join(notes, ", ") + ")"
}

// listModels prints a table with a row for each entry under models.
func listModels(p process, s *settings) error {
	cfg, err := s.load(p)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tUPSTREAM\tKIND\tMODEL\tFORMAT\tPREFILL\tWIRE\tTOOLS\tFALLBACKS")
	for _, route := range cfg.Models {
		// A model's family decides whether it continues a prefill. A wildcard may stand for several families, unless
		// the entry or the wire decides. For chat servers, the proxy finds out.
		prefill, wire, spec := "by family", route.Wire, route.For(route.Name).Spec()
		known := route.Model != "" || !strings.Contains(route.Name, "*")
		if (route.Features.With | route.Features.Without).Has(upstream.Prefill) || route.Wire == proxy.WireText || route.Kind == upstream.KindSimulated || known {
			prefill = strconv.FormatBool(spec.Can.Has(upstream.Prefill))
		}
		if spec.Tries.Has(upstream.Prefill) {
			prefill = "auto"
		}
		if known {
			wire = spec.Wire
		}
		var fallbacks []string
		for _, f := range route.Fallbacks {
			fallbacks = append(fallbacks, f.Upstream)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", route.Name, route.Upstream, route.Kind, cmp.Or(route.Model, "="), formatShown(route), prefill,
			cmp.Or(wire, "default"), cmp.Or(route.Tools, proxy.ToolsXML), cmp.Or(strings.Join(fallbacks, ","), "-"))
	}
	return w.Flush()
}
