// Package eval asks a model the questions of a test set, in each prompting format, through the proxy's own pipeline,
// and grades the calls that the model makes.
//
//	set, bfcl, bfcl_schema, question   test sets, and the expected answers
//	ask, server, grade                 one question: asking it, and grading the answer
//	results                            the file of answers, with which a later run continues
//	summary, verdict, report, progress the figures of a run, the conclusions, and how they are shown
//
// [Run] does all of it.
package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Run asks each question in each format, unless the results in the folder already have its answer. It adds answers to
// the results as they come, and writes the report.
//
// If ctx ends, or the results cannot be written, it returns an error and no report. If some questions got no answer, it
// returns both a report and an error with their number. In either case the next run asks only the questions without an
// answer.
//
// With o.Until, questions of all kinds come in turn, and the report covers the questions that were asked in every
// format in time.
func Run(ctx context.Context, o Options) (*Report, error) {
	results, err := openResults(filepath.Join(o.Out, ResultsFile))
	if err != nil {
		return nil, err
	}
	defer results.close()
	asking := ctx
	if !o.Until.IsZero() {
		o.Questions = inTurn(o.Questions)
		var cancel context.CancelFunc
		asking, cancel = context.WithDeadline(ctx, o.Until)
		defer cancel()
	}
	all := o.jobs()
	open := slices.DeleteFunc(slices.Clone(all), func(j job) bool { return results.has(o.key(j)) })
	err = o.askOpen(asking, open, len(all), results.add)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("eval: stopped with %d of %d questions answered; the answers are kept in %s, and the same command continues: %w",
			results.count(o.keys(all)), len(all), results.path, err)
	}
	if asking.Err() != nil {
		if o, err = o.asked(results); err != nil {
			return nil, err
		}
		all = o.jobs()
	}
	report := newReport(o, results.records(o.keys(all)))
	if err := report.write(o.Out); err != nil {
		return nil, err
	}
	if n := report.Failed(); n > 0 {
		err = fmt.Errorf("eval: %d of %d questions got no answer; the same command asks them again; the first error: %w", n, len(all), errors.New(report.firstError()))
	}
	return report, err
}

// jobs returns each question in each format: question by question, so that a run that ends early has asked the same
// questions in all formats.
func (o Options) jobs() []job {
	var all []job
	for i := range o.Questions {
		for _, format := range o.Formats {
			all = append(all, job{&o.Questions[i], format})
		}
	}
	return all
}

// inTurn orders the questions so that one of each kind comes first, then a second one of each kind, and so on.
func inTurn(list []Question) []Question {
	seen := map[string]int{}
	place := map[*Question]int{}
	order := make([]*Question, len(list))
	for i := range list {
		q := &list[i]
		order[i], place[q] = q, seen[q.Kind]
		seen[q.Kind]++
	}
	slices.SortStableFunc(order, func(a, b *Question) int { return cmp.Compare(place[a], place[b]) })
	turned := make([]Question, len(list))
	for i, q := range order {
		turned[i] = *q
	}
	return turned
}

// askOpen asks the jobs that have no answer yet; all is the number of all jobs. It asks the first job alone, to
// estimate the time of the others.
func (o Options) askOpen(ctx context.Context, open []job, all int, add func(Record) error) error {
	if o.Notes != nil && len(open) > 1 {
		began := time.Now()
		if err := o.askAll(ctx, open[:1], add); err != nil || ctx.Err() != nil {
			return err
		}
		open = open[1:]
		fmt.Fprintln(o.Notes, o.expectation(time.Since(began), len(open)))
	}
	bar := newProgress(o.Progress, all, all-len(open))
	defer bar.end()
	return o.askAll(ctx, open, func(r Record) error {
		bar.add(r)
		return add(r)
	})
}

// expectation returns how long more answers will take, given the time of the first.
func (o Options) expectation(first time.Duration, more int) string {
	total := first * time.Duration(more)
	s := fmt.Sprintf("Questions: %d, each in %d ways. The first answer took %s; %d more take up to %s.",
		len(o.Questions), len(o.Formats), rounded(first), more, rounded(total))
	if left := time.Until(o.Until); !o.Until.IsZero() && total > left {
		s += fmt.Sprintf(" After %s it ends with what is answered by then; --quick=false has no limit.", rounded(left))
	}
	return s
}

// rounded returns a duration in a form for people.
func rounded(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// asked returns the options with only the questions that were asked in every format. If there are none, it returns an
// error.
func (o Options) asked(results *results) (Options, error) {
	before := len(o.Questions)
	o.Questions = slices.DeleteFunc(slices.Clone(o.Questions), func(q Question) bool {
		return slices.ContainsFunc(o.Formats, func(format string) bool {
			_, known := results.of(o.key(job{&q, format}))
			return !known
		})
	})
	o.About.Unasked = before - len(o.Questions)
	if len(o.Questions) == 0 {
		return o, fmt.Errorf("eval: the time was up before one question was answered in %d ways; name fewer with --formats, or take the time with --quick=false", len(o.Formats))
	}
	return o, nil
}

// key returns the key of a job's record.
func (o Options) key(j job) key {
	return key{o.Model.At, o.Model.Name, j.format, j.question.ID, j.question.digest}
}

func (o Options) keys(jobs []job) []key {
	keys := make([]key, len(jobs))
	for i, j := range jobs {
		keys[i] = o.key(j)
	}
	return keys
}

// askAll asks the jobs, o.Concurrency at a time. It calls done for each answer, from one goroutine at a time; if done
// returns an error, askAll stops and returns the error. It discards an answer that the end of ctx has cut, so that the
// next run asks again.
func (o Options) askAll(ctx context.Context, jobs []job, done func(Record) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		workers sync.WaitGroup
		mu      sync.Mutex
		failed  error
	)
	queue := make(chan job)
	for range max(1, o.Concurrency) {
		workers.Go(func() {
			for j := range queue {
				r := o.Model.askAndGrade(ctx, j)
				mu.Lock()
				if ctx.Err() == nil {
					if failed = done(r); failed != nil {
						cancel()
					}
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	return failed
}
