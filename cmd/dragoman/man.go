package main

import (
	"context"
	"flag"
	"io"
	"strings"
)

// manCommand is `dragoman man`.
func manCommand() command {
	return command{
		name:  "man",
		brief: "print the manual page",
		about: `
Prints all help as a manual page, for man(1).

  dragoman man | man -l -
  dragoman man > /usr/local/share/man/man1/dragoman.1`,
		setup: func(*flagSet) action {
			return func(_ context.Context, p process, _ []string) error {
				_, err := io.WriteString(p.stdout, manual())
				return err
			}
		},
	}
}

// manualDate is when the page was made anew, beyond what follows from the commands.
const manualDate = "2026-11-23"

// manual returns the manual page: the commands as their help has them, and what holds for all.
func manual() string {
	var m roff
	m.WriteString(`.TH DRAGOMAN 1 ` + manualDate + ` dragoman "User Commands"` + "\n")
	m.macro("SH", "NAME")
	m.text("dragoman - serves the Messages API with tools in front of models that only complete text")
	m.macro("SH", "SYNOPSIS")
	for i, c := range shownCommands() {
		if i > 0 {
			m.macro("br")
		}
		m.macro("B", "dragoman "+c.name)
		if synopsis, _, _ := strings.Cut(c.synopsis, "\n"); synopsis != "" {
			m.text(synopsis)
		}
	}
	m.macro("SH", "DESCRIPTION")
	m.text("An HTTP proxy. Clients speak the Messages API, with tools; the tools are written into the prompt of a model that " +
		"has no tool API, on Amazon Bedrock, Google Vertex AI or any server that completes text, and its calls are read back " +
		"while they stream.")
	m.macro("PP")
	m.text("Flags win over the environment, the environment over the file of --config.")
	m.macro("SH", "COMMANDS")
	for _, c := range shownCommands() {
		m.command(c)
	}
	for _, s := range manualSections {
		m.macro("SH", s.title)
		for _, item := range s.items {
			m.item(item.name, item.text)
		}
	}
	m.macro("SH", "EXAMPLES")
	m.prose(startHere)
	return m.String()
}

// manualSections are what holds for all commands.
var manualSections = []struct {
	title string
	items []struct{ name, text string }
}{
	{"EXIT STATUS", []struct{ name, text string }{
		{"0", "All went well."},
		{"1", "Something failed while the program ran."},
		{"2", "The command line makes no sense."},
		{"78", "The configuration cannot be used."},
		{"126, 127", "Of run: the command could not be run, or was not found. Otherwise run has the exit status of its command, or 128 and the number of the signal that ended it."},
	}},
	{"ENVIRONMENT", []struct{ name, text string }{
		{"DRAGOMAN_…", "Each flag as a variable: DRAGOMAN_ADMIN_LISTEN is --admin-listen. One that is set to nothing counts as not set."},
		{"AWS_REGION, AWS_PROFILE, …", "As for all programs of the AWS SDKs: credentials, and without a file the region of Amazon Bedrock."},
		{"GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION, GOOGLE_APPLICATION_CREDENTIALS, …", "As for all programs of Google Cloud: credentials, and without a file the project and the location of Vertex AI."},
		{"HTTPS_PROXY, NO_PROXY", "The proxy through which upstreams are asked."},
		{"OTEL_…", "As for all programs of OpenTelemetry: where traces and metrics go, if anywhere."},
		{"NO_COLOR, TERM", "Without colours if NO_COLOR is set, or TERM is dumb."},
		{"GOMEMLIMIT, GOGC", "The memory limit of the Go runtime, which is otherwise that of the container, and how often garbage is collected."},
	}},
	{"FILES", []struct{ name, text string }{
		{"dragoman.yaml", "The configuration, wherever --config says. Its keys are in docs/configuration.md."},
		{"~/.aws/config, ~/.aws/credentials", "The configuration of the AWS SDKs."},
	}},
}

// roff is a page in the language of man(7).
type roff struct{ strings.Builder }

// escaped returns a text as roff has it in a line.
var escaped = strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`, "'", `\(aq`).Replace

// macro writes a request with its arguments.
func (m *roff) macro(name string, args ...string) {
	m.WriteString("." + name)
	for _, arg := range args {
		m.WriteString(` "` + strings.ReplaceAll(escaped(arg), `"`, `\(dq`) + `"`)
	}
	m.WriteString("\n")
}

// line writes a line as it is.
func (m *roff) line(s string) {
	if strings.HasPrefix(s, ".") {
		m.WriteString(`\&`)
	}
	m.WriteString(escaped(s) + "\n")
}

// text writes words, which are put into lines again where they are read.
func (m *roff) text(s string) {
	const width = 72 // of a line of the source
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(escaped(line+" "+word)) > width {
			m.line(line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	m.line(line)
}

// item writes a term and what it is.
func (m *roff) item(name, text string) {
	m.macro("TP")
	m.macro("B", name)
	m.text(text)
}

// command writes the help of a command.
func (m *roff) command(c command) {
	m.macro("SS", strings.TrimSpace("dragoman "+c.name))
	m.macro("nf")
	for line := range strings.SplitSeq(strings.TrimSpace("dragoman "+c.name+" "+c.synopsis), "\n") {
		m.line(strings.TrimSpace(line))
	}
	m.macro("fi")
	m.macro("PP")
	m.prose(strings.TrimSpace(c.about))
	flags := newFlagSet()
	c.setup(flags)
	flags.VisitAll(func(f *flag.Flag) {
		name, usage := describe(f)
		m.item(name, usage)
	})
}

// prose writes paragraphs; those that are indented are examples.
func (m *roff) prose(s string) {
	for i, paragraph := range strings.Split(s, "\n\n") {
		if i > 0 {
			m.macro("PP")
		}
		if !strings.HasPrefix(paragraph, "  ") {
			m.text(paragraph)
			continue
		}
		m.macro("EX")
		for line := range strings.Lines(paragraph) {
			m.line(strings.TrimSuffix(line, "\n"))
		}
		m.macro("EE")
	}
}
