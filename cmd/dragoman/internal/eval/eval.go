// Package eval asks a model the questions of a test set, in each prompting format,
// through the pipeline that the proxy serves with, and grades the calls that the model
// makes.
//
//	set, bfcl, bfcl_schema, question   test sets, and what is expected of each answer
//	ask, grade                         one question: asked, and its answer graded
//	results                            the file of answers, from which a later run goes on
//	summary, report, progress          the figures of a run, and how they are shown
//
// [Run] does all of it.
package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// Run asks each question in each format, unless the results in the folder have an answer
// to it, adds the answers to the results as they come, and writes the reports.
//
// If ctx ends, or the results cannot be written, it returns an error and no report. If
// some questions got no answer, it returns both a report and an error that says how many.
// In either case the next run asks only what is still without an answer.
func Run(ctx context.Context, o Options) (*Report, error) {
	results, err := openResults(filepath.Join(o.Out, ResultsFile))
	if err != nil {
		return nil, err
	}
	defer results.close()
	var all, open []job
	for _, format := range o.Formats {
		for i := range o.Questions {
			j := job{&o.Questions[i], format}
			all = append(all, j)
			if !results.has(o.key(j)) {
				open = append(open, j)
			}
		}
	}
	bar := newProgress(o.Progress, len(all), len(all)-len(open))
	err = o.askAll(ctx, open, func(r Record) error {
		bar.add(r)
		return results.add(r)
	})
	bar.end()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("eval: stopped with %d of %d questions answered, which are kept in %s; the same command goes on: %w",
			results.count(o.keys(all)), len(all), results.path, err)
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

// key returns what the record of a job is kept under.
func (o Options) key(j job) key {
	return key{o.Model.Name, j.format, j.question.ID, j.question.digest}
}

func (o Options) keys(jobs []job) []key {
	keys := make([]key, len(jobs))
	for i, j := range jobs {
		keys[i] = o.key(j)
	}
	return keys
}

// askAll asks the jobs, o.Concurrency at a time. done is called for each answer, by one
// goroutine at a time; if it returns an error, askAll asks no more and returns it. An
// answer that the end of ctx has cut short is thrown away, so that it is asked again.
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
