package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/eval"
	"dragoman/cmd/dragoman/internal/serve"
	"dragoman/cmd/dragoman/internal/terminal"
	"dragoman/translate"
	"dragoman/upstream"
)

// evalCommand returns `dragoman eval`.
func evalCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval [flags] [SET…]",
		Short: "ask a model questions in each format, and name the best format",
		Long: `Asks the model every question in each format and grades the calls that it makes. Then eval prints one
table, the best format, and a model entry to paste. In the table, "malformed" counts the calls that
Dragoman read in any way other than clean. The rest of the model's entry applies as when it is served.

With --base-url you need no file, and no --model if the server lists only one model. Without SET,
Dragoman asks its own questions: simple calls, several calls at once, nested arguments, and some that
no tool fits, where the right answer has no call. Others are whole loops: their tools return results,
and the model must end with the right answer in words. The best format is best in first calls and
loops, which count half each. If its lead may be luck, eval says so. The questions take five minutes
at most (--quick); if the server is slow, eval asks in fewer formats. --quick=false asks more
questions, without a limit.

Besides the formats, --formats takes three ways to ask. auto is the format that Dragoman chooses for
the model. server is the server's own tools API. native is that API, and Dragoman also reads calls in
the text of the answer. Without --formats, eval also asks a chat server over server.

The folder of --out gets results.jsonl with every answer, and report.md, which says what was wrong and
how Dragoman read the calls. If you run the same command again, eval goes on where it stopped, and asks
again the questions that got no answer.

SET is one or more files, or folders of files. A file has JSON lines: {"id","tools","question" or
"messages","expected":[{"name","input"},…]}, with tools and messages as in the Messages API. expected
is [] if the right answer has no call. An element of expected may have "accept": {"argument":[other
values],…} and "optional": ["argument",…]. A whole loop also has "results": [{"name","input","result"
or "error"},…], what the tools return, and "answer": ["text",…], what the last answer must contain;
expected are then the calls that got a result. A case that the inspector saves is such a line, with a
request in place of tools and messages. A file may also be one of the Berkeley Function Calling
Leaderboard (BFCL): its categories with one turn, without Java and JavaScript, graded by its rules.`,
		Example: `  dragoman eval --base-url http://127.0.0.1:8080/v1
  dragoman eval --base-url http://127.0.0.1:11434/v1 --model qwen2.5-coder:1.5b --formats auto,server,native
  dragoman eval --base-url https://llm.example.com/v1 --api-key-file key.txt --quick=false --concurrency 16
  dragoman eval --config dragoman.yaml --model claude-2.1
  dragoman eval --config dragoman.yaml --model qwen2.5-coder --forced --formats auto
  dragoman eval --config dragoman.yaml --model claude-2.1 --formats legacy,json --limit 20 --out bfcl data/BFCL_v4_parallel.json
  dragoman eval --simulated`,
		Args:              atMost(mostSets),
		ValidArgsFunction: files(mostSets),
	}
	e := evaluation{settings: newSettings(c).withSimulated().withServer().notListening()}
	c.Flags().StringVar(&e.model, "model", "", "ask `MODEL`, a name that the configuration serves; not needed with --simulated, nor for a server with one model")
	someOf(c, &e.formats, "formats", eval.Ways(), 4, "ask in each format of `LIST`, separated by commas")
	c.Flags().BoolVar(&e.quick, "quick", false, "stop after five minutes, with the formats that are complete by then; the default without SET")
	c.Flags().BoolVar(&e.forced, "forced", false, "force one call in each answer, and ask only the questions that expect one call")
	c.Flags().StringVar(&e.out, "out", "dragoman-eval", "keep the results and write the report in the folder `DIR`")
	c.Flags().IntVar(&e.concurrency, "concurrency", 4, "ask `N` questions at once, or as many as the server has slots if it has fewer")
	c.Flags().IntVar(&e.limit, "limit", 0, "ask only the first `N` questions; 0: all")
	c.RunE = func(c *cobra.Command, args []string) error { return e.run(c.Context(), p, args) }
	return c
}

const (
	mostSets = 1000 // files on a command line
	// quickTime is the time of a quick run, minus some seconds for the report.
	quickTime = 5*time.Minute - 5*time.Second
)

// evaluation is `dragoman eval` with its flags.
type evaluation struct {
	settings           *settings
	model, out         string
	formats            []string
	quick, forced      bool
	concurrency, limit int

	entry     entry // the model's entry, to paste
	upstreams serve.Upstreams
}

// run asks the model, and prints the table, the verdict and the entry to paste. After that it returns an error if
// questions have no answer.
func (e *evaluation) run(ctx context.Context, p process, args []string) error {
	began := time.Now()
	o := eval.Options{Out: e.out, Concurrency: e.concurrency}
	if err := e.check(); err != nil {
		return err
	}
	if from(e.settings.flags, "quick") == "" {
		e.quick = len(args) == 0
	}
	var err error
	if o.Questions, err = e.questions(args, &o.About); err != nil {
		return err
	}
	defer func() { e.upstreams.Close() }()
	if o.Model, err = e.choose(ctx, p, &o.About); err != nil {
		return err
	}
	if o.Formats, err = e.ways(o.Model); err != nil {
		return err
	}
	o.Concurrency = min(o.Concurrency, e.slots(ctx, o.Model))
	if e.quick {
		o.Until, o.Notes = began.Add(quickTime), p.stderr
	}
	o.Progress, o.Bar = p.stderr, terminal.Is(p.stderr)
	report, err := eval.Run(ctx, o)
	if report == nil {
		return err
	}
	return cmp.Or(e.print(p.stdout, report, autoFormat(o.Model)), err)
}

// check returns a usage error for a wrong combination of flags, before anything is read or asked.
func (e *evaluation) check() error {
	if err := e.settings.chooseSource(); err != nil {
		return err
	}
	switch {
	case e.model == "" && !e.settings.simulated && e.settings.baseURL == "":
		return usagef("--model is missing: name a model that the configuration serves, or give --base-url with the address of a server")
	case e.concurrency < 1:
		return usagef("--concurrency: %d is less than 1", e.concurrency)
	case e.limit < 0:
		return usagef("--limit: %d is less than 0", e.limit)
	case e.out == "":
		return usagef("--out: empty")
	}
	return nil
}

// questions returns the questions of the sets in args, or the built-in ones. It notes in about which questions these
// are.
func (e *evaluation) questions(args []string, about *eval.About) (list []eval.Question, err error) {
	switch {
	case len(args) > 0:
		var set eval.Set
		set, err = eval.LoadAll(args)
		list, about.Set, about.LeftOut = set.Questions, filepath.Base(args[0]), set.LeftOut
		if len(args) > 1 {
			about.Set += fmt.Sprintf(" and %d more", len(args)-1)
		}
	case e.quick:
		list, err = eval.Quick()
		about.Set = "the built-in questions for a quick run"
	default:
		list, err = eval.Builtin()
		about.Set = "the built-in questions"
	}
	if e.forced && err == nil {
		if list = eval.Forced(list); len(list) == 0 {
			return nil, usagef("--forced: no question of %s expects one call alone", about.Set)
		}
	}
	if e.limit > 0 {
		list = list[:min(len(list), e.limit)]
	}
	return list, err
}

// choose returns the configured model to ask, with its upstream, and notes both in about. It ignores the route's
// fallbacks, because the figures must come from one model.
func (e *evaluation) choose(ctx context.Context, p process, about *eval.About) (eval.Model, error) {
	cfg, err := e.settings.load(p)
	if err != nil {
		return eval.Model{}, err
	}
	if e.upstreams, err = serve.NewUpstreams(ctx, cfg); err != nil {
		return eval.Model{}, err
	}
	upstreams := e.upstreams.ByName()
	name := e.model
	if server, ok := newServerOf(cfg, upstreams, e.settings); ok {
		if name, err = server.choose(ctx, name); err != nil {
			return eval.Model{}, fmt.Errorf("eval: %w", err)
		}
	}
	name = cmp.Or(name, config.Simulated)
	route, found := cfg.Model(name)
	if !found {
		return eval.Model{}, fmt.Errorf("eval: the configuration serves no model %q; %s", name, modelMeant(cfg, name))
	}
	i := slices.IndexFunc(cfg.Upstreams, func(u config.Upstream) bool { return u.Name == route.Upstream })
	about.Simulated = cfg.Upstreams[i].Kind == config.Simulated
	about.Upstream, about.Version = route.UpstreamKey(), build().Version
	if e.settings.baseURL != "" {
		about.Upstream = cfg.Upstreams[i].BaseURL
	}
	e.entry = entry{name, route, cfg.Upstreams[i], e.settings}
	up := upstreams[route.Upstream]
	return eval.Model{Name: name, UpstreamModel: route.UpstreamModel.Resolved(ctx, up), Upstream: up, At: about.Upstream}, nil
}

// slots returns how many questions the server answers at once. More than that would wait in the server, and the times of
// answers would include the wait.
func (e *evaluation) slots(ctx context.Context, m eval.Model) int {
	if e.entry.upstream.Kind != config.OpenAI {
		return e.concurrency
	}
	told := m.Upstream.Resolve(ctx, upstream.Model{ID: m.UpstreamModel.Model, Wire: m.UpstreamModel.Wire, Can: upstream.Guided})
	return cmp.Or(told.Slots, e.concurrency)
}

// ways returns the formats to ask in, with the model's own format instead of auto. Without --formats, the tools API of
// a server of chat completions is one of them.
func (e *evaluation) ways(m eval.Model) (all []string, err error) {
	formats := e.formats
	if from(e.settings.flags, "formats") == "" && e.entry.upstream.Kind == config.OpenAI {
		formats = append(slices.Clone(formats), eval.Server)
	}
	for _, format := range formats {
		switch {
		case format == translate.FormatAuto:
			format = autoFormat(m)
		case format == eval.Native && m.Can(eval.Server) && !m.Can(format):
			return nil, usagef("--formats: %s: over the Messages API, a call in text stays text; write %s instead", format, eval.Server)
		case !m.Can(format):
			return nil, usagef("--formats: %s: %s has no tools API for this model; leave it out", format, e.entry.upstream.Name)
		}
		if !slices.Contains(all, format) {
			all = append(all, format)
		}
	}
	return all, nil
}

// autoFormat returns the format that auto means for a model. It returns auto itself if auto uses the words of the
// model's family, which no format name means.
func autoFormat(m eval.Model) string {
	auto := m.UpstreamModel
	auto.Format = translate.FormatAuto
	named := auto
	named.Format = auto.FormatName()
	if named.Variant() != auto.Variant() {
		return translate.FormatAuto
	}
	return named.Format
}

// print writes the table, the conclusions and the place of the report.
func (e *evaluation) print(w io.Writer, report *eval.Report, auto string) error {
	if report.Simulated {
		fmt.Fprintln(w, "Simulated: a built-in program answered, not a model. The figures say nothing about models.")
	}
	if err := report.WriteTable(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", report.Verdict())
	if advice := report.Advice(); advice != "" && e.entry.route.ResultNote == "" {
		fmt.Fprintln(w, advice)
	}
	if best := report.Best(auto); best != "" && !report.Simulated {
		fmt.Fprintf(w, "\nThe model's entry, for the configuration file:\n\n%s", e.entry.yaml(best, auto))
	}
	_, err := fmt.Fprintf(w, "\n%s says what was wrong.\n", filepath.Join(e.out, eval.MarkdownFile))
	return err
}
