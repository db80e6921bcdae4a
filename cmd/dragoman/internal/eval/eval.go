// Package eval asks a model the questions of a test set, in each prompting format,
// through the pipeline that the proxy serves with, and grades the calls it makes.
package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// Run asks what the results in the folder do not answer yet, adds the answers to
// them as they come, and writes the reports. It returns the report, whole or with
// an error: of ctx, or one that tells how many questions could not be asked. A
// further run goes on from there.
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

// askAll asks with as many workers as are allowed. done is called for one answer at
// a time; its error ends everything. What ctx cuts short is not done.
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
				r := o.Model.answer(ctx, j)
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
