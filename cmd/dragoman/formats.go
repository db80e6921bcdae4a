package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dragoman/translate"
)

// formatsCommand returns `dragoman formats`.
func formatsCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "formats",
		Short: "list the formats in which models write calls, and chat templates",
		Long: `Lists the formats that a model entry can name under format and accept: the name, parts of the ids of the
models that were trained on it, whether it is a declaration (data) or has code of its own, and how a call
looks; and the variants, for models whose prompt is another one. format: auto asks a model in the format of
its family. If the markers of that format are special tokens, servers erase them from answers: then auto asks
in another format, which is named here, and reads both.

Then lists the chat templates, in which a conversation becomes one string for models that complete text: the
name, other parts of the ids of their models, and the format in which the template writes calls itself.

With --slips, lists the reasons of outcomes instead, as metrics, the log and the inspector name them: what each says
of a call, and for slips in tags what a model wrote.`,
		Example: `  dragoman formats
  dragoman formats --slips`,
		Args: atMost(0),
	}
	slips := c.Flags().Bool("slips", false, "list the reasons why a call was not clean, or was none")
	c.RunE = func(_ *cobra.Command, _ []string) error {
		if *slips {
			return listReasons(p)
		}
		return listFormats(p)
	}
	return c
}

// listFormats prints everything about each format.
func listFormats(p process) error {
	var out strings.Builder
	for i, f := range translate.AboutFormats() {
		if i > 0 {
			out.WriteByte('\n')
		}
		kind := "code"
		if f.Data {
			kind = "data"
		}
		models := "any model"
		if len(f.Models) > 0 {
			models = strings.Join(f.Models, ", ")
		}
		fmt.Fprintf(&out, "%s (%s)\n  for %s\n", f.Name, kind, models)
		if f.Auto != "" {
			fmt.Fprintf(&out, "  its markers are special tokens: auto asks in %s\n", f.Auto)
		}
		writeExample(&out, f.Example)
		for _, v := range f.Variants {
			fmt.Fprintf(&out, "  variant %s for %s\n", v.Name, strings.Join(v.Models, ", "))
			if v.Example != f.Example {
				writeExample(&out, v.Example)
			}
		}
	}
	out.WriteString("\nchat templates\n")
	for _, a := range translate.AboutChatTemplates() {
		writeTemplate(&out, a)
	}
	_, err := fmt.Fprint(p.stdout, out.String())
	return err
}

// listReasons prints what each reason means.
func listReasons(p process) error {
	var out strings.Builder
	for _, r := range translate.AboutReasons() {
		fmt.Fprintf(&out, "%s\n  %s\n", r.Reason, r.About)
		for _, example := range r.Examples {
			fmt.Fprintf(&out, "  %s:\n", example.About)
			writeExample(&out, example.Text)
		}
	}
	_, err := fmt.Fprint(p.stdout, out.String())
	return err
}

// writeTemplate writes a line for a chat template.
func writeTemplate(out *strings.Builder, a translate.AboutTemplate) {
	out.WriteString("  " + a.Name)
	if len(a.Models) > 0 {
		out.WriteString(" for " + strings.Join(a.Models, ", "))
	}
	if a.Format != "" {
		out.WriteString(" in " + a.Format)
	}
	if a.Erased {
		out.WriteString(" if the server keeps special tokens")
	}
	out.WriteByte('\n')
}

// writeExample writes a call, indented.
func writeExample(out *strings.Builder, example string) {
	for line := range strings.Lines(strings.TrimSuffix(example, "\n")) {
		out.WriteString("    " + strings.TrimSuffix(line, "\n") + "\n")
	}
}
