package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/eval"
	"dragoman/metrics"
	"dragoman/translate"
)

// evalCommand is `dragoman eval`.
func evalCommand() command {
	return command{
		name:     "eval",
		synopsis: "[--config FILE] --model MODEL [--formats LIST] [--out DIR] [--concurrency N] [--limit N] [--answers FILE] [SET]",
		brief:    "grade the calls of a model, in each prompting format",
		about: `
Asks the model every question of a test set in each format, as serve would (with the tools in its
prompt, whatever its entry says of tools and format), compares the calls it makes with those that are expected, and prints for each format: how many answers are right, how many
calls were malformed (read in any other way than clean), the tokens, and the time for an answer.
results.jsonl in the folder of --out holds every answer: the same command goes on where it stopped,
and asks again what got no answer. report.md and report.html there have charts, and what was wrong.

SET is a file of JSON lines: {"id","tools","question" or "messages","expected":[{"name","input"},…]},
with tools and messages as in the Messages API, [] where no call is to be made, and in an element of
expected also "accept": {"argument":[other values],…} and "optional": ["argument",…]. Or it is a file of
questions of the Berkeley Function Calling Leaderboard (BFCL): its categories with one turn, but Java and
JavaScript, graded by its rules. Without SET the questions that come with the program are asked.

  dragoman eval --simulated
  dragoman eval --config dragoman.yaml --model claude-2.1
  dragoman eval --config dragoman.yaml --model claude-2.1 --formats legacy,json --limit 20 --concurrency 2
  dragoman eval --config dragoman.yaml --model claude-2.1 --out bfcl data/BFCL_v4_parallel.json
  dragoman eval --config dragoman.yaml --model claude-2.1 --answers answers.json BFCL_v4_simple.json`,
		maxArgs:  1,
		argument: "FILE",
		setup: func(fs *flagSet) action {
			e := evaluation{settings: newSettings(fs).withSimulated().notListening()}
			fs.StringVar(&e.model, "model", "", "ask `MODEL`, a name that the configuration serves; with --simulated any name, or none")
			fs.someOf(&e.formats, "formats", translate.Formats(), 3, "ask in the formats of `LIST`, with commas between")
			fs.StringVar(&e.out, "out", "dragoman-eval", "keep the results and write the reports in the folder `DIR`")
			fs.IntVar(&e.concurrency, "concurrency", 4, "ask `N` questions at once")
			fs.IntVar(&e.limit, "limit", 0, "ask the first `N` questions alone; 0: all")
			fs.StringVar(&e.answers, "answers", "", "read the answers to questions of BFCL from `FILE`, not from possible_answer beside SET")
			return e.run
		},
	}
}

// evaluation is `dragoman eval` with its flags.
type evaluation struct {
	settings            *settings
	model, out, answers string
	formats             []string
	concurrency, limit  int
}

// run asks the model, and prints the table of the report. Questions without an answer are
// an error, which it returns after the table.
func (e *evaluation) run(ctx context.Context, p process, args []string) error {
	o := eval.Options{Formats: e.formats, Out: e.out, Concurrency: e.concurrency}
	if err := e.check(); err != nil {
		return err
	}
	var err error
	if o.Questions, err = e.questions(args, &o.About); err != nil {
		return err
	}
	if o.Model, err = e.choose(ctx, p, &o.About); err != nil {
		return err
	}
	if isTerminal(p.stderr) {
		o.Progress = p.stderr
	}
	report, err := eval.Run(ctx, o)
	if report == nil {
		return err
	}
	return cmp.Or(e.print(p.stdout, report), err)
}

// check returns a usage error for flags that make no sense, before anything is read or asked.
func (e *evaluation) check() error {
	switch {
	case e.model == "" && !e.settings.simulated:
		return usagef("eval: --model is missing: a name that the configuration serves")
	case e.concurrency < 1:
		return usagef("eval: --concurrency: %d is less than 1", e.concurrency)
	case e.limit < 0:
		return usagef("eval: --limit: %d is less than 0", e.limit)
	case e.out == "":
		return usagef("eval: --out: empty")
	}
	return nil
}

// questions returns the questions of the set that args names, or the built-in ones, and
// notes in about which they are.
func (e *evaluation) questions(args []string, about *eval.About) (list []eval.Question, err error) {
	if len(args) > 0 {
		var set eval.Set
		set, err = eval.Load(args[0], e.answers)
		list, about.Set, about.LeftOut = set.Questions, filepath.Base(args[0]), set.LeftOut
	} else {
		list, err = eval.Builtin()
		about.Set = "the built-in questions"
	}
	if e.limit > 0 {
		list = list[:min(len(list), e.limit)]
	}
	return list, err
}

// choose returns the model to ask, with its upstream, as the configuration has it, and
// notes in about who that is. The route's fallbacks are not asked: the figures are to be
// those of one model.
func (e *evaluation) choose(ctx context.Context, p process, about *eval.About) (eval.Model, error) {
	cfg, err := e.settings.load(p)
	if err != nil {
		return eval.Model{}, err
	}
	name := cmp.Or(e.model, config.Simulated)
	route, found := cfg.Model(name)
	if !found {
		return eval.Model{}, fmt.Errorf("eval: the configuration serves no model %q; %s", name, modelMeant(cfg, name))
	}
	upstreams, err := newFleet(ctx, cfg, metrics.New(build().Version), nil, nil)
	if err != nil {
		return eval.Model{}, err
	}
	i := slices.IndexFunc(cfg.Upstreams, func(u config.Upstream) bool { return u.Name == route.Upstream })
	about.Simulated = cfg.Upstreams[i].Kind == config.Simulated
	about.Upstream, about.Version = route.UpstreamKey(), build().Version
	return eval.Model{Name: name, UpstreamModel: route.UpstreamModel, Upstream: overWire(route.Wire, upstreams[route.Upstream].upstream)}, nil
}

// print writes the table, and says where the reports are.
func (e *evaluation) print(w io.Writer, report *eval.Report) error {
	if report.Simulated {
		fmt.Fprintln(w, "Simulated: a built-in program answered, not a model. The figures say nothing of one.")
	}
	if err := report.WriteTable(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s has charts, and what was wrong; %s the same for a browser.\n",
		filepath.Join(e.out, eval.MarkdownFile), filepath.Join(e.out, eval.HTMLFile))
	return err
}
