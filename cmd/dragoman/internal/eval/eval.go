// Package eval asks a model the questions of a test set, in each prompting format, through the proxy's own pipeline,
// and grades the calls that the model makes.
//
//	set, bfcl, bfcl_schema, question   test sets, and the expected answers
//	ask, server, grade, loop           one question: asking it, playing a loop to its end, and grading the answer
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
// With o.Until, questions of all kinds come in turn, and the report covers the formats in which every question was asked
// in time. If there is none, it covers the first format, with the questions that were asked.
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
		if o, err = o.inTime(results); err != nil {
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

// jobs returns each question in each format: format by format, so that a run that ends early has asked all questions in
// some formats. The same questions in fewer formats say more about a model than fewer questions.
func (o Options) jobs() []job {
	var all []job
	for _, format := range o.Formats {
		for i := range o.Questions {
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
		fmt.Fprintln(o.Notes, o.expectation(time.Since(began), open))
	}
	bar := newProgress(o.Progress, o.Bar, all, all-len(open))
	defer bar.end()
	return o.askAll(ctx, open, func(r Record) error {
		bar.add(r)
		return add(r)
	})
}

// loopAnswers is the number of answers in a usual loop: a call, another one, and the words.
const loopAnswers = 3

// expectation returns how long the open jobs will take, given the time of the first answer.
func (o Options) expectation(first time.Duration, open []job) string {
	answers := 0
	for _, j := range open {
		if answers++; j.question.loop != nil {
			answers += loopAnswers - 1
		}
	}
	total := first * time.Duration(answers)
	s := fmt.Sprintf("Questions: %d, each in %d ways. The first answer took %s; %d more take up to %s.",
		len(o.Questions), len(o.Formats), rounded(first), answers, rounded(total))
	if left := time.Until(o.Until); !o.Until.IsZero() && total > left {
		s += fmt.Sprintf(" After %s it ends with the ways that are complete by then; --quick=false has no limit.", rounded(left))
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

// inTime returns the options with the formats in which every question was asked. If there is none, it returns them with
// the first format and the questions that were asked in it, and with no such question an error.
func (o Options) inTime(results *results) (Options, error) {
	open := func(format string, q Question) bool {
		_, known := results.of(o.key(job{&q, format}))
		return !known
	}
	whole := slices.DeleteFunc(slices.Clone(o.Formats), func(format string) bool {
		return slices.ContainsFunc(o.Questions, func(q Question) bool { return open(format, q) })
	})
	if len(whole) == 0 {
		whole = o.Formats[:1]
		before := len(o.Questions)
		o.Questions = slices.DeleteFunc(slices.Clone(o.Questions), func(q Question) bool { return open(whole[0], q) })
		o.About.Unasked = before - len(o.Questions)
	}
	o.About.UnaskedWays = slices.DeleteFunc(slices.Clone(o.Formats), func(format string) bool { return slices.Contains(whole, format) })
	o.Formats = whole
	if len(o.Questions) == 0 {
		return o, errors.New("eval: the time was up before the first answer; take the time with --quick=false")
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
